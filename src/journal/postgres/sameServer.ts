import { type SharedLoss, sharedFailure } from './facts.ts';
import type { JournalFacts, ServerFacts } from './hello.ts';
import type { Line } from './line.ts';
import { inSchema } from './migrations.ts';
import type { Note } from './note.ts';
import type { Notes } from './notes.ts';
import { nowMs } from './serverTime.ts';
import { type StatementName, sqlOf } from './statements.ts';

type Facts = { readonly server: ServerFacts; readonly journal: JournalFacts };

/**
 * Refuses a journal that does not know what it once acknowledged to this machine: a standby that was promoted too
 * early, a server that was restored. One that is new to the journal is added to those it was on, where this machine
 * can tell that nothing of its own is missing: true where it is that.
 */
export async function sameServerAsBefore(
  line: Line,
  schema: string,
  place: string,
  facts: Facts,
  notes: Notes,
): Promise<boolean> {
  await refuseLoss(line, schema, place, facts, notes);
  if (isKnownServer(facts)) return false;
  await addServer(line, schema, facts.server);
  return true;
}

export async function refuseLoss(
  line: Line,
  schema: string,
  place: string,
  facts: Facts,
  notes: Notes,
): Promise<void> {
  const loss = await lossOf(line, schema, facts, notes);
  if (loss !== undefined) throw sharedFailure('lost', { place, loss });
}

/** Not for a standby: it lacks what it has not heard of yet. */
export async function lossOf(
  line: Line,
  schema: string,
  facts: Facts,
  notes: Notes,
): Promise<SharedLoss | undefined> {
  const noted = notes.read();
  const missing = await missingNotes(line, schema, noted);
  if (missing.length > 0) return { is: 'records', missing };
  const isStrange = facts.journal.servers.length > 0 && noted.length === 0 && !isKnownServer(facts);
  return isStrange ? { is: 'server-changed' } : undefined;
}

/** Those that the journal does not know. */
export async function missingNotes(line: Line, schema: string, noted: readonly Note[]): Promise<Note[]> {
  const kinds = Object.entries(knownOf).map(([what, name]) => ({
    name,
    notes: noted.filter((note) => note.what === what),
  }));
  const missing = kinds.map(async ({ name, notes }) => {
    // Most machines have notes of attempts alone, and a plan costs more than the answer.
    if (notes.length === 0) return [];
    const items = JSON.stringify(notes.map(({ id, number }, n) => ({ n, id, number })));
    const { rows } = await line.ask(name, sqlOf(name, schema), [items]);
    const known = new Set(rows.map(({ n }) => n));
    return notes.filter((_note, n) => !known.has(n));
  });
  return (await Promise.all(missing)).flat();
}

const knownOf = {
  attempt: 'attemptsKnown',
  decision: 'decisionsKnown',
  observation: 'observationsKnown',
  policy: 'policiesKnown',
} as const satisfies Record<Note['what'], StatementName>;

export function isKnownServer({ server: { systemId, timeline }, journal }: Facts): boolean {
  return journal.servers.some((one) => one.systemId === systemId && one.timeline === timeline);
}

export const insertServer = `INSERT INTO @schema.servers (system_id, timeline, since_ms)
  VALUES ($1, $2, ${nowMs}) ON CONFLICT DO NOTHING`;

/** What of it is lost is added again: nobody has to wait until it is on a disk, or on a standby. */
async function addServer(line: Line, schema: string, { systemId, timeline }: ServerFacts): Promise<void> {
  await line.begin('SET LOCAL synchronous_commit = off');
  await line.query(inSchema(schema, insertServer), [systemId, timeline]);
  await line.query('COMMIT');
}

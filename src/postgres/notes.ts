import { createHash, randomInt } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf, diskTroubleOf, makeFolder, syncFolder } from '../machine/disk.ts';
import { takeLock } from '../machine/fileLock.ts';
import type { Intent, LateEnd, Transaction } from '../once/journal/journal.ts';
import { receiptGuards } from '../once/journal/rows.ts';
import type { Store } from '../once/journal/store.ts';
import type { PgConnection } from './connection.ts';
import { type Note, type SharedLoss, sharedFailure } from './facts.ts';
import type { JournalFacts, ServerFacts } from './handshake.ts';
import { inSchema, nowMs } from './sql.ts';

const slots = 64;
const slotBytes = 96;

/** Where this machine keeps what it knows of a shared journal. */
export function ownFolder(dataFolder: string, { id }: Pick<JournalFacts, 'id'>): string {
  return join(dataFolder, 'shared', id);
}

export function notesIn(folder: string): Notes {
  return new Notes(join(folder, 'notes'));
}

/**
 * What a shared journal has acknowledged to this machine, kept on this machine's disk. A journal that no longer knows
 * it has lost something. Each process writes one slot of the file: an empty one if it saw one. A damaged slot is ignored.
 */
export class Notes {
  readonly #path: string;
  #slot = randomInt(slots);
  #file: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  read(): readonly Note[] {
    const noted = this.#slots();
    if (this.#file === undefined) this.#slot = slotToWrite(noted);
    return noted.flatMap((note) => note ?? []);
  }

  #slots(): (Note | undefined)[] {
    let text: string;
    try {
      text = readFileSync(this.#path, 'latin1');
    } catch (error) {
      const code = codeOf(error);
      // A machine without a disk for notes has none.
      if (code === 'ENOENT' || code === 'ENOTDIR') return [];
      throw sharedFailure('notes-unreadable', { path: this.#path, trouble: diskTroubleOf(error) }, error);
    }
    return Array.from({ length: slots }, (_none, slot) => {
      const [what = '', id = '', number = '', at = '', sum] = text
        .slice(slot * slotBytes, (slot + 1) * slotBytes)
        .trim()
        .split(' ');
      if (sum !== sumOf(`${what} ${id} ${number} ${at}`)) return undefined;
      return { what: what as Note['what'], id, number: Number(number), at: Number(at) };
    });
  }

  /** Returns false if this machine cannot write it. Then the machine cannot notice the loss of it later. */
  write(note: Note): boolean {
    try {
      this.#write(note);
      return true;
    } catch {
      return false;
    }
  }

  #write(note: Note): void {
    if (this.#file === undefined) {
      makeFolder(dirname(this.#path));
      this.#file = openSync(this.#path, openFlags, 0o600);
    }
    const text = textOf(note);
    writeSync(
      this.#file,
      `${`${text} ${sumOf(text)}`.padEnd(slotBytes - 1)}\n`,
      this.#slot * slotBytes,
      'latin1',
    );
  }

  /** Removes notes of what was lost, once the loss is accepted. */
  forget(lost: readonly Note[]): void {
    if (lost.length === 0) return;
    const file = openSync(this.#path, 'r+');
    try {
      for (const [slot, note] of this.#slots().entries()) {
        if (note !== undefined && lost.some((one) => textOf(one) === textOf(note)))
          writeSync(file, `${' '.repeat(slotBytes - 1)}\n`, slot * slotBytes, 'latin1');
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** An empty one, so that no process overwrites another's note while there is room. */
function slotToWrite(noted: readonly (Note | undefined)[]): number {
  const empty = [...Array(slots).keys()].filter((slot) => noted[slot] === undefined);
  return empty[randomInt(empty.length || slots)] ?? randomInt(slots);
}

// Creates the file if it is missing, and never truncates it.
const openFlags = constants.O_RDWR | constants.O_CREAT;

function textOf({ what, id, number, at }: Note): string {
  return `${what} ${id} ${number} ${at}`;
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

type Facts = { readonly server: ServerFacts; readonly journal: JournalFacts };

/**
 * Refuses a journal that no longer knows what it acknowledged to this machine, as after an early promotion or a
 * restored backup. If nothing is missing and the server is new, adds it to the journal's servers and returns true.
 */
export async function sameServerAsBefore(
  connection: PgConnection,
  schema: string,
  place: string,
  facts: Facts,
  notes: Notes,
): Promise<boolean> {
  await refuseLoss(connection, schema, place, facts, notes);
  if (isKnownServer(facts)) return false;
  await addServer(connection, schema, facts.server);
  return true;
}

async function refuseLoss(
  connection: PgConnection,
  schema: string,
  place: string,
  facts: Facts,
  notes: Notes,
): Promise<void> {
  const loss = await lossOf(connection, schema, facts, notes);
  if (loss !== undefined) throw sharedFailure('lost', { place, loss });
}

/** Must not be called for a standby, which lacks what it has not received yet. */
export async function lossOf(
  connection: PgConnection,
  schema: string,
  facts: Facts,
  notes: Notes,
): Promise<SharedLoss | undefined> {
  const noted = notes.read();
  const missing = await missingNotes(connection, schema, noted);
  if (missing.length > 0) return { is: 'records', missing };
  const isStrange = facts.journal.servers.length > 0 && noted.length === 0 && !isKnownServer(facts);
  return isStrange ? { is: 'server-changed' } : undefined;
}

/** The notes that the journal does not know. */
export async function missingNotes(
  connection: PgConnection,
  schema: string,
  noted: readonly Note[],
): Promise<Note[]> {
  const kinds = Object.entries(knownOf).map(([what, sql]) => ({
    what,
    sql: inSchema(schema, sql),
    notes: noted.filter((note) => note.what === what),
  }));
  const missing = kinds.map(async ({ what, sql, notes }) => {
    // Most machines have notes of attempts only, and planning a query costs more than answering it.
    if (notes.length === 0) return [];
    const items = JSON.stringify(notes.map((note, n) => ({ ...note, n })));
    const { rows } = await connection.ask(`known-${what}`, sql, [items]);
    const known = new Set(rows.map(({ n }) => n));
    return notes.filter((_note, n) => !known.has(n));
  });
  return (await Promise.all(missing)).flat();
}

const asked =
  /* sql */ 'SELECT g.n FROM json_to_recordset($1::json) AS g (n int, id text, number bigint, at bigint)';

const ofIntent = (table: string, which: string): string => /* sql */ `${asked}
  CROSS JOIN LATERAL (SELECT * FROM @schema.intents i WHERE i.id = g.id OFFSET 0) i
  CROSS JOIN LATERAL (SELECT FROM @schema.${table} t WHERE t.intent = i.seq AND ${which} LIMIT 1) t`;

const knownOf: Readonly<Record<Note['what'], string>> = {
  attempt: ofIntent('attempts', /* sql */ 't.number = g.number AND t.started_at = g.at'),
  decision: ofIntent('decisions', /* sql */ 't.at = g.at'),
  observation: ofIntent('observations', /* sql */ 't.at = g.at'),
};

export function isKnownServer({ server: { systemId, timeline }, journal }: Facts): boolean {
  return journal.servers.some((one) => one.systemId === systemId && one.timeline === timeline);
}

export const insertServer = /* sql */ `INSERT INTO @schema.servers (system_id, timeline, since_ms)
  VALUES ($1, $2, ${nowMs}) ON CONFLICT DO NOTHING`;

/** If this is lost, it is added again. So the commit need not wait for a disk or a standby. */
async function addServer(
  connection: PgConnection,
  schema: string,
  { systemId, timeline }: ServerFacts,
): Promise<void> {
  await connection.begin(/* sql */ 'SET LOCAL synchronous_commit = off');
  await connection.query(inSchema(schema, insertServer), [systemId, timeline]);
  await connection.query('COMMIT');
}

const prefix = 'late-';
const lostPrefix = `lost-${prefix}`;
const suffix = '.jsonl';

/** Replies that a process could not record in the journal, and the process. */
type KeptReplies = { readonly owner: string; readonly path: string; readonly ends: readonly LateEnd[] };

const lockWaitMs = 5000;

/** Replies that could not be recorded, kept beside a shared journal's notes: one file for each process. */
export class LateReplies {
  readonly #folder: string;
  readonly #path: string;

  constructor(folder: string, owner: string) {
    this.#folder = folder;
    this.#path = join(folder, `${prefix}${owner}${suffix}`);
  }

  /** Returns the file once the reply is on disk, or undefined if this disk does not accept it either. */
  keep(late: LateEnd): string | undefined {
    try {
      makeFolder(this.#folder);
      return this.#locked(() => {
        // A full disk may have cut off the line before.
        append(this.#path, `\n${JSON.stringify(toJson(late))}\n`);
        syncFolder(this.#folder);
        return this.#path;
      });
    } catch {
      return undefined;
    }
  }

  /** Takes the replies that processes of this machine have left. Those still alive write to new files from now on. */
  take(): readonly KeptReplies[] {
    if (lateReplyFiles(this.#folder).length === 0) return [];
    return this.#locked(() => {
      for (const name of lateReplyFiles(this.#folder).filter((one) => !one.endsWith(takenSuffix))) {
        const taken = `${name.slice(0, -suffix.length)}.${Date.now()}${takenSuffix}`;
        renameSync(join(this.#folder, name), join(this.#folder, taken));
      }
      return lateReplyFiles(this.#folder).map((name) => {
        const path = join(this.#folder, name);
        const [owner = ''] = name.slice(prefix.length).split('.');
        return { path, owner, ends: endsIn(path) };
      });
    });
  }

  static remove(path: string): void {
    rmSync(path, { force: true });
  }

  /** Keeps the file for people to read, but no longer offers it to the journal. */
  static setAside(path: string): void {
    try {
      renameSync(path, join(dirname(path), `${lostPrefix}${basename(path).slice(prefix.length)}`));
    } catch (error) {
      // Another process was quicker.
      if (existsSync(path)) throw error;
    }
  }

  #locked<Result>(work: () => Result): Result {
    const lock = takeLock(join(this.#folder, 'late.lock'), lockWaitMs);
    try {
      return work();
    } finally {
      lock?.release();
    }
  }
}

const takenSuffix = `.taken${suffix}`;

export function lateReplyFiles(folder: string): readonly string[] {
  return filesIn(folder, prefix);
}

/** Files with replies to attempts that the journal has lost. */
export function lostReplies(folder: string): readonly string[] {
  return filesIn(folder, lostPrefix).map((name) => join(folder, name));
}

function filesIn(folder: string, beginning: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(beginning) && name.endsWith(suffix));
  } catch {
    return [];
  }
}

function append(path: string, text: string): void {
  const file = openSync(path, 'a', 0o600);
  try {
    const bytes = Buffer.from(text);
    if (writeSync(file, bytes) !== bytes.length) throw new Error('cut-off');
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

type Json = Omit<LateEnd, 'end'> & {
  readonly end: Omit<LateEnd['end'], 'reply'> & { readonly reply?: string };
};

function toJson({ end: { reply, ...end }, ...late }: LateEnd): Json {
  return { ...late, end: { ...end, ...(reply && { reply: Buffer.from(reply).toString('base64') }) } };
}

function fromJson({ end: { reply, ...end }, ...late }: Json): LateEnd {
  return { ...late, end: { ...end, reply: reply === undefined ? undefined : Buffer.from(reply, 'base64') } };
}

/** Reads complete lines only. An incomplete line was never acknowledged. */
function endsIn(path: string): LateEnd[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [fromJson(JSON.parse(line) as Json)];
      } catch {
        return [];
      }
    });
}

/** Records replies that could not be recorded when they came, in the name of the process that received them. */
export async function uploadLateReplies(
  { path, ends }: KeptReplies,
  store: Pick<Store, 'commit'>,
): Promise<void> {
  let isWhole = true;
  for (const late of ends)
    await store.commit(async (tx) => {
      const intent = await tx.get(late.id);
      if (intent !== undefined && intent.attempts >= late.number) return recordLate(late, intent, tx);
      // The journal has lost the attempt, so this file is the only proof left.
      isWhole = false;
    }, receiptGuards(late.receipts));
  if (isWhole) LateReplies.remove(path);
  else LateReplies.setAside(path);
}

async function recordLate(
  { id, number, end, receipts, state, why, atMs }: LateEnd,
  { attempts }: Intent,
  tx: Transaction,
): Promise<void> {
  // Its own process recorded it after all: only the answer to that commit was lost. An attempt ends once.
  const attempt = (await tx.attemptsOf(id)).find((one) => one.number === number);
  if (attempt?.verdict !== undefined && attempt.phase !== 'process-died') return;
  // A later attempt decides the state of the intent itself.
  const isLatest = attempts === number;
  const isAnothers = (await tx.otherHolder(id, receipts)) !== undefined;
  if (isAnothers && end.verdict === 'accepted') {
    const trouble = { is: 'someone-elses-reply' } as const;
    await tx.endAttempt(id, number, { ...end, verdict: 'unknown', trouble }, atMs);
    if (isLatest) await tx.conclude(id, 'unknown', undefined, atMs);
    return;
  }
  await tx.endAttempt(id, number, end, atMs);
  if (end.verdict === 'accepted') await tx.keepReceipts(id, receipts);
  if (isLatest || state === 'accepted') await tx.conclude(id, state, why, atMs);
}

import { join } from 'node:path';
import { mayOnlyLook, unchangedOnStandby } from '../../words/sharedJournal.ts';
import { codeOf } from './faults.ts';
import { askJournal, type ServerFacts } from './hello.ts';
import type { Line } from './line.ts';
import { inSchema } from './migrations.ts';
import type { Note } from './note.ts';
import { Notes } from './notes.ts';
import { insertServer, lossOf } from './sameServer.ts';
import { refuseSchema } from './schemaCheck.ts';
import { nowMs } from './serverTime.ts';

/** Who asks a shared journal, and where this machine keeps what it notes for itself. */
export type Asking = {
  readonly line: Line;
  readonly schema: string;
  readonly place: string;
  readonly server: ServerFacts;
  readonly dataFolder: string;
};

/** What a shared journal has lost, as far as this machine can tell. */
export type SharedLoss = {
  readonly notes: Notes;
  /** What it acknowledged to this machine, and does not know. */
  readonly missing: readonly Note[];
  /** A sentence without its full stop. */
  readonly says: string;
};

export async function findSharedLoss(asking: Asking): Promise<SharedLoss | undefined> {
  const { line, schema, place, server, dataFolder } = asking;
  if (server.isStandby) throw unchangedOnStandby(place);
  await refuseSchema(line, schema, place);
  const journal = await askJournal(line, schema);
  const notes = new Notes(join(dataFolder, 'shared', journal.id, 'notes'));
  const { missing, says } = await lossOf(line, schema, { server, journal }, notes);
  return says === undefined ? undefined : { notes, missing, says };
}

/** Puts the loss on record, and the server that the journal is on now: from then on machines go on with it. */
export async function acceptSharedLoss(
  { line, schema, place, server }: Asking,
  { notes, missing }: SharedLoss,
  who: string,
): Promise<void> {
  const [what, detail] =
    missing.length > 0
      ? ['notes', JSON.stringify(missing)]
      : ['server', JSON.stringify({ system_id: server.systemId, timeline: server.timeline })];
  await line.begin();
  try {
    await line.query(inSchema(schema, insertServer), [server.systemId, server.timeline]);
    await line.query(inSchema(schema, insertLoss), [what, who, detail]);
    await line.query('COMMIT');
  } catch (error) {
    throw codeOf(error) === '42501' ? mayOnlyLook(place, error) : error;
  }
  notes.forget(missing);
}

const insertLoss = `INSERT INTO @schema.losses (what, who, at, detail)
  VALUES ($1, $2, ${nowMs}, $3)`;

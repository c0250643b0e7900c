import { join } from 'node:path';
import { type SharedLoss, sharedFailure } from './facts.ts';
import { codeOf } from './faults.ts';
import { askJournal, type ServerFacts } from './hello.ts';
import type { Line } from './line.ts';
import { inSchema } from './migrations.ts';
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

type FoundLoss = { readonly notes: Notes; readonly loss: SharedLoss };

export async function findSharedLoss(asking: Asking): Promise<FoundLoss | undefined> {
  const { line, schema, place, server, dataFolder } = asking;
  if (server.isStandby) throw sharedFailure('unchanged-on-standby', { place });
  await refuseSchema(line, schema, place);
  const journal = await askJournal(line, schema);
  const notes = new Notes(join(dataFolder, 'shared', journal.id, 'notes'));
  const loss = await lossOf(line, schema, { server, journal }, notes);
  return loss && { notes, loss };
}

/** Puts the loss on record, and the server that the journal is on now: from then on machines go on with it. */
export async function acceptSharedLoss(
  { line, schema, place, server }: Asking,
  { notes, loss }: FoundLoss,
  who: string,
): Promise<void> {
  const [what, detail] =
    loss.is === 'records'
      ? ['notes', JSON.stringify(loss.missing)]
      : ['server', JSON.stringify({ system_id: server.systemId, timeline: server.timeline })];
  await line.begin();
  try {
    await line.query(inSchema(schema, insertServer), [server.systemId, server.timeline]);
    await line.query(inSchema(schema, insertLoss), [what, who, detail]);
    await line.query('COMMIT');
  } catch (error) {
    throw codeOf(error) === '42501' ? sharedFailure('may-only-look', { place }, error) : error;
  }
  if (loss.is === 'records') notes.forget(loss.missing);
}

const insertLoss = `INSERT INTO @schema.losses (what, who, at, detail)
  VALUES ($1, $2, ${nowMs}, $3)`;

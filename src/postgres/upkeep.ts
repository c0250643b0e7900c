import { errorCodeOf } from '../machine/disk.ts';
import type { Failure } from '../once/failures.ts';
import {
  batchColumns,
  bodyColumns,
  decisionColumns,
  endColumns,
  entryColumns,
  namesOf,
  needsColumn,
  observationColumns,
  paidColumns,
  receiptColumns,
  standingColumns,
  triedColumn,
} from '../once/journal/columns.ts';
import { type Loss, type Opened, whyClosed } from '../once/journal/failures.ts';
import type { Note } from '../once/journal/note.ts';
import { closingOf, verbsIn } from '../once/journal/verbs.ts';
import { type Address, placeOf } from './address.ts';
import { lockOfWriters } from './base.ts';
import type { PgConnection } from './connection.ts';
import { type Patience, PgConnections } from './connections.ts';
import { sharedFailure } from './failures.ts';
import {
  askJournal,
  askServer,
  migrate,
  ownerOf,
  refusalOfServer,
  refuseSchema,
  type ServerFacts,
} from './handshake.ts';
import { lackedByServer, noteOf } from './openSharedJournal.ts';
import { isOfNetwork, isUnawaited, NotOnStandby, serverFailure, unreachable } from './serverErrors.ts';
import { dialectIn, nowMs, quotedName, tablesIn } from './sql.ts';

/** A connection for maintaining a journal. Asks the server, not the journal. */
export async function meetServer(
  address: Address,
  patience: Patience,
): Promise<{ readonly connection: PgConnection; readonly server: ServerFacts }> {
  let facts: ServerFacts | undefined;
  const connections = new PgConnections(address, patience, async (connection) => {
    facts = await askServer(connection);
    const refused = refusalOfServer(facts, placeOf(address));
    if (refused !== undefined) throw refused;
  });
  const connection = await connections.open();
  // Later questions may take longer.
  connection.answerWithin();
  return { connection, server: facts as unknown as ServerFacts };
}

/** The failure for an error on a connection. If it broke, that is all that is known. */
export function connectionFailure(connection: PgConnection, place: string, error: unknown): unknown {
  if (error instanceof NotOnStandby) return sharedFailure('not-on-standby', { place });
  return connection.isBroken || isOfNetwork(error) ? unreachable(error, place) : serverFailure(error, place);
}

type Maintained = {
  readonly connection: PgConnection;
  readonly schema: string;
  readonly place: string;
  readonly server: ServerFacts;
};

/** Makes a change in one commit. `notAllowed` is the failure for a role that lacks the right. */
export async function inOneCommit<Result>(
  connection: PgConnection,
  change: () => Promise<Result>,
  notAllowed: (error: unknown) => Failure,
  ...settings: readonly string[]
): Promise<Result> {
  try {
    await connection.begin(...settings);
    const result = await change();
    await connection.query('COMMIT');
    if (isUnawaited(connection)) throw new NotOnStandby();
    return result;
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => connection.destroy());
    throw errorCodeOf(error) === notPermitted ? notAllowed(error) : error;
  }
}

/** Creates the journal if it does not exist. Returns whether it did. */
export async function migrateJournal({ connection, schema, place, server }: Maintained): Promise<boolean> {
  if (server.isStandby) throw sharedFailure('standby-only', { place });
  const edition = await migrate(connection, schema).catch((error: unknown) => {
    throw errorCodeOf(error) === notPermitted
      ? sharedFailure('may-not-migrate', { place, schema }, error)
      : error;
  });
  await refuseSchema(connection, schema, place);
  return edition.is === 'missing';
}

const notPermitted = '42501';

/** A connection to a shared journal, and where this machine keeps its own notes. */
export type Asking = Maintained & { readonly dataFolder: string };

type FoundLoss = { readonly note: Note; readonly loss: Loss };

export async function findSharedLoss(asking: Asking): Promise<FoundLoss | undefined> {
  await refuseUnwritable(asking);
  const { connection, schema, dataFolder } = asking;
  const note = noteOf(dataFolder, await askJournal(connection, schema));
  const missing = await lackedByServer(connection, dialectIn(schema), note.noted());
  return missing.length === 0 ? undefined : { note, loss: { isGone: false, missing } };
}

/** Records the loss. From then on, this machine uses the journal again. */
export async function acceptSharedLoss(
  { connection, schema, place }: Asking,
  { note, loss }: FoundLoss,
  who: string,
): Promise<void> {
  await inOneCommit(
    connection,
    () => connection.query(insertLoss(schema), [who, JSON.stringify(loss)]),
    (error) => sharedFailure('may-only-look', { place }, error),
  );
  note.forget();
}

/** From now on no runner begins an attempt. This takes the writers' lock, so every later commit sees it. */
export async function closeShared(asking: Asking, who: string, reason: string): Promise<void> {
  await refuseUnwritable(asking);
  const { connection, schema, place } = asking;
  await inOneCommit(
    connection,
    () => connection.query(insertClosing(schema), [who, reason]),
    (error) => sharedFailure('may-only-look', { place }, error),
    lockOfWriters(schema),
  );
}

/** Ends the closings that people made. Returns how many ended, and why the journal is still closed, if it is. */
export async function openShared(asking: Asking, who: string): Promise<Opened> {
  await refuseUnwritable(asking);
  const { connection, schema, place } = asking;
  const owner = await ownerOf(connection, schema);
  return inOneCommit(
    connection,
    async () => {
      const { rows } = await connection.query(endClosings(schema), [who]);
      const left = await connection.query(verbsIn(dialectIn(schema)).closings.text);
      return { place, ended: rows.length, stays: whyClosed(place, left.rows.map(closingOf)) };
    },
    (error) => sharedFailure('may-not-open', { place, owner }, error),
    lockOfWriters(schema),
  );
}

async function refuseUnwritable({ connection, schema, place, server }: Asking): Promise<void> {
  if (server.isStandby) throw sharedFailure('standby-only', { place });
  await refuseSchema(connection, schema, place);
}

const insertClosing = (schema: string): string =>
  /* sql */ `INSERT INTO ${tablesIn(schema)('closings')} (who, reason) VALUES ($1, $2)`;

const endClosings = (schema: string): string =>
  /* sql */ `UPDATE ${tablesIn(schema)('closings')} SET ended_at = ${nowMs}, ended_by = $1
    WHERE kind = 'person' AND ended_at IS NULL RETURNING seq`;

const insertLoss = (schema: string): string =>
  /* sql */ `INSERT INTO ${tablesIn(schema)('losses')} (who, at, detail) VALUES ($1, ${nowMs}, $2)`;

/** The columns that may change. All others are written once. */
const changing: Readonly<Record<string, readonly string[]>> = {
  entries: namesOf({ ...bodyColumns, ...standingColumns, ...triedColumn, ...paidColumns }),
  attempts: namesOf(endColumns),
  owners: ['renewed_at', 'ended_at'],
  batches: ['rows', 'invalid'],
};

/** The columns that a runner may fill. No `seq` is among them: that of a decision says which is the latest. */
const filling: Readonly<Record<string, readonly string[]>> = {
  entries: namesOf({ ...entryColumns, ...triedColumn, ...paidColumns }),
  attempts: ['entry', 'number', 'started_at'],
  decisions: ['entry', ...namesOf({ ...decisionColumns, ...needsColumn })],
  receipts: ['entry', ...namesOf(receiptColumns)],
  observations: ['entry', ...namesOf(observationColumns)],
  batches: namesOf(batchColumns),
  losses: ['who', 'at', 'detail'],
  closings: ['who', 'reason'],
  owners: ['id', 'host', 'pid', 'begun_at', 'renewed_at', 'timeline'],
};

/** The role that the SQL names. The user may write another. */
export const usualRunner = 'botctl_runner';

/** The SQL that gives the role of a runner exactly the rights that it needs in the journal. */
export function grantsSql(schema: string, role = usualRunner): string {
  const [to, table, within] = [quotedName(role), tablesIn(schema), quotedName(schema)];
  const granting = (right: string, columnsOf: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(columnsOf).map(
      ([name, columns]) => /* sql */ `GRANT ${right} (${columns.join(', ')}) ON ${table(name)} TO ${to};`,
    );
  const lines = [
    'BEGIN;',
    /* sql */ `REVOKE ALL ON SCHEMA ${within} FROM ${to};`,
    /* sql */ `REVOKE ALL ON ALL TABLES IN SCHEMA ${within} FROM ${to};`,
    /* sql */ `GRANT USAGE ON SCHEMA ${within} TO ${to};`,
    /* sql */ `GRANT SELECT ON ALL TABLES IN SCHEMA ${within} TO ${to};`,
    ...granting('INSERT', filling),
    ...granting('UPDATE', changing),
    'COMMIT;',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

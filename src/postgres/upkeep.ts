import type { Failure } from '../once/failures.ts';
import type { Intent, State } from '../once/journal/journal.ts';
import { schemaVersion } from '../once/journal/schema.ts';
import { type Address, placeOf } from './address.ts';
import type { PgConnection } from './connection.ts';
import { type Patience, PgConnections } from './connections.ts';
import { type Note, type SharedLoss, sharedFailure } from './facts.ts';
import { codeOf, isOfNetwork, isUnawaited, NotOnStandby, serverFailure, unreachable } from './faults.ts';
import {
  askJournal,
  askServer,
  type JournalFacts,
  migrate,
  nameOfServer,
  refusalOfServer,
  refuseSchema,
  type ServerFacts,
} from './handshake.ts';
import {
  insertServer,
  isKnownServer,
  lateReplyFiles,
  lossOf,
  lostReplies,
  missingNotes,
  type Notes,
  notesIn,
  ownFolder,
} from './notes.ts';
import { inSchema, nowMs, quotedName } from './sql.ts';

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
    return nameOfServer(facts);
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
async function inOneCommit<Result>(
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
    throw codeOf(error) === notPermitted ? notAllowed(error) : error;
  }
}

/** Creates the journal. Returns its version before (0: none existed) and now. */
export async function migrateJournal(
  { connection, schema, place, server }: Maintained,
  random: (size: number) => Uint8Array,
): Promise<{ readonly from: number; readonly to: number }> {
  if (server.isStandby) throw sharedFailure('unchanged-on-standby', { place });
  const done = await migrate(connection, schema, random).catch((error: unknown) => {
    throw codeOf(error) === notPermitted ? sharedFailure('may-not-migrate', { place, schema }, error) : error;
  });
  switch (done.is) {
    case 'migrated':
      return { from: done.from, to: done.to };
    case 'current':
      return { from: schemaVersion, to: schemaVersion };
    case 'newer':
      throw sharedFailure('schema-newer', { place, version: done.version, known: schemaVersion });
    case 'unreleased':
      throw sharedFailure('schema-unreleased', { place });
    case 'foreign':
      throw sharedFailure('schema-foreign', { place, schema });
  }
}

const notPermitted = '42501';

/** A connection to a shared journal, and where this machine keeps its own notes. */
export type Asking = Maintained & { readonly dataFolder: string };

type FoundLoss = { readonly notes: Notes; readonly loss: SharedLoss };

type Met = { readonly journal: JournalFacts; readonly notes: Notes };

/** The journal, which can be written here, and what this machine has noted of it. */
async function meetJournal({ connection, schema, place, server, dataFolder }: Asking): Promise<Met> {
  if (server.isStandby) throw sharedFailure('unchanged-on-standby', { place });
  await refuseSchema(connection, schema, place);
  const journal = await askJournal(connection, schema);
  return { journal, notes: notesIn(ownFolder(dataFolder, journal)) };
}

export async function findSharedLoss(asking: Asking): Promise<FoundLoss | undefined> {
  const { connection, schema, server } = asking;
  const { journal, notes } = await meetJournal(asking);
  const loss = await lossOf(connection, schema, { server, journal }, notes);
  return loss && { notes, loss };
}

/** Records the loss and the journal's present server. From then on, machines use the journal again. */
export async function acceptSharedLoss(
  { connection, schema, place, server }: Asking,
  { notes, loss }: FoundLoss,
  who: string,
): Promise<void> {
  await inOneCommit(
    connection,
    async () => {
      const [what, detail] = noteOf(loss, server);
      await connection.query(inSchema(schema, insertLoss), [what, who, detail]);
      await connection.query(inSchema(schema, insertServer), [server.systemId, server.timeline]);
    },
    (error) => sharedFailure('may-only-look', { place }, error),
  );
  if (loss.is === 'records') notes.forget(loss.missing);
}

function noteOf(loss: SharedLoss, server: ServerFacts): [what: string, detail: string] {
  switch (loss.is) {
    case 'records':
      return ['notes', JSON.stringify(loss.missing)];
    case 'server-changed':
      return ['server', JSON.stringify({ system_id: server.systemId, timeline: server.timeline })];
  }
}

const insertLoss = /* sql */ `INSERT INTO @schema.losses (what, who, at, detail)
  VALUES ($1, $2, ${nowMs}, $3)`;

/** The columns that may change. All others are written once. */
const changing: Readonly<Record<string, readonly string[]>> = {
  intents: [
    ...[
      'body',
      'fingerprint',
      'payment',
      'state',
      'owner',
      'resolved_as',
      'why',
      'tainted',
      'may_have_landed_at',
    ],
    ...['token_hash', 'attempts', 'updated_at', 'reported_at', 'left_behind', 'counts_at'],
  ],
  attempts: [
    ...['ended_at', 'phase', 'verdict', 'status', 'request_id', 'trouble', 'retry_after', 'duplicate'],
    ...['verified', 'reply', 'headers'],
  ],
  owners: ['renewed_at', 'ended_at', 'asked_at', 'last_commit'],
  spent: ['units'],
  batches: ['rows', 'invalid', 'skipped', 'skipped_in_doubt'],
};

const growing = [
  ...['servers', 'owners', 'intents', 'attempts', 'decisions', 'receipts', 'losses', 'observations'],
  ...['services', 'spent', 'batches'],
];

/** The role that is named in the SQL. Whoever runs it puts another in its place. */
export const usualRunner = 'botctl_runner';

/** The SQL that gives the role of a runner exactly the rights that it needs in the journal. */
export function grantsSql(schema: string, role = usualRunner): string {
  const to = quotedName(role);
  const lines = [
    'BEGIN;',
    /* sql */ `REVOKE ALL ON SCHEMA @schema FROM ${to};`,
    /* sql */ `REVOKE ALL ON ALL TABLES IN SCHEMA @schema FROM ${to};`,
    /* sql */ `GRANT USAGE ON SCHEMA @schema TO ${to};`,
    /* sql */ `GRANT SELECT ON ALL TABLES IN SCHEMA @schema TO ${to};`,
    /* sql */ `GRANT INSERT ON ${growing.map((table) => `@schema.${table}`).join(', ')} TO ${to};`,
    ...Object.entries(changing).map(
      ([table, columns]) => /* sql */ `GRANT UPDATE (${columns.join(', ')}) ON @schema.${table} TO ${to};`,
    ),
    'COMMIT;',
  ];
  return lines.map((line) => `${inSchema(schema, line)}\n`).join('');
}

/** What a look at a shared journal and its server shows. It changes nothing. */
export type SharedLook = {
  readonly server: ServerFacts;
  readonly schemaVersion: number;
  readonly journal: JournalFacts;
  readonly counts: Partial<Record<State, number>>;
  /** Held intents that wait for approval, counted by the reason. */
  readonly waiting: Readonly<Record<string, number>>;
  readonly oldestUnknown: OldestUnknown | undefined;
  /** What the journal has acknowledged to this machine. */
  readonly notes: {
    readonly held: number;
    readonly missing: readonly Note[];
    readonly isNewServer: boolean;
    readonly folder: string;
  };
  /** The folder with replies that the journal could not take. Undefined if it has none. */
  readonly lateReplies: string | undefined;
  /** Files with replies to attempts that the journal has lost. */
  readonly lostReplies: readonly string[];
};

type OldestUnknown = Pick<Intent, 'id' | 'mayHaveLandedAtMs' | 'createdAtMs'>;

export async function lookAtShared({
  connection,
  schema,
  place,
  server,
  dataFolder,
}: Asking): Promise<SharedLook> {
  await refuseSchema(connection, schema, place);
  const journal = await askJournal(connection, schema);
  const folder = ownFolder(dataFolder, journal);
  const notes = notesIn(folder).read();
  const missing = await missingNotes(connection, schema, notes);
  return {
    server,
    schemaVersion,
    journal,
    ...(await intentsIn(connection, schema, journal.leaseMs)),
    notes: {
      held: notes.length,
      missing,
      // A standby does not report its timeline.
      isNewServer: !server.isStandby && journal.servers.length > 0 && !isKnownServer({ server, journal }),
      folder,
    },
    lateReplies: lateReplyFiles(folder).length === 0 ? undefined : folder,
    lostReplies: lostReplies(folder),
  };
}

const countStates = /* sql */ `SELECT state, count(*) AS count FROM @schema.intents GROUP BY state`;
const countWaiting = /* sql */ `SELECT why, count(*) AS count FROM @schema.intents
  WHERE state <> 'accepted' AND state = 'held' AND tainted = 0 GROUP BY why`;
/** What a living process is sending is not in doubt. */
const findOldest = /* sql */ `SELECT s.id, s.may_have_landed_at, s.created_at
  FROM @schema.intents s LEFT JOIN @schema.owners o ON o.id = s.owner
  WHERE s.state <> 'accepted' AND s.state IN ('unknown', 'sending') AND NOT (s.state = 'sending'
    AND coalesce(o.ended_at IS NULL AND o.renewed_at + $1 >= ${nowMs}, false))
  ORDER BY coalesce(s.may_have_landed_at, s.created_at) LIMIT 1`;

async function intentsIn(
  connection: PgConnection,
  schema: string,
  leaseMs: number,
): Promise<Pick<SharedLook, 'counts' | 'waiting' | 'oldestUnknown'>> {
  const { rows } = await connection.query(inSchema(schema, countStates));
  const waiting = (await connection.query(inSchema(schema, countWaiting))).rows;
  const [oldest] = (await connection.query(inSchema(schema, findOldest), [leaseMs])).rows;
  return {
    counts: Object.fromEntries(rows.map(({ state, count }) => [state as State, Number(count)])),
    waiting: Object.fromEntries(waiting.map(({ why, count }) => [String(why), Number(count)])),
    oldestUnknown: oldest && {
      id: String(oldest.id),
      createdAtMs: Number(oldest.created_at),
      mayHaveLandedAtMs: oldest.may_have_landed_at === null ? undefined : Number(oldest.may_have_landed_at),
    },
  };
}

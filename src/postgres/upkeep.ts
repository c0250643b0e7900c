import type { Failure } from '../once/failures.ts';
import { invisibleIn } from '../once/intent/naming.ts';
import type { Intent, State } from '../once/journal/journal.ts';
import { schemaVersion } from '../once/journal/schema.ts';
import { type Address, placeOf } from './address.ts';
import { lockOfWriters } from './base.ts';
import { giveUp } from './begunCopies.ts';
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
  takingItsTime,
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
  refuseLoss,
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

/** The settings that are off although they keep a server from losing what it has acknowledged. */
export function settingsOff({ settings }: ServerFacts): ('fsync' | 'full_page_writes')[] {
  return (['fsync', 'full_page_writes'] as const).filter((name) => settings[name] !== 'on');
}

export async function isDurabilityAccepted({
  connection,
  schema,
  place,
  server,
}: Maintained): Promise<boolean> {
  if (server.isStandby) throw sharedFailure('unchanged-on-standby', { place });
  await refuseSchema(connection, schema, place);
  return (await askJournal(connection, schema)).acceptedDurability;
}

/** Allows the journal to be used although its server may lose what it has acknowledged. */
export async function acceptDurability(
  { connection, schema, place, server }: Maintained,
  who: string,
): Promise<void> {
  const accepted = JSON.stringify({ who, at: server.nowMs, off: settingsOff(server) });
  await inOneCommit(
    connection,
    () => connection.query(inSchema(schema, insertAccepted), [accepted]),
    (error) => sharedFailure('may-not-accept', { place }, error),
  );
}

const insertAccepted = /* sql */ `INSERT INTO @schema.meta (name, value) VALUES ('durability', convert_to($1, 'UTF8'))
  ON CONFLICT (name) DO NOTHING`;

/** A connection to a shared journal, and where this machine keeps its own notes. */
export type Asking = Maintained & { readonly dataFolder: string };

type FoundLoss = { readonly notes: Notes; readonly loss: SharedLoss };

type Met = { readonly journal: JournalFacts; readonly notes: Notes };

/** The journal, which can be written here, and what this machine has noted of it. */
export async function meetJournal({ connection, schema, place, server, dataFolder }: Asking): Promise<Met> {
  if (server.isStandby) throw sharedFailure('unchanged-on-standby', { place });
  await refuseSchema(connection, schema, place);
  const journal = await askJournal(connection, schema);
  return { journal, notes: notesIn(ownFolder(dataFolder, journal)) };
}

export async function findSharedLoss(asking: Asking): Promise<FoundLoss | undefined> {
  const { connection, schema, server } = asking;
  const { journal, notes } = await meetJournal(asking);
  const { copying } = journal;
  const rest: SharedLoss | undefined = copying && {
    ...{ is: 'rest-of-file', path: copying.path, copy: copying.detail },
  };
  const loss = (await lossOf(connection, schema, { server, journal }, notes)) ?? rest;
  return loss && { notes, loss };
}

/**
 * Records the loss and the journal's present server. From then on, machines use the journal again. Returns false if the
 * file is there whole by now.
 */
export async function acceptSharedLoss(
  { connection, schema, place, server }: Asking,
  { notes, loss }: FoundLoss,
  who: string,
): Promise<boolean> {
  const isRecorded = await inOneCommit(
    connection,
    async () => {
      if (loss.is === 'rest-of-file') {
        await connection.query(lockOfWriters(schema));
        const { rows } = await connection.query(inSchema(schema, giveUp), [who, loss.copy]);
        if (rows.length === 0) return false;
      } else {
        const [what, detail] = noteOf(loss, server);
        await connection.query(inSchema(schema, insertLoss), [what, who, detail]);
      }
      await connection.query(inSchema(schema, insertServer), [server.systemId, server.timeline]);
      await connection.query(inSchema(schema, /* sql */ `INSERT INTO @schema.made (at) VALUES (${nowMs})`));
      return true;
    },
    (error) => sharedFailure('may-only-look', { place }, error),
  );
  if (loss.is === 'records') notes.forget(loss.missing);
  return isRecorded;
}

type Noted = Exclude<SharedLoss, { readonly is: 'rest-of-file' }>;

function noteOf(loss: Noted, server: ServerFacts): [what: string, detail: string] {
  switch (loss.is) {
    case 'records':
      return ['notes', JSON.stringify(loss.missing)];
    case 'server-changed':
      return ['server', JSON.stringify({ system_id: server.systemId, timeline: server.timeline })];
  }
}

const insertLoss = /* sql */ `INSERT INTO @schema.losses (what, who, at, detail)
  VALUES ($1, $2, ${nowMs}, $3)`;

/** The roles that can log in and decide. A superuser always could, and is nobody's everyday role. */
const deciders = /* sql */ `SELECT r.rolname AS name FROM pg_roles r WHERE r.rolcanlogin AND NOT r.rolsuper
  AND has_table_privilege(r.oid, '@schema.decisions', 'INSERT') LIMIT 2`;
const addPolicy = /* sql */ 'INSERT INTO @schema.policies (text, who, at) VALUES ($1, $2, $3) RETURNING seq';

/** Sets the policy for everyone who sends through the journal. Claims that are being made are waited for. */
export async function setPolicy(
  asking: Asking,
  { text, needsTwo }: { readonly text: string; readonly needsTwo: boolean },
  who: string,
): Promise<number> {
  const { connection, schema, place, server } = asking;
  const { journal, notes } = await meetJournal(asking);
  await refuseLoss(connection, schema, place, { server, journal }, notes);
  const run = (statement: string, values: unknown[] = []): ReturnType<PgConnection['query']> =>
    connection.query(inSchema(schema, statement), values);
  if (needsTwo) {
    const [role, other] = (await run(deciders)).rows.map(({ name }) => String(name));
    if (other === undefined) throw sharedFailure('one-role', { place, role });
  }
  const add = async (): Promise<number> => {
    await run(lockOfWriters(schema));
    const { rows } = await run(addPolicy, [text, who, server.nowMs]);
    return Number(rows[0]?.seq);
  };
  const notAllowed = (error: unknown): Failure => sharedFailure('may-not-set-policy', { place }, error);
  try {
    const number = await inOneCommit(connection, add, notAllowed, ...takingItsTime);
    notes.write({ what: 'policy', id: String(server.nowMs), number, at: server.nowMs });
    return number;
  } finally {
    notes.close();
  }
}

/** `run` is for commands that send, `look` for those that only read. */
export type GrantedUse = 'run' | 'look';

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
  batches: ['digest', 'rows', 'invalid', 'skipped', 'skipped_in_doubt', 'totals', 'beyond'],
};

const growing = [
  ...['servers', 'owners', 'intents', 'attempts', 'decisions', 'receipts', 'losses', 'observations'],
  ...['services', 'made', 'spent', 'paid', 'batches'],
];

/** The SQL that gives a role exactly the rights that it needs in the journal. */
export function grantsSql(schema: string, role: string, use: GrantedUse): string {
  const to = quotedName(role);
  const lines = [
    'BEGIN;',
    /* sql */ `REVOKE ALL ON SCHEMA @schema FROM ${to};`,
    /* sql */ `REVOKE ALL ON ALL TABLES IN SCHEMA @schema FROM ${to};`,
    /* sql */ `GRANT USAGE ON SCHEMA @schema TO ${to};`,
    ...(use === 'run' ? runnerGrants(to) : auditorGrants(to)),
    'COMMIT;',
  ];
  return lines.map((line) => `${inSchema(schema, line)}\n`).join('');
}

function runnerGrants(to: string): string[] {
  return [
    /* sql */ `GRANT SELECT ON ALL TABLES IN SCHEMA @schema TO ${to};`,
    /* sql */ `GRANT INSERT ON ${listed(growing)} TO ${to};`,
    ...Object.entries(changing).map(
      ([table, columns]) => /* sql */ `GRANT UPDATE (${columns.join(', ')}) ON @schema.${table} TO ${to};`,
    ),
  ];
}

/** Without the salt: with it, an auditor could try tokens against their hashes. */
function auditorGrants(to: string): string[] {
  return [/* sql */ `GRANT SELECT ON ${listed(['meta', 'payments', 'policies', ...growing])} TO ${to};`];
}

function listed(tables: readonly string[]): string {
  return tables.map((table) => `@schema.${table}`).join(', ');
}

/** Refuses names that are not a role's. `public` would mean everybody. */
export function refuseRole(role: string): void {
  const unseen = invisibleIn(role);
  if (unseen !== undefined) throw sharedFailure('unseen-in-role', { unseen });
  if (role === '' || Buffer.byteLength(role) > longestName)
    throw sharedFailure('role-length', { mostBytes: longestName });
  if (/^(?:public|none|pg_.*)$/u.test(role)) throw sharedFailure('role-reserved', { role });
}

// PostgreSQL truncates longer names.
const longestName = 63;

/** What a look at a shared journal and its server shows. It changes nothing. */
export type SharedLook = {
  readonly server: ServerFacts;
  readonly schemaVersion: number;
  readonly standbys: Standbys;
  /** The median of a few round trips. */
  readonly latencyMs: number;
  /** How far this machine's clock is ahead of the server's. */
  readonly aheadMs: number;
  /** The role, and rights that it has beyond those of runners. */
  readonly role: { readonly name: string; readonly isSuperuser: boolean; readonly ownsTables: boolean };
  readonly journal: JournalFacts;
  /** Processes whose lease is still valid. */
  readonly runners: number;
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

/** The configured servers that a commit waits for, and how many are connected; undefined if the role may not ask. */
type Standbys = { readonly names: string; readonly synchronous: number | undefined };

type Looking = Asking & { now(): number };

export async function lookAtShared(looking: Looking): Promise<SharedLook> {
  const { connection, schema, place, server, dataFolder } = looking;
  const times = await roundTrips(looking);
  await refuseSchema(connection, schema, place);
  const journal = await askJournal(connection, schema);
  const folder = ownFolder(dataFolder, journal);
  const notes = notesIn(folder).read();
  const missing = await missingNotes(connection, schema, notes);
  return {
    ...times,
    server,
    schemaVersion,
    standbys: await standbysOf(connection),
    role: await roleOf(connection, schema),
    journal,
    runners: Number((await one(connection, inSchema(schema, countRunners), [journal.leaseMs])).count),
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

const trips = 5;
const askTime = /* sql */ `SELECT ${nowMs} AS now`;

async function roundTrips({ connection, now }: Looking): Promise<Pick<SharedLook, 'latencyMs' | 'aheadMs'>> {
  const made: { tookMs: number; aheadMs: number }[] = [];
  for (let trip = 0; trip < trips; trip += 1) {
    const began = performance.now();
    const { now: theirsMs } = await one(connection, askTime);
    const tookMs = performance.now() - began;
    made.push({ tookMs, aheadMs: now() - tookMs / 2 - Number(theirsMs) });
  }
  made.sort((left, right) => left.tookMs - right.tookMs);
  return { latencyMs: made[Math.floor(trips / 2)]?.tookMs ?? 0, aheadMs: made[0]?.aheadMs ?? 0 };
}

const askStandbys = /* sql */ `SELECT current_setting('synchronous_standby_names') AS names,
  (SELECT CASE WHEN count(*) = count(sync_state) THEN count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) END
   FROM pg_stat_replication) AS synchronous`;

async function standbysOf(connection: PgConnection): Promise<Standbys> {
  const { names, synchronous } = await one(connection, askStandbys);
  return { names: String(names), synchronous: synchronous === null ? undefined : Number(synchronous) };
}

const askRole = /* sql */ `SELECT current_user AS name, rolsuper AS superuser,
  EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname = 'intents' AND pg_has_role(c.relowner, 'USAGE')) AS owns
  FROM pg_roles WHERE rolname = current_user`;

async function roleOf(connection: PgConnection, schema: string): Promise<SharedLook['role']> {
  const { name, superuser, owns } = await one(connection, askRole, [schema]);
  return { name: String(name), isSuperuser: superuser === true, ownsTables: owns === true };
}

const countRunners = /* sql */ `SELECT count(*) AS count FROM @schema.owners WHERE ended_at IS NULL
  AND renewed_at + $1 >= ${nowMs}`;
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

async function one(
  connection: PgConnection,
  sql: string,
  values?: unknown[],
): Promise<Readonly<Record<string, unknown>>> {
  return (await connection.query(sql, values)).rows[0] ?? {};
}

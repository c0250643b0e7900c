import type { Failure } from '../once/failures.ts';
import type { SchemaPart } from '../once/journal/facts.ts';
import { schemaVersion } from '../once/journal/schema.ts';
import type { PgConnection } from './connection.ts';
import { sharedFailure } from './facts.ts';
import { isUnawaited, NotOnStandby } from './faults.ts';
import { noteParts, partsGone, partsNamed, sharedSchema } from './sharedSchema.ts';
import { inMs, inSchema, nowMs, type Row } from './sql.ts';

/**
 * SQL that limits the length of transactions, on servers that can (17 and later). The commit itself may take longer.
 */
function endTransactionsAfter(time: string, inThis: 'session' | 'transaction'): string {
  return /* sql */ `SELECT set_config('transaction_timeout', '${time}', ${inThis === 'transaction'})
    WHERE current_setting('server_version_num')::int >= 170000`;
}

/** Settings for a transaction that changes much and must not be lost. */
const takingItsTime = [
  /* sql */ 'SET LOCAL synchronous_commit = on',
  /* sql */ 'SET LOCAL statement_timeout = 0',
  endTransactionsAfter('0', 'transaction'),
];

/** What a server says about itself when a connection is made. */
export type ServerFacts = {
  readonly versionNumber: number;
  /** It follows another server and accepts no changes. */
  readonly isStandby: boolean;
  /** Its settings forbid changes by this role or in this database. */
  readonly isReadOnly: boolean;
  readonly settings: Readonly<
    Record<'fsync' | 'full_page_writes' | 'synchronous_commit' | 'server_encoding', string>
  >;
  readonly systemId: string;
  readonly timeline: number;
  readonly startedAtMs: number;
  readonly nowMs: number;
};

/** A name that changes with the server, its history and every restart. */
export function nameOfServer({ systemId, timeline, startedAtMs }: ServerFacts): string {
  return `${systemId}/${timeline}/${startedAtMs}`;
}

/** What the journal says about itself. */
export type JournalFacts = {
  readonly id: string;
  /** Absent for a role that may only look. */
  readonly salt: Uint8Array | undefined;
  /** Who asks, as the server says. */
  readonly role: string;
  readonly leaseMs: number;
  /** The servers and timelines that the journal was on, and since when. */
  readonly servers: readonly {
    readonly systemId: string;
    readonly timeline: number;
    readonly sinceMs: number;
  }[];
};

export const session = [
  // Plans that suit a full journal, whatever the statistics of a young one say: each statement needs few rows.
  /* sql */ `SET enable_seqscan = off`,
  /* sql */ `SET enable_mergejoin = off`,
  /* sql */ `SET plan_cache_mode = force_generic_plan`,
  /* sql */ `SET jit = off`,
  /* sql */ `SET synchronous_commit = on`,
  // A statement after a lock must see what was committed before it, so each statement takes a new snapshot.
  /* sql */ `SET default_transaction_isolation = 'read committed'`,
  // If a commit did not wait for the standby, only a warning says so.
  /* sql */ `SET client_min_messages = 'notice'`,
  // A process that is suspended in mid-transaction must not block others.
  /* sql */ `SET idle_in_transaction_session_timeout = '10s'`,
  /* sql */ `SET statement_timeout = '25s'`,
  // Nor must one that is cut off: while a question is incomplete, its silence does not count as idle.
  endTransactionsAfter('20s', 'session'),
  /* sql */ `SELECT set_config('idle_session_timeout', '0', false)
    WHERE current_setting('server_version_num')::int >= 140000`,
  /* sql */ 'SET tcp_keepalives_idle = 5',
  /* sql */ 'SET tcp_keepalives_interval = 2',
  /* sql */ 'SET tcp_keepalives_count = 3',
  /* sql */ `SET tcp_user_timeout = '10s'`,
];

const aboutServer = /* sql */ `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS standby,
  current_setting('default_transaction_read_only')::boolean AS read_only,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_commit') AS synchronous_commit, current_setting('server_encoding') AS server_encoding,
  has_function_privilege('pg_control_system()', 'EXECUTE') AS tells_system, pg_backend_pid() AS pid, ${inMs('pg_postmaster_start_time()')} AS started, ${nowMs} AS now,
  CASE WHEN pg_is_in_recovery() THEN 0
    ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int END AS timeline`;

const aboutSystem = /* sql */ `SELECT system_identifier::text AS id FROM pg_control_system()`;

export async function askServer(connection: PgConnection): Promise<ServerFacts> {
  const answers = await connection.all([...session, connection.introduction, aboutServer]);
  const row = answers.at(-1)?.rows[0] ?? {};
  return serverFacts(connection, row, await rowIf(row.tells_system, connection, aboutSystem));
}

/** Sets up a connection without asking the server about itself. */
export async function introduce(connection: PgConnection): Promise<void> {
  const answers = await connection.all([
    ...session,
    connection.introduction,
    /* sql */ 'SELECT pg_backend_pid() AS pid',
  ]);
  connection.introducedTo(Number(answers.at(-1)?.rows[0]?.pid));
}

function serverFacts(connection: PgConnection, row: Row, system: Row | undefined): ServerFacts {
  connection.introducedTo(Number(row.pid));
  const setting = (name: string): string => String(row[name]);
  return {
    versionNumber: Number(row.version),
    isStandby: row.standby === true,
    isReadOnly: row.read_only === true,
    settings: {
      fsync: setting('fsync'),
      full_page_writes: setting('full_page_writes'),
      synchronous_commit: setting('synchronous_commit'),
      server_encoding: setting('server_encoding'),
    },
    // Some managed servers do not allow this question.
    systemId: system === undefined ? '' : String(system.id),
    timeline: Number(row.timeline),
    startedAtMs: Number(row.started),
    nowMs: Number(row.now),
  };
}

/** Asks only if the role may: a refused question would appear in the server's log as an error. */
async function rowIf(mayAsk: unknown, connection: PgConnection, sql: string): Promise<Row | undefined> {
  return mayAsk === true ? (await connection.query(sql)).rows[0] : undefined;
}

const aboutJournal = /* sql */ `SELECT has_table_privilege('@schema.salt', 'SELECT') AS tells_salt, session_user AS role,
  encode(m.id, 'hex') AS id, m.lease,
  (SELECT coalesce(json_agg(json_build_object('systemId', system_id, 'timeline', timeline, 'sinceMs', since_ms)), '[]')
   FROM @schema.servers)::text AS servers
  FROM (SELECT (SELECT value FROM @schema.meta WHERE name = 'journal-id') AS id,
    (SELECT convert_from(value, 'UTF8') FROM @schema.meta WHERE name = 'lease-ms') AS lease) m`;

const readSalt = /* sql */ `SELECT value FROM @schema.salt WHERE name = 'salt'`;

export async function askJournal(connection: PgConnection, schema: string): Promise<JournalFacts> {
  const row = (await connection.query(inSchema(schema, aboutJournal))).rows[0] ?? {};
  return journalFacts(row, await rowIf(row.tells_salt, connection, inSchema(schema, readSalt)));
}

function journalFacts(row: Row, salt: Row | undefined): JournalFacts {
  return {
    id: String(row.id),
    salt: salt?.value as Uint8Array | undefined,
    role: String(row.role),
    leaseMs: Number(row.lease),
    servers: JSON.parse(String(row.servers)) as JournalFacts['servers'],
  };
}

/**
 * Asks for everything in one round trip, if nothing is refused and the journal is of this release. A role that only
 * looks may lack rights for some of it and needs two. In any other case it returns undefined, and the caller asks step
 * by step to find out what is wrong.
 */
export async function askAll(
  connection: PgConnection,
  schema: string,
  use: 'send' | 'look',
): Promise<{ readonly server: ServerFacts; readonly journal: JournalFacts } | undefined> {
  const salted = inSchema(schema, readSalt);
  const forAll = [aboutServer, readVersion, aboutJournal].map((sql) => inSchema(schema, sql));
  const forSome = use === 'send' ? [aboutSystem, salted, inSchema(schema, partsGone)] : [];
  try {
    const answers = await connection.all([...session, connection.introduction, ...forAll, ...forSome]);
    const rows = answers.slice(session.length + 1).map((answer) => answer.rows[0]);
    const [server = {}, version, journal = {}, toldSystem, toldSalt, gone] = rows;
    if (Number(version?.version) !== schemaVersion) return undefined;
    if (gone !== undefined) return undefined;
    const system = use === 'send' ? toldSystem : await rowIf(server.tells_system, connection, aboutSystem);
    const salt = use === 'send' ? toldSalt : await rowIf(journal.tells_salt, connection, salted);
    return { server: serverFacts(connection, server, system), journal: journalFacts(journal, salt) };
  } catch (error) {
    if (connection.isBroken) throw error;
    return undefined;
  }
}

const leastVersion = 15;

/** Why this server cannot be used; undefined if it can. */
export function refusalOfServer(server: ServerFacts, place: string): Failure | undefined {
  const version = Math.floor(server.versionNumber / 10_000);
  if (version < leastVersion) return sharedFailure('server-too-old', { place, version, least: leastVersion });
  const encoding = server.settings.server_encoding;
  return encoding === 'UTF8' ? undefined : sharedFailure('not-utf8', { place, encoding });
}

/** Why nothing may be sent through this journal. */
export function refusalToSend(
  server: ServerFacts,
  journal: JournalFacts,
  place: string,
): Failure | undefined {
  if (server.isStandby) return sharedFailure('standby-only', { place });
  if (server.isReadOnly) return sharedFailure('role-reads-only', { place });
  const wanted = 'synchronous_commit';
  // The connection has asked for it. A server on which it is still off acknowledges commits that it may lose.
  if (server.settings[wanted] !== 'on') return sharedFailure('not-durable', { place, setting: wanted });
  return journal.salt === undefined ? sharedFailure('no-salt', { place }) : undefined;
}

/** Refuses anything that is not a journal of this release. */
export async function refuseSchema(connection: PgConnection, schema: string, place: string): Promise<void> {
  const state = await schemaStateOf(connection, schema);
  switch (state.is) {
    case 'current': {
      const lacks = await missingParts(connection, schema);
      if (lacks.length > 0) throw sharedFailure('schema-changed', { place, lacks });
      return;
    }
    case 'missing':
      throw sharedFailure('schema-missing', {
        place,
        schema,
        ownersUrl: await ownersUrl(connection, schema),
      });
    case 'newer':
      throw sharedFailure('schema-newer', { place, version: state.version, known: schemaVersion });
    case 'unreleased':
      throw sharedFailure('schema-unreleased', { place });
    case 'foreign':
      throw sharedFailure('schema-foreign', { place, schema });
  }
}

/** What somebody took away from the schema, or switched off. */
async function missingParts(connection: PgConnection, schema: string): Promise<SchemaPart[]> {
  const { rows } = await connection.query(inSchema(schema, partsGone));
  return partsNamed(rows.map(({ part }) => String(part)));
}

const whoOwns = /* sql */ `SELECT current_user AS self, coalesce(
    (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = $1
      AND pg_get_userbyid(nspowner) <> 'pg_database_owner'),
    pg_get_userbyid(datdba)) AS owner
  FROM pg_database WHERE datname = current_database()`;

/** The URL for the role that may create or change the journal, if it is another role than this one. */
async function ownersUrl(connection: PgConnection, schema: string): Promise<string | undefined> {
  const [row] = (await connection.query(whoOwns, [schema])).rows;
  return row === undefined || row.owner === row.self ? undefined : connection.urlFor(String(row.owner));
}

/** The part of a connection that is needed here. */
type SqlClient = {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly command: string; readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  /** SQL that fails if another server process answers than before. */
  readonly here?: string;
  readonly warnings?: readonly string[];
};

type SchemaState =
  | { readonly is: 'missing' }
  | { readonly is: 'current' }
  | { readonly is: 'newer'; readonly version: number }
  /** It was made before the first release, when version numbers had another meaning. */
  | { readonly is: 'unreleased' }
  /** There is a table meta, but it is not a journal's. */
  | { readonly is: 'foreign' };

const readVersion = /* sql */ `SELECT convert_from(value, 'UTF8') AS version FROM @schema.meta WHERE name = 'journal-version'`;

const readUnreleased = /* sql */ `SELECT FROM @schema.meta v JOIN @schema.meta j ON j.name = 'journal-id'
  WHERE v.name = 'version'`;

/** Asks the server's catalogue first: a question about a missing table would appear in its log as an error. */
export async function schemaStateOf(client: SqlClient, schema: string): Promise<SchemaState> {
  const { rows: columns } = await client.query(columnsOfMeta, [schema]);
  if (columns.length === 0) return { is: 'missing' };
  const isOurs = columns.some(({ name, type }) => name === 'value' && type === 'bytea');
  if (!isOurs || !columns.some(({ name }) => name === 'name')) return { is: 'foreign' };
  const [row] = (await client.query(inSchema(schema, readVersion))).rows;
  if (row !== undefined) return stateOf(Number(row.version));
  const unreleased = await client.query(inSchema(schema, readUnreleased));
  return { is: unreleased.rows.length > 0 ? 'unreleased' : 'foreign' };
}

const columnsOfMeta = /* sql */ `SELECT a.attname AS name, a.atttypid::regtype::text AS type FROM pg_namespace n
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'meta' JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
  WHERE n.nspname = $1`;

function stateOf(version: number): SchemaState {
  if (!Number.isSafeInteger(version) || version < 1) return { is: 'foreign' };
  if (version === schemaVersion) return { is: 'current' };
  return version < schemaVersion ? { is: 'unreleased' } : { is: 'newer', version };
}

type Migrated =
  | { readonly is: 'migrated'; readonly from: number; readonly to: number }
  | { readonly is: 'current' }
  | Exclude<SchemaState, { readonly is: 'missing' | 'current' }>;

/**
 * Creates the schema or brings it up to date. Only one process does so at a time; one that waited finds it done.
 * `random` must be a cryptographically strong source of bytes.
 */
export async function migrate(
  client: SqlClient,
  schema: string,
  random: (size: number) => Uint8Array,
): Promise<Migrated> {
  await client.query(/* sql */ 'SELECT pg_advisory_lock($1, hashtext($2))', [lockClass, schema]);
  try {
    const state = await schemaStateOf(client, schema);
    if (state.is !== 'missing') return state;
    await make(client, schema, random);
    return { is: 'migrated', from: 0, to: schemaVersion };
  } finally {
    // Losing the connection releases the lock too.
    await client
      .query(/* sql */ 'SELECT pg_advisory_unlock($1, hashtext($2))', [lockClass, schema])
      .catch(() => undefined);
  }
}

// 'botc'. Locks with two numbers cannot collide with locks with one.
const lockClass = 0x626f7463;

async function make(client: SqlClient, schema: string, random: (size: number) => Uint8Array): Promise<void> {
  const run = (sql: string, values?: unknown[]): ReturnType<SqlClient['query']> =>
    client.query(inSchema(schema, sql), values);
  await run('BEGIN');
  try {
    await run(/* sql */ `SELECT ${client.here ?? 'true'}`);
    for (const setting of takingItsTime) await run(setting);
    if (!(await exists(client, schema))) await run(/* sql */ 'CREATE SCHEMA @schema');
    await run(sharedSchema);
    await run(/* sql */ `INSERT INTO @schema.salt (name, value) VALUES ('salt', $1)`, [
      Buffer.from(random(32)),
    ]);
    await run(
      /* sql */ `INSERT INTO @schema.meta (name, value) VALUES ('journal-id', $1), ('lease-ms', '30000'),
        ('journal-version', '${schemaVersion}')`,
      [Buffer.from(random(16))],
    );
    await run(noteParts);
    await run('COMMIT');
  } catch (error) {
    await run('ROLLBACK').catch(() => undefined);
    throw error;
  }
  if (isUnawaited(client)) throw new NotOnStandby();
}

/** CREATE SCHEMA IF NOT EXISTS needs the right to create one even if it exists. */
async function exists(client: SqlClient, schema: string): Promise<boolean> {
  const { rows } = await client.query(/* sql */ 'SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  return rows.length > 0;
}

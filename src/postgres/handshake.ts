import { randomBytes } from 'node:crypto';
import type { Failure } from '../once/failures.ts';
import { schemaVersion } from '../once/journal/schema.ts';
import type { PgConnection } from './connection.ts';
import { sharedFailure } from './failures.ts';
import { isUnawaited, NotOnStandby } from './serverErrors.ts';
import { sharedSchema } from './sharedSchema.ts';
import { inMs, nowMs, onlyIn, quotedName, type SqlRow, tablesIn } from './sql.ts';

/**
 * SQL that limits the length of transactions, on servers that can (17 and later). The commit itself may take longer.
 */
function endTransactionsAfter(time: string, inThis: 'session' | 'transaction'): string {
  return /* sql */ `SELECT set_config('transaction_timeout', '${time}', ${inThis === 'transaction'})
    WHERE current_setting('server_version_num')::int >= 170000`;
}

/** Settings for a transaction that changes much and must not be lost. */
export const takingItsTime = [
  /* sql */ 'SET LOCAL synchronous_commit = on',
  /* sql */ 'SET LOCAL statement_timeout = 0',
  endTransactionsAfter('0', 'transaction'),
];

/** What a server says about itself when a connection is made. */
export type ServerFacts = ReturnType<typeof serverFacts>;

/** What the journal says about itself. */
export type JournalFacts = ReturnType<typeof journalFacts>;

const session = [
  /* sql */ `SET synchronous_commit = on`,
  // A statement after a lock must see what was committed before it, so each statement takes a new snapshot.
  /* sql */ `SET default_transaction_isolation = 'read committed'`,
  // If a commit did not wait for the standby, only a warning says so.
  /* sql */ `SET client_min_messages = 'notice'`,
  // A process that is suspended in mid-transaction must not block others.
  /* sql */ `SET idle_in_transaction_session_timeout = '10s'`,
  /* sql */ `SET statement_timeout = '25s'`,
  // Nor may one that is cut off: while a question is incomplete, the server does not count the silence as idle.
  endTransactionsAfter('20s', 'session'),
  /* sql */ `SELECT set_config('idle_session_timeout', '0', false)
    WHERE current_setting('server_version_num')::int >= 140000`,
  /* sql */ 'SET tcp_keepalives_idle = 5',
  /* sql */ 'SET tcp_keepalives_interval = 2',
  /* sql */ 'SET tcp_keepalives_count = 3',
  /* sql */ `SET tcp_user_timeout = '10s'`,
];

/** A standby does not report its timeline. */
const timelineNow = /* sql */ `CASE WHEN pg_is_in_recovery() THEN 0
    ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int END`;

const aboutServer = /* sql */ `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS standby,
  current_setting('default_transaction_read_only')::boolean AS read_only,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_commit') AS synchronous_commit, current_setting('server_encoding') AS server_encoding,
  pg_backend_pid() AS pid, ${inMs('pg_postmaster_start_time()')} AS started, ${nowMs} AS now,
  ${timelineNow} AS timeline`;

export async function askServer(connection: PgConnection): Promise<ServerFacts> {
  const answers = await connection.all([...session, connection.introduction, aboutServer]);
  return serverFacts(connection, answers.at(-1)?.rows[0] ?? {});
}

function serverFacts(connection: PgConnection, row: SqlRow) {
  connection.introducedTo(Number(row.pid));
  const setting = (name: string): string => String(row[name]);
  return {
    versionNumber: Number(row.version),
    /** It follows another server and accepts no changes. */
    isStandby: row.standby === true,
    /** Its settings forbid changes by this role or in this database. */
    isReadOnly: row.read_only === true,
    settings: {
      fsync: setting('fsync'),
      full_page_writes: setting('full_page_writes'),
      synchronous_commit: setting('synchronous_commit'),
      server_encoding: setting('server_encoding'),
    },
    /** The server's history: a standby that is promoted begins another. */
    timeline: Number(row.timeline),
    startedAtMs: Number(row.started),
    nowMs: Number(row.now),
  };
}

function aboutJournal(schema: string): string {
  const table = tablesIn(schema);
  const meta = table('meta');
  return /* sql */ `SELECT (SELECT encode(value, 'hex') FROM ${meta} WHERE name = 'journal-id') AS id,
    (SELECT value FROM ${meta} WHERE name = 'salt') AS salt,
    (SELECT convert_from(value, 'UTF8') FROM ${meta} WHERE name = 'lease-ms') AS lease,
    session_user AS role, has_any_column_privilege('${table('entries')}', 'INSERT') AS may_add,
    (SELECT min(begun_at) FROM ${table('owners')} WHERE timeline = ${timelineNow}) AS timeline_since`;
}

export async function askJournal(connection: PgConnection, schema: string): Promise<JournalFacts> {
  return journalFacts((await connection.query(aboutJournal(schema))).rows[0] ?? {});
}

function journalFacts(row: SqlRow) {
  return {
    id: String(row.id),
    salt: row.salt as Uint8Array,
    /** The role that asks, according to the server, and whether it may add to the journal. */
    role: String(row.role),
    mayAdd: row.may_add === true,
    leaseMs: Number(row.lease),
    /** When the first owner began on the server's present timeline. */
    timelineSinceMs: row.timeline_since === null ? undefined : Number(row.timeline_since),
  };
}

/**
 * Asks for everything in one round trip, if nothing is refused and the journal is of this release. In any other case it
 * returns undefined, and the caller asks step by step to find out what is wrong.
 */
export async function askAll(
  connection: PgConnection,
  schema: string,
): Promise<{ readonly server: ServerFacts; readonly journal: JournalFacts } | undefined> {
  const asked = [aboutServer, readVersion(schema), aboutJournal(schema)];
  try {
    const answers = await connection.all([...session, connection.introduction, ...asked]);
    const [server = {}, version, journal = {}] = answers.slice(session.length + 1).map(({ rows }) => rows[0]);
    if (Number(version?.version) !== schemaVersion) return undefined;
    return { server: serverFacts(connection, server), journal: journalFacts(journal) };
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
  // The connection has turned it on. A server on which it is still off acknowledges commits that it may lose.
  if (server.settings[wanted] !== 'on') return sharedFailure('not-durable', { place, setting: wanted });
  return journal.mayAdd ? undefined : sharedFailure('may-only-look', { place });
}

/** Refuses anything that is not a journal of this release. */
export async function refuseSchema(connection: PgConnection, schema: string, place: string): Promise<void> {
  const state = await schemaStateOf(connection, schema);
  switch (state.is) {
    case 'current':
      return;
    case 'missing':
      throw sharedFailure('schema-missing', {
        place,
        schema,
        ownersUrl: await ownersUrl(connection, schema),
      });
    case 'other-version':
      throw sharedFailure('other-version', { place, version: state.version, known: schemaVersion });
    case 'foreign':
      throw sharedFailure('schema-foreign', { place, schema });
  }
}

const whoOwns = /* sql */ `SELECT current_user AS self, coalesce(
    (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = $1
      AND pg_get_userbyid(nspowner) <> 'pg_database_owner'),
    pg_get_userbyid(datdba)) AS owner
  FROM pg_database WHERE datname = current_database()`;

/** The role that may create or change the journal; undefined if it is this one. */
export async function ownerOf(connection: PgConnection, schema: string): Promise<string | undefined> {
  const [row] = (await connection.query(whoOwns, [schema])).rows;
  return row === undefined || row.owner === row.self ? undefined : String(row.owner);
}

async function ownersUrl(connection: PgConnection, schema: string): Promise<string | undefined> {
  const owner = await ownerOf(connection, schema);
  return owner === undefined ? undefined : connection.urlFor(owner);
}

type SqlClient = Pick<PgConnection, 'query'> & Partial<Pick<PgConnection, 'here' | 'warnings'>>;

const readVersion = (schema: string): string =>
  /* sql */ `SELECT convert_from(value, 'UTF8') AS version FROM ${tablesIn(schema)('meta')} WHERE name = 'journal-version'`;

/** Asks the server's catalogue first: a question about a missing table would appear in its log as an error. */
export async function schemaStateOf(client: SqlClient, schema: string) {
  const { rows: columns } = await client.query(columnsOfMeta, [schema]);
  if (columns.length === 0) return { is: 'missing' } as const;
  const isOurs = columns.some(({ name, type }) => name === 'value' && type === 'bytea');
  // There is a table meta, but it is not a journal's.
  if (!isOurs || !columns.some(({ name }) => name === 'name')) return { is: 'foreign' } as const;
  const [row] = (await client.query(readVersion(schema))).rows;
  const version = Number(row?.version);
  if (!Number.isSafeInteger(version)) return { is: 'foreign' } as const;
  return version === schemaVersion
    ? ({ is: 'current' } as const)
    : ({ is: 'other-version', version } as const);
}

const columnsOfMeta = /* sql */ `SELECT a.attname AS name, a.atttypid::regtype::text AS type FROM pg_namespace n
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'meta' JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
  WHERE n.nspname = $1`;

/**
 * Creates the schema if it does not exist, and returns what was there. Only one process does so at a time; one that
 * waited finds it done.
 */
export async function migrate(client: SqlClient, schema: string) {
  await client.query(/* sql */ 'SELECT pg_advisory_lock($1, hashtext($2))', [lockClass, schema]);
  try {
    const state = await schemaStateOf(client, schema);
    if (state.is === 'missing') await make(client, schema);
    return state;
  } finally {
    // Losing the connection releases the lock too.
    await client
      .query(/* sql */ 'SELECT pg_advisory_unlock($1, hashtext($2))', [lockClass, schema])
      .catch(() => undefined);
  }
}

// 'botc'. Locks with two numbers cannot collide with locks with one.
const lockClass = 0x626f7463;

async function make(client: SqlClient, schema: string): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(/* sql */ `SELECT ${client.here ?? 'true'}`);
    for (const setting of takingItsTime) await client.query(setting);
    if (!(await exists(client, schema))) await client.query(/* sql */ `CREATE SCHEMA ${quotedName(schema)}`);
    await client.query(onlyIn(schema));
    await client.query(sharedSchema);
    await client.query(
      /* sql */ `INSERT INTO meta (name, value) VALUES ('journal-id', $1), ('salt', $2),
        ('lease-ms', '30000'), ('journal-version', '${schemaVersion}')`,
      [randomBytes(16), randomBytes(32)],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
  if (isUnawaited(client)) throw new NotOnStandby();
}

/** CREATE SCHEMA IF NOT EXISTS needs the right to create one even if it exists. */
async function exists(client: SqlClient, schema: string): Promise<boolean> {
  const { rows } = await client.query(/* sql */ 'SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  return rows.length > 0;
}

import type { Failure } from '../once/failures.ts';
import type { JournalPolicy } from '../once/journal/journal.ts';
import type { PgConnection } from './connection.ts';
import { sharedFailure } from './facts.ts';
import { inMs, nowMs, type Row } from './rows.ts';
import { inSchema, migrations } from './schema/migrations.ts';

/** SQL, for servers that know how to (17 and later). The commit itself may take longer. */
function endTransactionsAfter(time: string, inThis: 'session' | 'transaction'): string {
  return /* sql */ `SELECT set_config('transaction_timeout', '${time}', ${inThis === 'transaction'})
    WHERE current_setting('server_version_num')::int >= 170000`;
}

/** What a server says of itself when a line to it is made. */
export type ServerFacts = {
  readonly versionNumber: number;
  /** It follows another one, and takes nothing. */
  readonly isStandby: boolean;
  /** It takes nothing from this role, or in this database, as it is set. */
  readonly isReadOnly: boolean;
  readonly settings: Readonly<
    Record<'fsync' | 'full_page_writes' | 'synchronous_commit' | 'server_encoding', string>
  >;
  readonly systemId: string;
  readonly timeline: number;
  readonly startedAtMs: number;
  readonly nowMs: number;
};

/** Another one, another history of the same, or one that was started anew, has another name. */
export function nameOfServer({ systemId, timeline, startedAtMs }: ServerFacts): string {
  return `${systemId}/${timeline}/${startedAtMs}`;
}

/** What the journal says of itself. */
export type JournalFacts = {
  readonly id: string;
  /** Absent for who may only look. */
  readonly salt: Uint8Array | undefined;
  readonly leaseMs: number;
  readonly acceptedDurability: boolean;
  /** Where it was copied to, if it was: then it sends nothing more. */
  /** What whoever sends through it is held to. */
  readonly policy: JournalPolicy | undefined;
  /** The servers and timelines that it was on, and since when. */
  readonly servers: readonly {
    readonly systemId: string;
    readonly timeline: number;
    readonly sinceMs: number;
  }[];
};

export const session = [
  // Shapes that hold for a full journal, whatever a young one's statistics say: each statement asks for few rows.
  /* sql */ `SET enable_seqscan = off`,
  /* sql */ `SET enable_mergejoin = off`,
  /* sql */ `SET plan_cache_mode = force_generic_plan`,
  /* sql */ `SET jit = off`,
  /* sql */ `SET synchronous_commit = on`,
  // What follows a lock must see what was committed before it: no snapshot is older than its statement.
  /* sql */ `SET default_transaction_isolation = 'read committed'`,
  // That a commit was not waited for is told by a warning.
  /* sql */ `SET client_min_messages = 'notice'`,
  // A process that is stopped in the middle must not keep others out.
  /* sql */ `SET idle_in_transaction_session_timeout = '10s'`,
  /* sql */ `SET statement_timeout = '25s'`,
  // Nor one that is cut off: in the midst of a question its silence does not count as idle.
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

export async function askServer(line: PgConnection): Promise<ServerFacts> {
  const answers = await line.all([...session, line.introduction, aboutServer]);
  const row = answers.at(-1)?.rows[0] ?? {};
  return serverFacts(line, row, await rowIf(row.tells_system, line, aboutSystem));
}

/** Settles how this side of a line is spoken with, where nothing is asked of the server itself. */
export async function introduce(line: PgConnection): Promise<void> {
  const answers = await line.all([...session, line.introduction, /* sql */ 'SELECT pg_backend_pid() AS pid']);
  line.introducedTo(Number(answers.at(-1)?.rows[0]?.pid));
}

function serverFacts(line: PgConnection, row: Row, system: Row | undefined): ServerFacts {
  line.introducedTo(Number(row.pid));
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
    // Some managed servers let nobody ask.
    systemId: system === undefined ? '' : String(system.id),
    timeline: Number(row.timeline),
    startedAtMs: Number(row.started),
    nowMs: Number(row.now),
  };
}

/** What not everybody may ask: a question that is refused would stand in the server's log. */
async function rowIf(mayAsk: unknown, line: PgConnection, sql: string): Promise<Row | undefined> {
  return mayAsk === true ? (await line.query(sql)).rows[0] : undefined;
}

const aboutJournal = /* sql */ `SELECT has_table_privilege('@schema.salt', 'SELECT') AS tells_salt,
  encode(m.id, 'hex') AS id, m.lease, m.durability,
  (SELECT json_build_object('number', seq, 'text', text) FROM @schema.policies ORDER BY seq DESC LIMIT 1)::text AS policy,
  (SELECT coalesce(json_agg(json_build_object('systemId', system_id, 'timeline', timeline, 'sinceMs', since_ms)), '[]')
   FROM @schema.servers)::text AS servers
  FROM (SELECT (SELECT value FROM @schema.meta WHERE name = 'journal-id') AS id,
    (SELECT convert_from(value, 'UTF8') FROM @schema.meta WHERE name = 'lease-ms') AS lease,
    EXISTS (SELECT FROM @schema.meta WHERE name = 'durability') AS durability) m`;

const readSalt = /* sql */ `SELECT value FROM @schema.salt WHERE name = 'salt'`;

export async function askJournal(line: PgConnection, schema: string): Promise<JournalFacts> {
  const row = (await line.query(inSchema(schema, aboutJournal))).rows[0] ?? {};
  return journalFacts(row, await rowIf(row.tells_salt, line, inSchema(schema, readSalt)));
}

function journalFacts(row: Row, salt: Row | undefined): JournalFacts {
  return {
    id: String(row.id),
    salt: salt?.value as Uint8Array | undefined,
    leaseMs: Number(row.lease),
    acceptedDurability: row.durability === true,
    policy: row.policy === null ? undefined : (JSON.parse(String(row.policy)) as JournalPolicy),
    servers: JSON.parse(String(row.servers)) as JournalFacts['servers'],
  };
}

/**
 * All of it in one round trip, for who is to send: where nothing of it is refused and the journal is of this release.
 * Who looks may not be told everything, and asks in two. Anywhere else it is asked for piece by piece, so that one can
 * say what is wrong.
 */
export async function askAll(
  line: PgConnection,
  schema: string,
  use: 'send' | 'look',
): Promise<{ readonly server: ServerFacts; readonly journal: JournalFacts } | undefined> {
  const salted = inSchema(schema, readSalt);
  const forAll = [aboutServer, readVersion, aboutJournal].map((sql) => inSchema(schema, sql));
  const forSome = use === 'send' ? [aboutSystem, salted] : [];
  try {
    const answers = await line.all([...session, line.introduction, ...forAll, ...forSome]);
    const rows = answers.slice(session.length + 1).map((answer) => answer.rows[0]);
    const [server = {}, version, journal = {}, ...told] = rows;
    if (Number(version?.version) !== schemaVersion) return undefined;
    const system = use === 'send' ? told[0] : await rowIf(server.tells_system, line, aboutSystem);
    const salt = use === 'send' ? told[1] : await rowIf(journal.tells_salt, line, salted);
    return { server: serverFacts(line, server, system), journal: journalFacts(journal, salt) };
  } catch (error) {
    if (line.isBroken) throw error;
    return undefined;
  }
}

const leastVersion = 15;

/** Why nothing is asked of this server; undefined where it may be. */
export function refusalOfServer(server: ServerFacts, place: string): Failure | undefined {
  const version = Math.floor(server.versionNumber / 10_000);
  if (version < leastVersion) return sharedFailure('server-too-old', { place, version, least: leastVersion });
  const encoding = server.settings.server_encoding;
  return encoding === 'UTF8' ? undefined : sharedFailure('not-utf8', { place, encoding });
}

/** Why nothing is sent through this journal. */
export function refusalToSend(
  server: ServerFacts,
  journal: JournalFacts,
  place: string,
): Failure | undefined {
  if (server.isStandby) return sharedFailure('standby-only', { place });
  if (server.isReadOnly) return sharedFailure('role-reads-only', { place });
  const wanted = 'synchronous_commit';
  // Asked for when the line was made: a server that does not do it even so acknowledges what it may lose.
  if (server.settings[wanted] !== 'on') return sharedFailure('not-durable', { place, setting: wanted });
  const off = (['fsync', 'full_page_writes'] as const).find((name) => server.settings[name] !== 'on');
  if (off !== undefined && !journal.acceptedDurability)
    return sharedFailure('not-durable', { place, setting: off });
  return journal.salt === undefined ? sharedFailure('no-salt', { place }) : undefined;
}

/** Refuses what is not a journal of this release. */
export async function refuseSchema(line: PgConnection, schema: string, place: string): Promise<void> {
  const state = await schemaStateOf(line, schema);
  switch (state.is) {
    case 'current':
      return;
    case 'missing':
      throw sharedFailure('schema-missing', { place, schema, ownersUrl: await ownersUrl(line, schema) });
    case 'older':
      throw sharedFailure('schema-older', {
        ...{ place, version: state.version, needed: schemaVersion },
        ownersUrl: await ownersUrl(line, schema),
      });
    case 'newer':
      throw sharedFailure('schema-newer', { place, version: state.version, known: schemaVersion });
    case 'unreleased':
      throw sharedFailure('schema-unreleased', { place });
    case 'foreign':
      throw sharedFailure('schema-foreign', { place, schema });
  }
}

const whoOwns = /* sql */ `SELECT current_user AS self, coalesce(
    (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = $1
      AND pg_get_userbyid(nspowner) <> 'pg_database_owner'),
    pg_get_userbyid(datdba)) AS owner
  FROM pg_database WHERE datname = current_database()`;

/** For whoever may make or change it, where that is another role than this one. */
async function ownersUrl(line: PgConnection, schema: string): Promise<string | undefined> {
  const [row] = (await line.query(whoOwns, [schema])).rows;
  return row === undefined || row.owner === row.self ? undefined : line.urlFor(String(row.owner));
}

/** As much of a connection as is needed here. */
type SqlClient = {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly command: string; readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  /** SQL that fails where another process of the server answers than did before. */
  readonly here?: string;
};

type SchemaState =
  | { readonly is: 'missing' }
  | { readonly is: 'older'; readonly version: number }
  | { readonly is: 'current' }
  | { readonly is: 'newer'; readonly version: number }
  /** Its versions were counted before the first release, and mean something else. */
  | { readonly is: 'unreleased' }
  /** There is a table meta, but not that of a journal. */
  | { readonly is: 'foreign' };

export const schemaVersion = migrations.length;

const readVersion = /* sql */ `SELECT convert_from(value, 'UTF8') AS version FROM @schema.meta WHERE name = 'journal-version'`;

const readUnreleased = /* sql */ `SELECT FROM @schema.meta v JOIN @schema.meta j ON j.name = 'journal-id'
  WHERE v.name = 'version'`;

/** By the server's catalogue first: a question about what is not there would stand in its log as an error. */
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
  return { is: version < schemaVersion ? 'older' : 'newer', version };
}

type Migrated =
  | { readonly is: 'migrated'; readonly from: number; readonly to: number }
  | { readonly is: 'current' }
  | Exclude<SchemaState, { readonly is: 'missing' | 'older' | 'current' }>;

/**
 * Brings the schema up to date, made new if it is not there. One at a time: whoever waited finds it done. `random`
 * gives as many bytes as it is asked for, from the strongest source there is.
 */
export async function migrate(
  client: SqlClient,
  schema: string,
  random: (size: number) => Uint8Array,
): Promise<Migrated> {
  await client.query(/* sql */ 'SELECT pg_advisory_lock($1, hashtext($2))', [lockClass, schema]);
  try {
    const state = await schemaStateOf(client, schema);
    if (state.is !== 'missing' && state.is !== 'older') return state;
    const from = state.is === 'missing' ? 0 : state.version;
    for (let version = from + 1; version <= schemaVersion; version += 1) {
      await takeStep(client, schema, version, random);
    }
    return { is: 'migrated', from, to: schemaVersion };
  } finally {
    // With the connection the lock is gone, too.
    await client
      .query(/* sql */ 'SELECT pg_advisory_unlock($1, hashtext($2))', [lockClass, schema])
      .catch(() => undefined);
  }
}

// 'botc'. Locks of two numbers are apart from those of one.
const lockClass = 0x626f7463;

async function takeStep(
  client: SqlClient,
  schema: string,
  version: number,
  random: (size: number) => Uint8Array,
): Promise<void> {
  const run = (sql: string, values: unknown[] = []): ReturnType<SqlClient['query']> =>
    client.query(inSchema(schema, sql), values.length === 0 ? undefined : values);
  await run('BEGIN');
  try {
    await run(/* sql */ `SELECT ${client.here ?? 'true'}`);
    await run(/* sql */ 'SET LOCAL synchronous_commit = on; SET LOCAL statement_timeout = 0');
    await run(endTransactionsAfter('0', 'transaction'));
    if (version === 1 && !(await exists(client, schema))) await run(/* sql */ 'CREATE SCHEMA @schema');
    await run(migrations[version - 1] ?? '');
    if (version === 1) {
      await run(/* sql */ `INSERT INTO @schema.salt (name, value) VALUES ('salt', $1)`, [
        Buffer.from(random(32)),
      ]);
      await run(
        /* sql */ `INSERT INTO @schema.meta (name, value) VALUES ('journal-id', $1), ('lease-ms', '30000')`,
        [Buffer.from(random(16))],
      );
    }
    await run(
      /* sql */ `INSERT INTO @schema.meta (name, value) VALUES ('journal-version', convert_to($1, 'UTF8'))
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [String(version)],
    );
    await run('COMMIT');
  } catch (error) {
    await run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** CREATE SCHEMA IF NOT EXISTS asks for the right to make one even where it is there. */
async function exists(client: SqlClient, schema: string): Promise<boolean> {
  const { rows } = await client.query(/* sql */ 'SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  return rows.length > 0;
}

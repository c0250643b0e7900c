import type { JournalPolicy } from '../journal.ts';
import type { Line } from './line.ts';
import { readVersion, schemaVersion } from './migrate.ts';
import { inSchema } from './migrations.ts';
import type { Row } from './rows.ts';
import { inMs, nowMs } from './serverTime.ts';
import { endTransactionsAfter } from './transactionTimeout.ts';

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
  `SET enable_seqscan = off`,
  `SET enable_mergejoin = off`,
  `SET plan_cache_mode = force_generic_plan`,
  `SET jit = off`,
  `SET synchronous_commit = on`,
  // What follows a lock must see what was committed before it: no snapshot is older than its statement.
  `SET default_transaction_isolation = 'read committed'`,
  // That a commit was not waited for is told by a warning.
  `SET client_min_messages = 'notice'`,
  // A process that is stopped in the middle must not keep others out.
  `SET idle_in_transaction_session_timeout = '10s'`,
  `SET statement_timeout = '25s'`,
  // Nor one that is cut off: in the midst of a question its silence does not count as idle.
  endTransactionsAfter('20s', 'session'),
  `SELECT set_config('idle_session_timeout', '0', false)
    WHERE current_setting('server_version_num')::int >= 140000`,
  'SET tcp_keepalives_idle = 5',
  'SET tcp_keepalives_interval = 2',
  'SET tcp_keepalives_count = 3',
  `SET tcp_user_timeout = '10s'`,
];

const aboutServer = `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS standby,
  current_setting('default_transaction_read_only')::boolean AS read_only,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_commit') AS synchronous_commit, current_setting('server_encoding') AS server_encoding,
  has_function_privilege('pg_control_system()', 'EXECUTE') AS tells_system, pg_backend_pid() AS pid, ${inMs('pg_postmaster_start_time()')} AS started, ${nowMs} AS now,
  CASE WHEN pg_is_in_recovery() THEN 0
    ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int END AS timeline`;

const aboutSystem = `SELECT system_identifier::text AS id FROM pg_control_system()`;

export async function askServer(line: Line): Promise<ServerFacts> {
  const answers = await line.all([...session, line.introduction, aboutServer]);
  const row = answers.at(-1)?.rows[0] ?? {};
  return serverFacts(line, row, await rowIf(row.tells_system, line, aboutSystem));
}

/** Settles how this side of a line is spoken with, where nothing is asked of the server itself. */
export async function introduce(line: Line): Promise<void> {
  const answers = await line.all([...session, line.introduction, 'SELECT pg_backend_pid() AS pid']);
  line.introducedTo(Number(answers.at(-1)?.rows[0]?.pid));
}

function serverFacts(line: Line, row: Row, system: Row | undefined): ServerFacts {
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
async function rowIf(mayAsk: unknown, line: Line, sql: string): Promise<Row | undefined> {
  return mayAsk === true ? (await line.query(sql)).rows[0] : undefined;
}

const aboutJournal = `SELECT has_table_privilege('@schema.salt', 'SELECT') AS tells_salt,
  encode(m.id, 'hex') AS id, m.lease, m.durability,
  (SELECT json_build_object('number', seq, 'text', text) FROM @schema.policies ORDER BY seq DESC LIMIT 1)::text AS policy,
  (SELECT coalesce(json_agg(json_build_object('systemId', system_id, 'timeline', timeline, 'sinceMs', since_ms)), '[]')
   FROM @schema.servers)::text AS servers
  FROM (SELECT (SELECT value FROM @schema.meta WHERE name = 'journal-id') AS id,
    (SELECT convert_from(value, 'UTF8') FROM @schema.meta WHERE name = 'lease-ms') AS lease,
    EXISTS (SELECT FROM @schema.meta WHERE name = 'durability') AS durability) m`;

const readSalt = `SELECT value FROM @schema.salt WHERE name = 'salt'`;

export async function askJournal(line: Line, schema: string): Promise<JournalFacts> {
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
  line: Line,
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

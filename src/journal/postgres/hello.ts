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
  readonly movedTo: string | undefined;
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
  'SET tcp_keepalives_idle = 5',
  'SET tcp_keepalives_interval = 2',
  'SET tcp_keepalives_count = 3',
  `SET tcp_user_timeout = '10s'`,
];

const aboutServer = `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS standby,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_commit') AS synchronous_commit, current_setting('server_encoding') AS server_encoding,
  pg_backend_pid() AS pid, ${inMs('pg_postmaster_start_time()')} AS started, ${nowMs} AS now,
  CASE WHEN pg_is_in_recovery() THEN 0
    ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int END AS timeline`;

const aboutSystem = `SELECT system_identifier::text AS id FROM pg_control_system()`;

export async function askServer(line: Line): Promise<ServerFacts> {
  const { row, more } = await askWithMore(line, [...session, line.introduction, aboutServer], aboutSystem);
  return serverFacts(line, row, more);
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

/** In one round trip what all may ask and what not all may; where that is refused, without it. */
async function askWithMore(
  line: Line,
  statements: readonly string[],
  more: string,
): Promise<{ readonly row: Row; readonly more: Row | undefined }> {
  try {
    const answers = await line.all([...statements, more]);
    return { row: answers.at(-2)?.rows[0] ?? {}, more: answers.at(-1)?.rows[0] };
  } catch (error) {
    if (line.isBroken) throw error;
    // What is asked together is undone together.
    const answers = await line.all(statements);
    return { row: answers.at(-1)?.rows[0] ?? {}, more: undefined };
  }
}

const aboutJournal = `SELECT encode(m.id, 'hex') AS id, m.lease, m.durability, m.moved,
  (SELECT json_build_object('number', seq, 'text', text) FROM @schema.policies ORDER BY seq DESC LIMIT 1)::text AS policy,
  (SELECT coalesce(json_agg(json_build_object('systemId', system_id, 'timeline', timeline, 'sinceMs', since_ms)), '[]')
   FROM @schema.servers)::text AS servers
  FROM (SELECT (SELECT value FROM @schema.meta WHERE name = 'journal-id') AS id,
    (SELECT convert_from(value, 'UTF8') FROM @schema.meta WHERE name = 'lease-ms') AS lease,
    EXISTS (SELECT FROM @schema.meta WHERE name = 'durability') AS durability,
    (SELECT convert_from(value, 'UTF8') FROM @schema.meta WHERE name = 'moved-to') AS moved) m`;

const readSalt = `SELECT value FROM @schema.salt WHERE name = 'salt'`;

export async function askJournal(line: Line, schema: string): Promise<JournalFacts> {
  const asked = [inSchema(schema, aboutJournal)];
  const { row, more } = await askWithMore(line, asked, inSchema(schema, readSalt));
  return journalFacts(row, more);
}

function journalFacts(row: Row, salt: Row | undefined): JournalFacts {
  return {
    id: String(row.id),
    salt: salt?.value as Uint8Array | undefined,
    leaseMs: Number(row.lease),
    acceptedDurability: row.durability === true,
    movedTo: row.moved === null ? undefined : String(row.moved),
    policy: row.policy === null ? undefined : (JSON.parse(String(row.policy)) as JournalPolicy),
    servers: JSON.parse(String(row.servers)) as JournalFacts['servers'],
  };
}

/**
 * All of it in one round trip, where nothing of it is refused and the journal is of this release. Anywhere else it is
 * asked for piece by piece, so that one can say what is wrong.
 */
export async function askAll(
  line: Line,
  schema: string,
): Promise<{ readonly server: ServerFacts; readonly journal: JournalFacts } | undefined> {
  const ofJournal = [readVersion, aboutJournal, readSalt].map((sql) => inSchema(schema, sql));
  try {
    const answers = await line.all([...session, line.introduction, aboutServer, aboutSystem, ...ofJournal]);
    const [server = {}, system, version, journal = {}, salt] = answers.slice(-5).map(({ rows }) => rows[0]);
    if (Number(version?.version) !== schemaVersion) return undefined;
    return { server: serverFacts(line, server, system), journal: journalFacts(journal, salt) };
  } catch (error) {
    if (line.isBroken) throw error;
    return undefined;
  }
}

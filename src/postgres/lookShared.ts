import { join } from 'node:path';
import type { Intent, State } from '../once/journal/journal.ts';
import type { PgConnection } from './connection.ts';
import type { Note } from './facts.ts';
import { askJournal, type JournalFacts, refuseSchema, type ServerFacts, schemaVersion } from './handshake.ts';
import { isKnownServer, lateReplyFiles, lostReplies, missingNotes, Notes } from './notes.ts';
import { inSchema } from './schema/migrations.ts';
import { nowMs } from './statements.ts';
import type { Asking } from './upkeep.ts';

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
  /** The file with replies that could not be recorded in the journal; undefined if there is none. */
  readonly spilled: string | undefined;
  /** Files with replies to attempts that the journal has lost. */
  readonly lostReplies: readonly string[];
};

type OldestUnknown = Pick<Intent, 'id' | 'mayHaveLandedAtMs' | 'createdAtMs'>;

/** The configured servers that a commit waits for, and how many are connected; undefined if the role may not ask. */
type Standbys = { readonly names: string; readonly synchronous: number | undefined };

type Looking = Asking & { now(): number };

export async function lookAtShared(looking: Looking): Promise<SharedLook> {
  const { line, schema, place, server, dataFolder } = looking;
  const times = await roundTrips(looking);
  await refuseSchema(line, schema, place);
  const journal = await askJournal(line, schema);
  const folder = join(dataFolder, 'shared', journal.id);
  const notes = new Notes(join(folder, 'notes')).read();
  const missing = await missingNotes(line, schema, notes);
  return {
    ...times,
    server,
    schemaVersion,
    standbys: await standbysOf(line),
    role: await roleOf(line, schema),
    journal,
    runners: Number((await one(line, inSchema(schema, countRunners), [journal.leaseMs])).count),
    ...(await intentsIn(line, schema, journal.leaseMs)),
    notes: {
      held: notes.length,
      missing,
      // A standby does not report its timeline.
      isNewServer: !server.isStandby && journal.servers.length > 0 && !isKnownServer({ server, journal }),
      folder,
    },
    spilled: lateReplyFiles(folder).length === 0 ? undefined : folder,
    lostReplies: lostReplies(folder),
  };
}

const trips = 5;
const askTime = /* sql */ `SELECT ${nowMs} AS now`;

async function roundTrips({ line, now }: Looking): Promise<Pick<SharedLook, 'latencyMs' | 'aheadMs'>> {
  const made: { tookMs: number; aheadMs: number }[] = [];
  for (let trip = 0; trip < trips; trip += 1) {
    const began = performance.now();
    const { now: theirsMs } = await one(line, askTime);
    const tookMs = performance.now() - began;
    made.push({ tookMs, aheadMs: now() - tookMs / 2 - Number(theirsMs) });
  }
  made.sort((left, right) => left.tookMs - right.tookMs);
  return { latencyMs: made[Math.floor(trips / 2)]?.tookMs ?? 0, aheadMs: made[0]?.aheadMs ?? 0 };
}

const askStandbys = /* sql */ `SELECT current_setting('synchronous_standby_names') AS names,
  (SELECT CASE WHEN count(*) = count(sync_state) THEN count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) END
   FROM pg_stat_replication) AS synchronous`;

async function standbysOf(line: PgConnection): Promise<Standbys> {
  const { names, synchronous } = await one(line, askStandbys);
  return { names: String(names), synchronous: synchronous === null ? undefined : Number(synchronous) };
}

const askRole = /* sql */ `SELECT current_user AS name, rolsuper AS superuser,
  EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname = 'intents' AND pg_has_role(c.relowner, 'USAGE')) AS owns
  FROM pg_roles WHERE rolname = current_user`;

async function roleOf(line: PgConnection, schema: string): Promise<SharedLook['role']> {
  const { name, superuser, owns } = await one(line, askRole, [schema]);
  return { name: String(name), isSuperuser: superuser === true, ownsTables: owns === true };
}

const countRunners = /* sql */ `SELECT count(*) AS count FROM @schema.owners WHERE ended_at IS NULL
  AND renewed_at + $1 >= ${nowMs}`;
const countStates = /* sql */ `SELECT state, count(*) AS count FROM @schema.standing GROUP BY state`;
const countWaiting = /* sql */ `SELECT why, count(*) AS count FROM @schema.standing
  WHERE (state <> 'accepted') IS TRUE AND state = 'held' AND NOT tainted GROUP BY why`;
/** What a living process is sending is not in doubt. */
const findOldest = /* sql */ `SELECT i.id, s.may_have_landed_at, s.created_at
  FROM @schema.standing s JOIN @schema.intents i ON i.seq = s.intent LEFT JOIN @schema.owners o ON o.id = s.owner
  WHERE (s.state <> 'accepted') IS TRUE AND s.state IN ('unknown', 'sending') AND NOT (s.state = 'sending'
    AND coalesce(o.ended_at IS NULL AND o.renewed_at + $1 >= ${nowMs}, false))
  ORDER BY coalesce(s.may_have_landed_at, s.created_at) LIMIT 1`;

async function intentsIn(
  line: PgConnection,
  schema: string,
  leaseMs: number,
): Promise<Pick<SharedLook, 'counts' | 'waiting' | 'oldestUnknown'>> {
  const { rows } = await line.query(inSchema(schema, countStates));
  const waiting = (await line.query(inSchema(schema, countWaiting))).rows;
  const [oldest] = (await line.query(inSchema(schema, findOldest), [leaseMs])).rows;
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
  line: PgConnection,
  sql: string,
  values?: unknown[],
): Promise<Readonly<Record<string, unknown>>> {
  return (await line.query(sql, values)).rows[0] ?? {};
}

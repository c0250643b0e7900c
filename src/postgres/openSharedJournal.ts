import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Failure } from '../once/failures.ts';
import type { Dialect } from '../once/journal/dialect.ts';
import type { Journal } from '../once/journal/journal.ts';
import { type Known, Note } from '../once/journal/note.ts';
import { Store } from '../once/journal/store.ts';
import { verbsIn, whichAreRecorded } from '../once/journal/verbs.ts';
import { type Address, placeOf } from './address.ts';
import { ServerBase } from './base.ts';
import type { PgConnection } from './connection.ts';
import { type Patience, PgConnections } from './connections.ts';
import { sharedFailure } from './failures.ts';
import {
  askAll,
  askJournal,
  askServer,
  type JournalFacts,
  refusalOfServer,
  refusalToSend,
  refuseSchema,
  type ServerFacts,
} from './handshake.ts';
import { keepLeaseRenewed, Lease, ServerClock } from './lease.ts';
import { dialectIn } from './sql.ts';

type SharedUse = {
  readonly use: 'send' | 'look';
  readonly dataFolder: string;
  readonly patience: Patience;
  readonly isInterrupted?: () => boolean;
};

/** What a shared journal acknowledged to this machine. */
export function noteOf(dataFolder: string, { id }: Pick<JournalFacts, 'id'>): Note {
  return new Note(join(dataFolder, 'shared', id, 'note'));
}

/** The noted attempts and decisions that the journal lacks. */
export async function lackedByServer(
  connection: PgConnection,
  dialect: Dialect,
  noted: readonly Known[],
): Promise<Known[]> {
  if (noted.length === 0) return [];
  const places = new Set((await connection.ask(...whichAreRecorded(dialect, noted))).map(({ nth }) => nth));
  return noted.filter((_known, nth) => !places.has(nth));
}

type Facts = { readonly server: ServerFacts; readonly journal: JournalFacts };

/** Opens the journal on its server. Never creates one: that is for the owner of the database. */
export async function openSharedJournal(
  address: Address,
  { use, dataFolder, patience, isInterrupted }: SharedUse,
): Promise<Journal> {
  const place = placeOf(address);
  const { schema } = address;
  const dialect = dialectIn(schema);
  const verbs = verbsIn(dialect);
  const clock = new ServerClock();
  let facts: Facts | undefined;
  let lost: Failure | undefined;
  /** Called for every new connection: the server may have been restarted, promoted or replaced. */
  const greet = async (connection: PgConnection): Promise<void> => {
    const all = await askAll(connection, schema);
    const server = all?.server ?? (await askServer(connection));
    clock.set(server.nowMs);
    const refused = refusalOfServer(server, place);
    if (refused !== undefined) throw refused;
    if (all === undefined) await refuseSchema(connection, schema, place);
    const journal = all?.journal ?? (await askJournal(connection, schema));
    // It is another journal, with its own salt and notes. Claims made in the first one do not exist there.
    if (facts !== undefined && facts.journal.id !== journal.id)
      throw sharedFailure('lost', { place, loss: { isGone: true, missing: [] } });
    facts = { server, journal };
    // A standby may lack what it has not received yet, so nothing is compared.
    const noted = server.isStandby ? [] : noteOf(dataFolder, journal).noted();
    const missing = await lackedByServer(connection, dialect, noted);
    lost =
      missing.length === 0 ? undefined : sharedFailure('lost', { place, loss: { isGone: false, missing } });
    const failure = use === 'look' ? undefined : (refusalToSend(server, journal, place) ?? lost);
    if (failure !== undefined) throw failure;
  };
  const connections = new PgConnections(address, patience, greet);
  await connections.open();
  const met = facts as unknown as Facts;
  const { id, leaseMs, role, salt, mayAdd } = met.journal;
  const lease = new Lease(leaseMs, schema, place);
  const note = noteOf(dataFolder, met.journal);
  const base = new ServerBase({
    place,
    schema,
    dialect,
    verbs,
    connections,
    lease,
    silentSinceMs: () => silentSince(facts ?? met, clock.now()),
    timeline: () => (facts ?? met).server.timeline,
    onServerTime: (nowMs) => clock.set(nowMs),
  });
  const store = new Store(base, note, isInterrupted);
  const renewing = keepLeaseRenewed(lease, connections);
  return {
    place,
    id,
    lost,
    clock,
    isNoted: note.noted().length > 0,
    isReadOnly: met.server.isStandby || !mayAdd,
    isShared: true,
    role,
    reads: store.reads,
    self: () => lease.id,
    trouble: () => (lease.isFenced || lease.isStale() ? 'stale-claim' : undefined),
    commit: (work, guards) => store.commit(work, guards),
    commitTogether: (works) => store.commitTogether(works),
    hashOf: (token) => createHash('sha256').update(salt).update(token).digest('hex'),
    close: async () => {
      renewing.stop();
      await base.close();
      note.close();
    },
  };
}

/**
 * An owner that was last heard from before this moment is dead. No owner counts as dead before a full lease has passed
 * since the server started or was promoted: its renewals may be lost.
 */
function silentSince({ server, journal: { leaseMs, timelineSinceMs } }: Facts, nowMs: number): number {
  const sinceMs = Math.max(server.startedAtMs, timelineSinceMs ?? server.nowMs);
  return nowMs < sinceMs + leaseMs ? 0 : nowMs - leaseMs;
}

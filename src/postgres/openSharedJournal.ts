import { createHash } from 'node:crypto';
import type { Failure } from '../once/failures.ts';
import type { Journal } from '../once/journal/journal.ts';
import { lastRemembered } from '../once/journal/rows.ts';
import { Store } from '../once/journal/store.ts';
import { type Address, placeOf } from './address.ts';
import { ServerBase } from './base.ts';
import type { PgConnection } from './connection.ts';
import { type Patience, PgConnections } from './connections.ts';
import { sharedFailure } from './facts.ts';
import {
  askAll,
  askJournal,
  askServer,
  type JournalFacts,
  nameOfServer,
  refusalOfServer,
  refusalToSend,
  refuseSchema,
  type ServerFacts,
} from './handshake.ts';
import { keepLeaseRenewed, Lease, ServerClock } from './lease.ts';
import {
  LateReplies,
  lossOf,
  type Notes,
  notesIn,
  ownFolder,
  sameServerAsBefore,
  uploadLateReplies,
} from './notes.ts';

type SharedUse = {
  readonly use: 'send' | 'look';
  /** Where this machine keeps its own notes. */
  readonly dataFolder: string;
  readonly patience: Patience;
};

/** Opens the journal on its server. Never creates one: that is for the owner of the database. */
export async function openSharedJournal(
  address: Address,
  { use, dataFolder, patience }: SharedUse,
): Promise<Journal> {
  const place = placeOf(address);
  const { schema } = address;
  const clock = new ServerClock();
  let facts: { server: ServerFacts; journal: JournalFacts } | undefined;
  let notes: Notes | undefined;
  let lost: Failure | undefined;
  /** Called for every new connection: the server may have been restarted, promoted or replaced. */
  const greet = async (connection: PgConnection): Promise<string> => {
    const all = await askAll(connection, schema, use);
    const server = all?.server ?? (await askServer(connection));
    clock.set(server.nowMs);
    const refused = refusalOfServer(server, place);
    if (refused !== undefined) throw refused;
    if (all === undefined) await refuseSchema(connection, schema, place);
    const journal = all?.journal ?? (await askJournal(connection, schema));
    // It is another journal, with its own salt and notes. Claims made in the first one do not exist there.
    if (facts !== undefined && facts.journal.id !== journal.id)
      throw sharedFailure('lost', { place, loss: { is: 'server-changed' } });
    facts = { server, journal };
    const name = nameOfServer(server);
    const noted = notesIn(ownFolder(dataFolder, journal));
    if (use === 'look') {
      const loss = server.isStandby ? undefined : await lossOf(connection, schema, facts, noted);
      lost = loss && sharedFailure('lost', { place, loss });
      return name;
    }
    const refusedToSend = refusalToSend(server, journal, place);
    if (refusedToSend !== undefined) throw refusedToSend;
    notes ??= noted;
    const isNew = await sameServerAsBefore(connection, schema, place, facts, notes);
    if (isNew) facts = { server, journal: await askJournal(connection, schema) };
    return name;
  };
  const connections = new PgConnections(address, patience, greet);
  await connections.open();
  const met = facts as unknown as { server: ServerFacts; journal: JournalFacts };
  const { leaseMs, salt } = met.journal;
  const lease = new Lease(leaseMs, schema, place);
  const silentSinceMs = (): number => silentSince(facts ?? met, clock.now());
  const base = new ServerBase({
    place,
    schema,
    connections,
    lease,
    silentSinceMs,
    onServerTime: (nowMs) => clock.set(nowMs),
    onAcknowledged: (note) => void notes?.write(note),
  });
  const store = new Store(base);
  const renewing = keepLeaseRenewed(lease, connections);
  const lateReplies = new LateReplies(ownFolder(dataFolder, met.journal), lease.id);
  const close = async (): Promise<void> => {
    renewing.stop();
    await base.close();
    notes?.close();
  };
  try {
    if (use === 'send')
      for (const late of lateReplies.take()) await uploadLateReplies(late, new Store(base.as(late.owner)));
  } catch (error) {
    await close();
    throw error;
  }
  const journal: Journal = {
    place,
    id: met.journal.id,
    lost,
    clock,
    isReadOnly: met.server.isStandby || salt === undefined,
    isShared: true,
    role: met.journal.role,
    reads: store.reads,
    self: () => lease.id,
    trouble: () => {
      if (lease.isFenced) return { is: 'fenced' };
      return lease.isStale() ? { is: 'stale-claim' } : undefined;
    },
    askOwner: async (owner) => {
      // The caller asks again anyway and gets the error then.
      await base
        .onConnection((connection) => connection.query(lease.askOn(connection), [owner]))
        .catch(() => {});
    },
    isAsked: () =>
      base.onConnection(async (connection) => (await connection.query(lease.asked)).rows.length > 0),
    keepForLater: (late) => lateReplies.keep(late),
    commit: (work, guards) => store.commit(work, guards),
    commitTogether: (works) => store.commitTogether(works),
    hashOf: lastRemembered((token) =>
      createHash('sha256')
        .update(salt ?? '')
        .update(token)
        .digest('hex'),
    ),
    close,
  };
  return journal;
}

/** An owner last heard of before this moment is dead. Soon after the server's start, nobody counts as dead. */
function silentSince(
  { server, journal }: { server: ServerFacts; journal: JournalFacts },
  nowMs: number,
): number {
  const { leaseMs, servers } = journal;
  const sinceMs = Math.max(server.startedAtMs, ...servers.map((one) => one.sinceMs));
  return nowMs < sinceMs + leaseMs ? 0 : nowMs - leaseMs;
}

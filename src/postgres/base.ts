import { hash } from 'node:crypto';
import { errorCodeOf } from '../machine/disk.ts';
import { Failure, isOutage } from '../once/failures.ts';
import { type Dialect, type Statement, statementIn } from '../once/journal/dialect.ts';
import type { Guards } from '../once/journal/journal.ts';
import { Mutex } from '../once/journal/mutex.ts';
import type { Ask } from '../once/journal/rows.ts';
import type { Base, OwnReads } from '../once/journal/store.ts';
import type { Verbs } from '../once/journal/verbs.ts';
import type { PgConnection } from './connection.ts';
import type { PgConnections, WaitingWork } from './connections.ts';
import { ServerTroubleError, type SharedKind, sharedFailure } from './failures.ts';
import { type Lease, thisMoment } from './lease.ts';
import {
  isElsewhere,
  isHeldUp,
  isOfNetwork,
  isPassing,
  isUnawaited,
  needsTime,
  serverFailure,
  unreachable,
} from './serverErrors.ts';
import { nowMs } from './sql.ts';

/** How many times work is tried, without a pause, if it fails because of others. */
const mostTries = 5;

type BaseInputs = {
  readonly place: string;
  readonly schema: string;
  readonly dialect: Dialect;
  readonly verbs: Verbs;
  readonly connections: PgConnections;
  readonly lease: Lease;
  readonly silentSinceMs: () => number;
  readonly timeline: () => number;
  readonly onServerTime: (nowMs: number) => void;
};

/** A server as a base: one transaction at a time, on one connection that is replaced when it breaks. */
export class ServerBase implements Base {
  readonly #inputs: BaseInputs;
  readonly #turns = new Mutex();
  readonly #aboutOwners: Readonly<Record<'endOwner' | 'living' | 'process', Statement>>;
  readonly dialect: Dialect;
  readonly verbs: Verbs;
  readonly owners: Base['owners'];
  readonly reads: OwnReads;

  constructor(inputs: BaseInputs) {
    this.#inputs = inputs;
    this.dialect = inputs.dialect;
    this.verbs = inputs.verbs;
    this.#aboutOwners = aboutOwners(inputs.dialect);
    this.owners = this.#owners();
    this.reads = this.#readsBy(this.ask);
  }

  readonly ask: Ask = (statement, values) =>
    this.#onConnection((connection) => connection.ask(statement, values));

  /** An owner heard from lately is alive. A silent one is dead once its end is recorded, never soon after a restart. */
  #owners(): Base['owners'] {
    const { lease, silentSinceMs } = this.#inputs;
    const { endOwner, living } = this.#aboutOwners;
    return {
      self: () => lease.id,
      lives: ({ owner_renewed_at: at }) => typeof at === 'number' && at >= silentSinceMs(),
      endOwner: async (owner, ask) => {
        await ask(endOwner, { owner, silentSince: silentSinceMs() });
        return (await ask(living, { owner })).length === 0;
      },
    };
  }

  #readsBy(ask: Ask): OwnReads {
    return {
      processOf: async (owner) => {
        const [row] = await ask(this.#aboutOwners.process, { owner });
        return row && { host: String(row.host), pid: Number(row.pid) };
      },
    };
  }

  /** The commit still counts. Without a note, this machine cannot tell later whether the journal lost something. */
  notNoted(): undefined {
    return undefined;
  }

  /** An outage concerns all works, and so does a commit that may have been made. */
  failedAsWhole(reason: unknown): boolean {
    if (!(reason instanceof Failure) || reason.code === 'fenced') return false;
    return isOutage(reason.code) || reason.kind === ('not-on-standby' satisfies SharedKind);
  }

  /** Questions do not wait for each other's answers. If the connection breaks, they are asked again. */
  #onConnection<Result>(work: (connection: PgConnection) => Promise<Result>): Promise<Result> {
    return this.#turns.beside(async () => {
      const { connections, place } = this.#inputs;
      const waiting = connections.waiting();
      for (let tries = 1; ; tries += 1) {
        const connection = await connections.working(waiting);
        try {
          const result = await work(connection);
          waiting.over();
          return result;
        } catch (error) {
          const mayPass = connection.isBroken || isPassing(error);
          if (!mayPass) waiting.over();
          if (!mayPass || !(await mayTryAgain(tries, error, waiting)))
            throw failureOf(await this.#heldUpBy(error, waiting), place);
        }
      }
    });
  }

  /** Ends the lease, so that others need not wait for it to run out. */
  async close(): Promise<void> {
    const { connections, lease } = this.#inputs;
    await this.#turns.alone(async () => {
      if (lease.mayBeKnown) await connections.farewell((connection) => lease.endOn(connection));
      await connections.close();
    });
  }

  transact<Result>(work: Work<Result>, guards: Guards): Promise<Result> {
    return this.#turns.alone(() => this.#commit(work, guards));
  }

  /** A commit runs again if the server rolled it back because of others; never if nobody knows how it ended. */
  async #commit<Result>(work: Work<Result>, guards: Guards): Promise<Result> {
    const { connections, place } = this.#inputs;
    const waiting = connections.waiting(guards.beforeSending !== true);
    for (let tries = 1; ; tries += 1) {
      const connection = await connections.working(waiting);
      try {
        const result = await this.#try(work, guards, connection);
        waiting.over();
        return result;
      } catch (error) {
        if (error instanceof Failure) throw error;
        // The server answers, so later work starts with a fresh waiting time.
        if (!connection.isBroken && !needsTime(error)) waiting.over();
        const mayPass = connection.isBroken || isPassing(error) || isOfNetwork(error);
        if (isElsewhere(error) || !mayPass) throw failureOf(error, place);
        if (!(await mayTryAgain(tries, error, waiting)))
          throw failureOf(await this.#heldUpBy(error, waiting), place);
      }
    }
  }

  async #try<Result>(work: Work<Result>, guards: Guards, connection: PgConnection): Promise<Result> {
    const { lease, place } = this.#inputs;
    const askedAt = thisMoment();
    let isOver = false;
    const unheard: Promise<unknown>[] = [];
    // If a work asked after the end, it would change the journal in a commit of its own, without any guard.
    const ask: Ask = async (statement, values) => {
      if (isOver) throw new Error('this transaction is over');
      const asked = connection.ask(statement, values);
      if (statement.answers) return asked;
      asked.catch(() => {});
      unheard.push(asked);
      return [];
    };
    let result: Result;
    try {
      await this.#begin(connection, guards);
      result = await work(ask, this.#readsBy(ask));
      isOver = true;
      await Promise.all(unheard);
    } catch (thrown) {
      isOver = true;
      // After a failed change everything else in the transaction fails too, so report that change's error.
      const error = await Promise.all(unheard).then(
        () => thrown,
        (cause: unknown) => cause,
      );
      await rollBack(connection, error);
      throw error;
    }
    const { command } = await connection.query('COMMIT').catch((error: unknown) => {
      // The commit may be on disk even if the server reports an error. Nothing is sent: the next run looks for its key.
      connection.destroy();
      const trouble = { is: 'commit-unheard' } as const;
      throw sharedFailure('unreachable', { place, trouble }, error);
    });
    // Only this word shows that the server rolled back instead.
    if (command !== 'COMMIT') throw new ServerTroubleError({ is: 'commit-undone' });
    if (isUnawaited(connection)) throw sharedFailure('not-on-standby', { place });
    if (guards.beforeSending === true) lease.renewed(askedAt);
    return result;
  }

  /**
   * Takes the writers' lock, then renews the lease. Later reads see what others committed. A process that waits long
   * for the lock releases the connection and starts again.
   */
  async #begin(connection: PgConnection, { beforeSending: fences = false }: Guards): Promise<void> {
    const { lease, timeline, onServerTime } = this.#inputs;
    const answers = await connection.all([
      /* sql */ 'BEGIN ISOLATION LEVEL read committed',
      /* sql */ 'SET LOCAL synchronous_commit = on',
      /* sql */ `SET LOCAL lock_timeout = '2s'`,
      lockOfWriters(this.#inputs.schema),
      lease.renewalOn(connection, timeline(), fences),
    ]);
    const rows = answers.at(-1)?.rows ?? [];
    lease.fence(rows);
    onServerTime(Number(rows[0]?.now));
  }

  /**
   * Returns `not-on-standby` if the work timed out while a lock's holder may be waiting for a standby; else the same
   * error.
   */
  async #heldUpBy(error: unknown, waiting: WaitingWork): Promise<unknown> {
    const { connections, place } = this.#inputs;
    if (!isHeldUp(error)) return error;
    try {
      const connection = await connections.working(waiting);
      const waits = (await connection.query(awaitsStandby)).rows.length > 0;
      return waits ? sharedFailure('not-on-standby', { place }) : error;
    } catch {
      return error;
    }
  }
}

type Work<Result> = (ask: Ask, reads: OwnReads) => Promise<Result>;

async function rollBack(connection: PgConnection, because: unknown): Promise<void> {
  if (connection.isBroken) return;
  await connection.query('ROLLBACK').catch(() => connection.destroy());
  // The server has become read-only, so it is not the server to which this connection was made.
  if (errorCodeOf(because) === takesNothing) connection.destroy();
}

const takesNothing = '25006';

/** Every writer takes the same lock, for one transaction. */
export function lockOfWriters(schema: string): string {
  const number = hash('sha256', `writers:${schema}`, 'buffer').readBigInt64BE();
  return /* sql */ `SELECT pg_advisory_xact_lock(${number})`;
}

const aboutOwners = (dialect: Dialect) => ({
  endOwner: statementIn(
    dialect,
    /* sql */ `UPDATE ${dialect.table('owners')} SET ended_at = ${nowMs}
      WHERE id = :owner AND ended_at IS NULL AND renewed_at < :silentSince`,
  ),
  living: statementIn(
    dialect,
    /* sql */ `SELECT renewed_at AS owner_renewed_at FROM ${dialect.table('owners')}
      WHERE id = :owner AND ended_at IS NULL`,
  ),
  process: statementIn(
    dialect,
    /* sql */ `SELECT host, pid FROM ${dialect.table('owners')} WHERE id = :owner`,
  ),
});

const awaitsStandby = /* sql */ `SELECT FROM pg_stat_activity WHERE usename = current_user AND wait_event = 'SyncRep' LIMIT 1`;

/** Errors that need time are retried within `--max-wait`, all others a fixed number of times. */
async function mayTryAgain(tries: number, error: unknown, waiting: WaitingWork): Promise<boolean> {
  if (!needsTime(error)) return tries < mostTries;
  return tries === 1 || (await waiting.again());
}

/** The failure to report for an error of the server, the network or the driver. */
function failureOf(error: unknown, place: string): unknown {
  return isOfNetwork(error) ? unreachable(error, place) : serverFailure(error, place);
}

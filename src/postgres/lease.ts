import { randomUUID } from 'node:crypto';
import { hostname, uptime } from 'node:os';
import type { PgConnection } from './connection.ts';
import type { PgConnections } from './connections.ts';
import { sharedFailure } from './failures.ts';
import { nowMs, type SqlRow, tablesIn } from './sql.ts';

/** Two clocks that cannot be set. The second also runs while the machine sleeps. */
type Moment = { readonly monotonicMs: number; readonly uptimeMs: number };

let seen: { readonly wallAheadMs: number; readonly uptimeAheadMs: number } | undefined;

/** Reading the uptime reads a file, so it is read only if the wall clock has jumped. */
export function thisMoment(): Moment {
  const monotonicMs = performance.now();
  const wallAheadMs = Date.now() - monotonicMs;
  if (seen === undefined || Math.abs(wallAheadMs - seen.wallAheadMs) > 5)
    seen = { wallAheadMs, uptimeAheadMs: uptime() * 1000 - monotonicMs };
  return { monotonicMs, uptimeMs: monotonicMs + seen.uptimeAheadMs };
}

function msSince(then: Moment, now = thisMoment()): number {
  return Math.max(now.monotonicMs - then.monotonicMs, now.uptimeMs - then.uptimeMs);
}

type Answering = Pick<PgConnection, 'here'>;

/** This process as an owner, alive as long as it renews its lease. */
export class Lease {
  readonly id = randomUUID({ disableEntropyCache: true });
  readonly #durationMs: number;
  readonly #owners: string;
  readonly #place: string;
  #renewedAt: Moment | undefined;
  #isFenced = false;
  #isAskedFor = false;

  constructor(durationMs: number, schema: string, place: string) {
    this.#durationMs = durationMs;
    this.#owners = tablesIn(schema)('owners');
    this.#place = place;
  }

  get isFenced(): boolean {
    return this.#isFenced;
  }

  /** Whether others may know this process and wait for its end. */
  get mayBeKnown(): boolean {
    return this.#isAskedFor && !this.#isFenced;
  }

  /** After this long without a commit before a sending, the lease is renewed on a connection of its own. */
  get renewAfterMs(): number {
    return this.#durationMs / 3;
  }

  isDue(): boolean {
    if (this.#renewedAt === undefined || this.#isFenced) return false;
    return msSince(this.#renewedAt) > this.renewAfterMs;
  }

  /** Whether the last renewal is too old to send anything: others may soon take over. */
  isStale(): boolean {
    return this.#renewedAt === undefined || msSince(this.#renewedAt) > this.#durationMs / 2;
  }

  /** Registers the process or renews its lease. If it `fences`, it returns no row for a process that others ended. */
  renewalOn({ here }: Answering, timeline: number, fences = true): string {
    this.#isAskedFor = true;
    const host = hostname().replaceAll(/[^\w.-]/gu, '_');
    return /* sql */ `INSERT INTO ${this.#owners} AS o (id, host, pid, begun_at, renewed_at, timeline)
       VALUES ('${this.id}', '${host}', ${process.pid}, ${nowMs}, ${nowMs}, ${timeline})
       ON CONFLICT (id) DO UPDATE SET renewed_at = CASE WHEN o.ended_at IS NULL THEN ${nowMs} ELSE o.renewed_at END
       ${fences ? 'WHERE o.ended_at IS NULL' : ''}
       RETURNING ${here} AS here, ${nowMs} AS now`;
  }

  /** Renews the lease if it is on record. Returns no row if it is not, or if others have ended it. */
  renewalOnlyOn({ here }: Answering): string {
    return /* sql */ `UPDATE ${this.#owners} SET renewed_at = ${nowMs} WHERE id = '${this.id}' AND ended_at IS NULL
        RETURNING ${here}`;
  }

  endOn({ here }: Answering): string {
    return /* sql */ `UPDATE ${this.#owners} SET ended_at = ${nowMs} WHERE id = '${this.id}' AND ended_at IS NULL RETURNING ${here}`;
  }

  fence(rows: readonly SqlRow[]): void {
    if (rows.length > 0) return;
    this.#isFenced = true;
    throw sharedFailure('fenced', { place: this.#place });
  }

  /** Called when the renewal is committed. `askedAt` is when it was asked for. */
  renewed(askedAt: Moment): void {
    // A slow answer may come after the answer to a later question.
    if (this.#renewedAt === undefined || askedAt.monotonicMs > this.#renewedAt.monotonicMs)
      this.#renewedAt = askedAt;
  }
}

/**
 * Renews the lease if there is no commit for long. Uses its own connection: the other may wait for a lock or a commit.
 */
export function keepLeaseRenewed(lease: Lease, connections: PgConnections): { stop(): void } {
  let own: PgConnection | undefined;
  let isBusy = false;
  let isStopped = false;
  const renew = async (): Promise<void> => {
    if (isBusy || !lease.isDue()) return;
    isBusy = true;
    try {
      if (own === undefined || own.isBroken) own = await connections.another();
      if (isStopped) return own.destroy();
      const askedAt = thisMoment();
      const { rows } = await own.query(lease.renewalOnlyOn(own));
      lease.fence(rows);
      lease.renewed(askedAt);
    } catch {
      // The next commit will notice that the server is away, and a stale lease is noticed before anything is sent.
      own?.destroy();
    } finally {
      isBusy = false;
    }
  };
  const timer = setInterval(() => void renew(), Math.max(50, lease.renewAfterMs / 2));
  timer.unref();
  return {
    stop: () => {
      isStopped = true;
      clearInterval(timer);
      void own?.close();
    },
  };
}

/** The server's time. Between its answers, it is advanced by a clock that cannot be set. */
export class ServerClock {
  #offsetMs = 0;

  /** Takes over the time that the server has just given. */
  set(nowMs: number): void {
    this.#offsetMs = nowMs - performance.now();
  }

  readonly now = (): number => Math.round(performance.now() + this.#offsetMs);
}

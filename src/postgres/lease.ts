import { randomUUID } from 'node:crypto';
import { hostname, uptime } from 'node:os';
import { Failure } from '../once/failures.ts';
import type { PgConnection } from './connection.ts';
import type { PgConnections } from './connections.ts';
import { sharedFailure } from './facts.ts';
import { nowMs, type Row } from './rows.ts';
import { inSchema } from './schema/migrations.ts';

/** Two clocks that nobody sets: one of them also runs while the machine sleeps. */
type Moment = { readonly monotonicMs: number; readonly uptimeMs: number };

let seen: { readonly wallAheadMs: number; readonly uptimeAheadMs: number } | undefined;

/** A look at how long the machine is up costs a file: it is had where the wall clock does not go on as it did. */
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

/** Others take this process for dead: it starts nothing new. */
export function isFenced(error: unknown): boolean {
  return error instanceof Failure && error.code === 'fenced';
}

/** A line, as far as what is asked on it must know. */
type Answering = { readonly here: string };

/** This process as an owner: alive for as long as it renews its lease. */
export class Lease {
  readonly id = randomUUID({ disableEntropyCache: true });
  readonly #durationMs: number;
  readonly #schema: string;
  readonly #place: string;
  #renewedAt: Moment | undefined;
  #isFenced = false;
  #isAskedFor = false;

  constructor(durationMs: number, schema: string, place: string) {
    this.#durationMs = durationMs;
    this.#schema = schema;
    this.#place = place;
  }

  get isFenced(): boolean {
    return this.#isFenced;
  }

  /** Others may have heard of it, and wait for its end. */
  get mayBeKnown(): boolean {
    return this.#isAskedFor && !this.#isFenced;
  }

  /** After this long without a commit it is renewed on a line of its own. */
  get renewAfterMs(): number {
    return this.#durationMs / 3;
  }

  isDue(): boolean {
    if (this.#renewedAt === undefined || this.#isFenced) return false;
    return msSince(this.#renewedAt) > this.renewAfterMs;
  }

  /** Renewed too long ago for anything to leave: meanwhile others may have taken over. */
  isStale(): boolean {
    return this.#renewedAt === undefined || msSince(this.#renewedAt) > this.#durationMs / 2;
  }

  /** Registers the process, or renews its lease; no row where others have ended it. */
  renewalOn({ here }: Answering): string {
    this.#isAskedFor = true;
    const host = hostname().replaceAll(/[^\w.-]/gu, '_');
    return inSchema(
      this.#schema,
      /* sql */ `INSERT INTO @schema.owners AS o (id, host, pid, begun_at, renewed_at)
       VALUES ('${this.id}', '${host}', ${process.pid}, ${nowMs}, ${nowMs})
       ON CONFLICT (id) DO UPDATE SET renewed_at = ${nowMs} WHERE o.ended_at IS NULL
       RETURNING ${here} AS here, pg_current_xact_id()::text AS xid, renewed_at AS now,
         (SELECT max(seq) FROM @schema.policies) AS policy`,
    );
  }

  /** Renews it where it is on record: no row where it is not, or others have ended it. */
  renewalOnlyOn({ here }: Answering): string {
    return inSchema(
      this.#schema,
      /* sql */ `UPDATE @schema.owners SET renewed_at = ${nowMs} WHERE id = '${this.id}' AND ended_at IS NULL RETURNING ${here}`,
    );
  }

  /** Passes over a row that its own process is writing: who asks looks again anyway. */
  askOn({ here }: Answering): string {
    return inSchema(
      this.#schema,
      /* sql */ `UPDATE @schema.owners SET asked_at = ${nowMs} WHERE id IN (SELECT id FROM @schema.owners
        WHERE id = $1 AND ended_at IS NULL AND asked_at IS NULL FOR UPDATE SKIP LOCKED) RETURNING ${here}`,
    );
  }

  get asked(): string {
    return inSchema(
      this.#schema,
      /* sql */ `SELECT FROM @schema.owners WHERE id = '${this.id}' AND asked_at IS NOT NULL`,
    );
  }

  endOn({ here }: Answering): string {
    return inSchema(
      this.#schema,
      /* sql */ `UPDATE @schema.owners SET ended_at = ${nowMs} WHERE id = '${this.id}' AND ended_at IS NULL RETURNING ${here}`,
    );
  }

  /** What the renewal answered, which was asked at that moment. */
  fence(rows: readonly Row[]): void {
    if (rows.length > 0) return;
    this.#isFenced = true;
    throw sharedFailure('fenced', { place: this.#place });
  }

  /** The renewal is committed. */
  renewed(askedAt: Moment): void {
    // An answer that was long under way says less than a later one.
    if (this.#renewedAt === undefined || askedAt.monotonicMs > this.#renewedAt.monotonicMs)
      this.#renewedAt = askedAt;
  }
}

/**
 * Renews the lease while nothing is committed for long, on a line of its own: the other one may be waiting in a lock
 * or a commit.
 */
export function keepLeaseRenewed(lease: Lease, lines: PgConnections): { stop(): void } {
  let own: PgConnection | undefined;
  let isBusy = false;
  let isStopped = false;
  const renew = async (): Promise<void> => {
    if (isBusy || !lease.isDue()) return;
    isBusy = true;
    try {
      if (own === undefined || own.isBroken) own = await lines.another();
      if (isStopped) return own.destroy();
      const askedAt = thisMoment();
      const { rows } = await own.query(lease.renewalOnlyOn(own));
      lease.fence(rows);
      lease.renewed(askedAt);
    } catch (error) {
      // A server that is away is found so by the next commit; at the door a lease that is too old is seen.
      if (!isFenced(error)) own?.destroy();
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

/** The server's time, kept between its answers by a clock that nobody sets. */
export class ServerClock {
  #offsetMs = 0;

  /** What it has just said. */
  set(nowMs: number): void {
    this.#offsetMs = nowMs - performance.now();
  }

  readonly now = (): number => Math.round(performance.now() + this.#offsetMs);
}

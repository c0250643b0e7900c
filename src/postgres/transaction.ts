import { hash } from 'node:crypto';
import type { Gathering, GuardedWork, Guards, Transaction } from '../once/journal/journal.ts';
import type { PgConnection } from './connection.ts';
import { ServerTroubleError } from './facts.ts';
import { codeOf } from './faults.ts';
import { type Lease, thisMoment } from './lease.ts';
import type { SelectPage } from './reading.ts';
import { type Ask, askBy, inPlace, nowMs, type Row, type StatementName, sqlOf } from './statements.ts';
import { numberOf, type WithinTransaction } from './writing.ts';

/** How one try at a commit ended. */
export type Tried<Result> =
  | { readonly is: 'committed'; readonly results: readonly Result[] }
  /** Rolled back: these works failed, or it is unknown which did. */
  | { readonly is: 'undone'; readonly because: unknown; readonly failed: ReadonlySet<number> }
  /** The connection broke before the commit, or the server rolled back instead. */
  | { readonly is: 'broken-off'; readonly because: unknown }
  /** The answer to the commit was lost. The server knows the transaction by this number. */
  | { readonly is: 'unheard'; readonly xid: string; readonly results: readonly Result[] };

/** Runs several works in one transaction. Questions that they ask together become one statement. */
export class SharedTransaction<Result> {
  readonly #connection: PgConnection;
  readonly #schema: string;
  readonly #works: readonly GuardedWork<Result>[];
  readonly #lease: Lease;
  readonly #onServerTime: (nowMs: number) => void;
  readonly #begunAt = thisMoment();
  #isOver = false;
  #policyNumber: number | undefined;

  constructor(
    connection: PgConnection,
    schema: string,
    works: readonly GuardedWork<Result>[],
    lease: Lease,
    onServerTime: (nowMs: number) => void,
  ) {
    this.#connection = connection;
    this.#schema = schema;
    this.#works = works;
    this.#lease = lease;
    this.#onServerTime = onServerTime;
  }

  /** The locks that must be free before it is certain how this transaction ended. */
  get locks(): readonly Lock[] {
    return locksOf(this.#works);
  }

  /** Called when the commit is on the server's disk. */
  acknowledged(): void {
    if (this.#precedesSending) this.#lease.renewed(this.#begunAt);
  }

  async run(
    transactionOf: (ask: Ask, page: SelectPage, within: WithinTransaction) => Transaction,
    gathering?: Gathering,
  ): Promise<Tried<Result>> {
    let xid: string;
    let ended: PromiseSettledResult<Result>[];
    try {
      xid = await this.#begin();
      const ask = askBy(
        (name, items) => this.#ask(name, items),
        gathering,
        (asked) => this.#connection.together(asked),
      );
      const within = { policyNumber: this.#policyNumber };
      const tx = transactionOf(ask, (sql, values) => this.#page(sql, values), within);
      const run = ({ work }: GuardedWork<Result>): Promise<Result> => work(tx);
      ended = await Promise.allSettled(gathering?.inTurn(this.#works, run) ?? this.#works.map(run));
    } catch (because) {
      return this.#undo(because, new Set());
    }
    this.#isOver = true;
    const failed = ended.flatMap((end, index) =>
      end.status === 'rejected' ? [{ index, reason: end.reason }] : [],
    );
    if (failed.length > 0) {
      // After a server error, everything else in the transaction fails too, so it is unknown which work caused it.
      const own = failed.filter(({ reason }) => codeOf(reason) === undefined);
      const because = failed.find(({ reason }) => codeOf(reason) !== inFailed)?.reason ?? failed[0]?.reason;
      return this.#undo(because, new Set(own.map(({ index }) => index)));
    }
    const results = ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    return this.#commit(results, xid);
  }

  get #precedesSending(): boolean {
    return this.#works.some(({ guards }) => guards.beforeSending === true);
  }

  /**
   * One round trip: takes the locks, then renews the lease. Reads come later, so that they see what others committed.
   */
  async #begin(): Promise<string> {
    const { locks } = this;
    const isLax = this.#works.every(({ guards }) => guards.unsynced === true);
    const fence = this.#precedesSending;
    const answers = await this.#connection.all([
      'BEGIN',
      /* sql */ `SET LOCAL synchronous_commit = ${isLax ? 'off' : 'on'}`,
      /* sql */ `SET LOCAL lock_timeout = '10s'`,
      ...(locks.length === 0 ? [] : [takeLocks(locks)]),
      fence ? this.#lease.renewalOn(this.#connection) : askNumber(this.#connection),
    ]);
    const rows = answers.at(-1)?.rows ?? [];
    this.#lease.fence(rows);
    this.#policyNumber = numberOf(rows[0]?.policy);
    this.#onServerTime(Number(rows[0]?.now));
    return String(rows[0]?.xid);
  }

  async #ask(name: StatementName, items: string): Promise<readonly Row[]> {
    this.#refuseIfOver();
    const { rows } = await this.#connection.ask(name, sqlOf(name, this.#schema), [items]);
    return rows;
  }

  async #page(sql: string, values: unknown[]): Promise<readonly Row[]> {
    this.#refuseIfOver();
    return (await this.#connection.query(inPlace(sql, this.#schema), values)).rows;
  }

  /** A work that asks after the end would change the journal in a commit of its own, without any guard. */
  #refuseIfOver(): void {
    if (this.#isOver) throw new Error('this transaction is over');
  }

  async #commit(results: readonly Result[], xid: string): Promise<Tried<Result>> {
    let command: string;
    try {
      ({ command } = await this.#connection.query('COMMIT'));
    } catch {
      // The commit may be on disk even if the server reports an error.
      this.#connection.destroy();
      return { is: 'unheard', xid, results };
    }
    // Only this word shows that the server rolled back instead.
    if (command !== 'COMMIT')
      return { is: 'broken-off', because: new ServerTroubleError({ is: 'commit-undone' }) };
    refuseUnawaited(this.#connection);
    return { is: 'committed', results };
  }

  async #undo(because: unknown, failed: ReadonlySet<number>): Promise<Tried<Result>> {
    this.#isOver = true;
    if (this.#connection.isBroken) return { is: 'broken-off', because };
    await this.#connection.query('ROLLBACK').catch(() => this.#connection.destroy());
    // The server has become read-only, so it is not the server to which this connection was made.
    if (codeOf(because) === takesNothing) this.#connection.destroy();
    return { is: 'undone', because, failed };
  }
}

export class NotOnStandby extends Error {}

const waitWasCancelled = '01000';

/** After a commit: it is made here, but the server may not have waited for the standby that must have it. */
export function refuseUnawaited({ warnings }: PgConnection): void {
  if (warnings.includes(waitWasCancelled)) throw new NotOnStandby();
}

const inFailed = '25P02';

const takesNothing = '25006';

const askNumber = ({ here }: PgConnection): string =>
  /* sql */ `SELECT ${here} AS here, pg_current_xact_id()::text AS xid, ${nowMs} AS now`;

type Lock = { readonly number: bigint; readonly isShared: boolean };

/** All processes take locks in the same order, so that no two block each other. */
function locksOf(works: readonly { readonly guards: Guards }[]): readonly Lock[] {
  const isShared = new Map<bigint, boolean>();
  const add = (names: readonly string[] = [], shared: boolean): void => {
    for (const name of names) isShared.set(lockNumber(name), shared);
  };
  for (const { guards } of works) add(guards.spends?.of, true);
  for (const { guards } of works) add([...(guards.alone ?? []), ...(guards.alongside ?? [])], false);
  for (const { guards } of works) add(guards.spends?.isLimited === true ? guards.spends.of : [], false);
  return [...isShared]
    .map(([number, shared]) => ({ number, isShared: shared }))
    .sort((left, right) => (left.number < right.number ? -1 : 1));
}

function lockNumber(name: string): bigint {
  return hash('sha256', name, 'buffer').readBigInt64BE();
}

/** Takes the locks in the given order. Written as two arrays, they are parsed at half the cost. */
export function takeLocks(locks: readonly Lock[]): string {
  const numbers = locks.map(({ number }) => number).join(',');
  const shared = locks.map(({ isShared }) => isShared).join(',');
  return /* sql */ `SELECT count(CASE WHEN shared THEN pg_advisory_xact_lock_shared(number) ELSE pg_advisory_xact_lock(number) END)
    FROM unnest('{${numbers}}'::bigint[], '{${shared}}'::boolean[]) AS lock (number, shared)`;
}

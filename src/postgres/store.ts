import { Failure, isOutage } from '../once/failures.ts';
import type { Gathering, GuardedWork, Guards, Intent, Reads, Work } from '../once/journal/journal.ts';
import { Mutex } from '../once/journal/mutex.ts';
import type { PgConnection } from './connection.ts';
import type { PgConnections, Waiting } from './connections.ts';
import { type Note, ServerTroubleError, sharedFailure } from './facts.ts';
import {
  codeOf,
  isElsewhere,
  isHeldUp,
  isOfNetwork,
  isPassing,
  needsTime,
  serverFailure,
  unreachable,
} from './faults.ts';
import { isFenced, type Lease } from './lease.ts';
import { readVerbs, type SelectPage } from './reading.ts';
import { type Ask, askBy, inPlace, type Row, sqlOf } from './statements.ts';
import { NotOnStandby, refuseUnawaited, SharedTransaction, type Tried, takeLocks } from './transaction.ts';
import { numberOf, spendingReads, type WithinTransaction, writeVerbs } from './writing.ts';

/** How often a commit is retried at once after a rollback that it did not cause. */
const mostTries = 5;

type StoreInputs = {
  readonly place: string;
  readonly schema: string;
  readonly connections: PgConnections;
  readonly lease: Lease;
  readonly silentSinceMs: () => number;
  readonly onServerTime: (nowMs: number) => void;
  /** Called with the last note of a commit that is on the server's disk. */
  readonly onAcknowledged: (note: Note) => void;
};

/** Runs the journal's statements on the server, one transaction at a time. */
export class Store {
  readonly #inputs: StoreInputs;
  readonly #turns = new Mutex();
  /** Intents with an attempt in flight, as they were when it began. */
  readonly #started = new Map<string, Intent>();
  readonly reads: Reads;

  constructor(inputs: StoreInputs) {
    this.#inputs = inputs;
    this.reads = this.readsBy();
  }

  readsBy(gathering?: Gathering): Reads {
    const { schema } = this.#inputs;
    const ask = askBy((name, items) => this.#outside(sqlOf(name, schema), [items], name), gathering);
    return this.#readsOf(ask, (sql, values) => this.#outside(inPlace(sql, schema), values));
  }

  /** Reads outside of a commit see only what is committed. */
  #outside(sql: string, values: unknown[], name?: string): Promise<readonly Row[]> {
    return this.onConnection(async (connection) => {
      const { rows } = await (name === undefined
        ? connection.query(sql, values)
        : connection.ask(name, sql, values));
      return rows;
    });
  }

  /** Has the connection to itself. If it breaks, or the work is rolled back, the work is done again. */
  onConnection<Result>(work: (connection: PgConnection) => Promise<Result>): Promise<Result> {
    return this.#turns.alone(async () => {
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

  #readsOf(ask: Ask, page: SelectPage, within?: WithinTransaction): Reads {
    return {
      ...readVerbs(ask, this.#ownerLives, page),
      ...spendingReads(ask, () => this.#policyNumber(), within),
    };
  }

  async #policyNumber(): Promise<number | undefined> {
    const sql = /* sql */ 'SELECT max(seq) AS number FROM @schema.policies';
    const [row] = await this.#outside(inPlace(sql, this.#inputs.schema), []);
    return numberOf(row?.number);
  }

  /** An owner heard of lately is alive. A silent one is dead once that is recorded, and not soon after a restart. */
  readonly #ownerLives = (row: Row): boolean =>
    typeof row.owner_renewed_at === 'number' &&
    row.owner_ended_at === null &&
    row.owner_renewed_at >= this.#inputs.silentSinceMs();

  /** Ends the lease, so that others need not wait for it to run out. */
  async close(): Promise<void> {
    const { connections, lease } = this.#inputs;
    await this.#turns.alone(async () => {
      if (lease.mayBeKnown) await connections.farewell((connection) => lease.endOn(connection));
      await connections.close();
    });
  }

  commit<Result>(work: Work<Result>, guards: Guards = {}): Promise<Result> {
    const one = { work, guards };
    return this.#commitOne(one, () => this.#effort([one]));
  }

  /** Records what another process of this machine could not. */
  commitAs(owner: string, work: Work<void>, guards: Guards): Promise<void> {
    return this.#commitOne({ work, guards }, () => this.#effort([], undefined, owner));
  }

  async #commitOne<Result>(one: GuardedWork<Result>, effort: () => Effort): Promise<Result> {
    const [end] = await this.#turns.alone(() => this.#settle([one], effort()));
    if (end?.status === 'fulfilled') return end.value;
    throw end?.reason;
  }

  commitTogether<Result>(
    works: readonly GuardedWork<Result>[],
    gathering: Gathering,
  ): Promise<readonly PromiseSettledResult<Result>[]> {
    return this.#turns.alone(() => this.#settle(works, this.#effort(works, gathering)));
  }

  async #settle<Result>(
    works: readonly GuardedWork<Result>[],
    effort: Effort,
  ): Promise<readonly PromiseSettledResult<Result>[]> {
    const { place } = this.#inputs;
    const rejectAll = (reason: unknown): PromiseRejectedResult[] =>
      works.map(() => ({ status: 'rejected', reason: failureOf(reason, place) }));
    let tried: Exclude<Tried<Result>, { is: 'unheard' }>;
    try {
      tried = await this.#try(works, effort);
    } catch (reason) {
      return rejectAll(reason);
    }
    const { tries, waiting } = effort;
    if (tried.is === 'committed') {
      waiting.over();
      return tried.results.map((value) => ({ status: 'fulfilled', value }));
    }
    const { because } = tried;
    // The server answers, so later work starts with a fresh waiting time.
    if (tried.is === 'undone' && !needsTime(because)) waiting.over();
    if (isElsewhere(because)) return rejectAll(because);
    if (isFenced(because)) return this.#withoutFenced(works, effort, because);
    if (tried.is === 'undone') {
      if (works.length > 1) return this.#apart(works, tried.failed, effort);
      if (!isPassing(because)) return rejectAll(because);
    }
    if (!(await mayTryAgain(tries, because, waiting)))
      return rejectAll(await this.#heldUpBy(because, waiting));
    return this.#settle(works, { ...effort, tries: tries + 1 });
  }

  /** A process declared dead may still record replies to what it sent, but nothing else. */
  async #withoutFenced<Result>(
    works: readonly GuardedWork<Result>[],
    effort: Effort,
    reason: unknown,
  ): Promise<readonly PromiseSettledResult<Result>[]> {
    const stays = works.map(({ guards }) => guards.beforeSending !== true);
    const ends = await this.#settle(
      works.filter((_work, index) => stays[index]),
      effort,
    );
    const left = [...ends];
    return stays.map((stay) => (stay ? left.shift() : undefined) ?? { status: 'rejected', reason });
  }

  /** Retries works separately, so that one that fails does not take the others with it. */
  async #apart<Result>(
    works: readonly GuardedWork<Result>[],
    failed: ReadonlySet<number>,
    effort: Effort,
  ): Promise<readonly PromiseSettledResult<Result>[]> {
    const isKnown = failed.size > 0 && failed.size < works.length;
    const goesFirst = works.map((_work, index) => (isKnown ? !failed.has(index) : index < works.length / 2));
    const first = [
      ...(await this.#settle(
        works.filter((_one, index) => goesFirst[index]),
        effort,
      )),
    ];
    const second = [
      ...(await this.#settle(
        works.filter((_one, index) => !goesFirst[index]),
        effort,
      )),
    ];
    return goesFirst.flatMap((isFirst) => (isFirst ? first : second).splice(0, 1));
  }

  #effort(
    works: readonly GuardedWork<unknown>[],
    gathering?: Gathering,
    owner: string = this.#inputs.lease.id,
  ): Effort {
    const isForReply = works.some(({ guards }) => guards.beforeSending !== true);
    return { tries: 1, waiting: this.#inputs.connections.waiting(isForReply), owner, gathering };
  }

  async #try<Result>(
    works: readonly GuardedWork<Result>[],
    { waiting, owner, gathering }: Effort,
  ): Promise<Exclude<Tried<Result>, { is: 'unheard' }>> {
    if (works.length === 0) return { is: 'committed', results: [] };
    const { schema, connections, lease, place, silentSinceMs, onServerTime, onAcknowledged } = this.#inputs;
    let last: Note | undefined;
    let noted: Note | undefined;
    const recorded = (note: Note): void => {
      noted = note;
    };
    const started = (intent: Intent): void => {
      last = { what: 'attempt', id: intent.id, number: intent.attempts };
      recorded(last);
      this.#started.set(intent.id, intent);
    };
    const startedHere = (id: string): Intent | undefined => {
      const intent = this.#started.get(id);
      this.#started.delete(id);
      return intent;
    };
    const connection = await connections.working(waiting);
    const { server } = connections;
    const transaction = new SharedTransaction(connection, schema, works, lease, onServerTime);
    let tried = await transaction.run(
      (ask, page, within) => ({
        ...this.#readsOf(ask, page, within),
        ...writeVerbs(ask, { owner, silentSinceMs, started, recorded, startedHere }),
      }),
      gathering,
    );
    if (tried.is === 'unheard') {
      const unheard = { server, waiting, owner, last };
      tried = await this.#howItEnded(tried, transaction, unheard).catch((error: unknown) => {
        throw last === undefined ? error : unheardOf(error, place);
      });
    }
    if (tried.is !== 'committed') return tried;
    transaction.acknowledged();
    if (noted !== undefined) onAcknowledged(noted);
    return tried;
  }

  /**
   * Finds out how a commit ended whose connection broke. The server may still be committing; once its locks are free,
   * it has either committed or rolled back.
   */
  async #howItEnded<Result>(
    { xid, results }: Tried<Result> & { is: 'unheard' },
    { locks }: SharedTransaction<Result>,
    { server, waiting, owner, last }: Unheard,
  ): Promise<Exclude<Tried<Result>, { is: 'unheard' }>> {
    const { connections, lease } = this.#inputs;
    const because = new ServerTroubleError({ is: 'connection-lost' });
    do {
      const connection = await connections.working(waiting);
      const isSame = connections.server === server;
      const status = isSame ? await statusOf(xid, locks, connection) : 'elsewhere';
      if (status === 'unsettled') continue;
      if (status === 'aborted') return { is: 'broken-off', because };
      // After a crash, the server may give a forgotten transaction number to another transaction, and a different
      // server knows none of the numbers. So a started attempt is looked up itself. Other work is run again and finds
      // what it did.
      if (last !== undefined && !(await this.#isStarted(last, owner, connection)))
        return { is: 'broken-off', because };
      if (!(await isOnStandby(connection, lease))) continue;
      return last === undefined ? { is: 'broken-off', because } : { is: 'committed', results };
    } while (await waiting.again());
    if (await this.#awaitsStandby(waiting)) throw new NotOnStandby();
    throw because;
  }

  /** A lock may be held by a commit that waits for a standby. */
  async #heldUpBy(error: unknown, waiting: Waiting): Promise<unknown> {
    return isHeldUp(error) && (await this.#awaitsStandby(waiting)) ? new NotOnStandby() : error;
  }

  /** Whether a commit of this role is on the server's disk but still waits for a standby. */
  async #awaitsStandby(waiting: Waiting): Promise<boolean> {
    try {
      const connection = await this.#inputs.connections.working(waiting);
      return (await connection.query(awaitsStandby)).rows.length > 0;
    } catch {
      return false;
    }
  }

  /** Whether this attempt, and everything committed with it, is recorded. */
  async #isStarted(note: Note, owner: string, connection: PgConnection): Promise<boolean> {
    const sql = sqlOf('attemptStarted', this.#inputs.schema);
    const { rows } = await connection.ask('attemptStarted', sql, [
      JSON.stringify([{ n: 0, ...note, owner }]),
    ]);
    return rows.length > 0;
  }
}

/** What needs time is limited by `--max-wait`, everything else by a count. */
async function mayTryAgain(tries: number, error: unknown, waiting: Waiting): Promise<boolean> {
  if (!needsTime(error)) return tries < mostTries;
  return tries === 1 || (await waiting.again());
}

const awaitsStandby = /* sql */ `SELECT FROM pg_stat_activity WHERE usename = current_user AND wait_event = 'SyncRep' LIMIT 1`;

/** The server that was asked to commit, and what the commit was to start. */
type Unheard = {
  readonly server: string;
  readonly waiting: Waiting;
  readonly owner: string;
  readonly last: Note | undefined;
};

/** How often a commit was tried, how long it may still take, for which owner, and how its works share it. */
type Effort = {
  readonly tries: number;
  readonly waiting: Waiting;
  readonly owner: string;
  readonly gathering: Gathering | undefined;
};

async function statusOf(
  xid: string,
  locks: SharedTransaction<unknown>['locks'],
  connection: PgConnection,
): Promise<'committed' | 'aborted' | 'unsettled'> {
  try {
    const answers = await connection.all([
      'BEGIN',
      /* sql */ `SET LOCAL lock_timeout = '1s'`,
      ...(locks.length === 0 ? [] : [takeLocks(locks)]),
      /* sql */ `SELECT pg_xact_status('${xid}'::xid8) AS status`,
      'COMMIT',
    ]);
    const status = answers.at(-2)?.rows[0]?.status;
    return status === 'committed' || status === 'aborted' ? status : 'unsettled';
  } catch (error) {
    if (connection.isBroken) return 'unsettled';
    await connection.query('ROLLBACK').catch(() => connection.destroy());
    // This server has not reached that number yet, so it is an earlier state of the other one.
    return codeOf(error) === '22023' ? 'aborted' : 'unsettled';
  }
}

/** Nobody knows whether the commit waited for the standby. A later commit that waits for it covers the earlier one. */
async function isOnStandby(connection: PgConnection, lease: Lease): Promise<boolean> {
  try {
    await connection.all([
      'BEGIN',
      /* sql */ 'SET LOCAL synchronous_commit = on',
      lease.renewalOn(connection),
      'COMMIT',
    ]);
  } catch {
    connection.destroy();
    return false;
  }
  refuseUnawaited(connection);
  return true;
}

/** The failure to report for an error of the server, the network or the driver. */
/** An attempt may have been begun, so whoever looks next must take it for sent. */
function unheardOf(error: unknown, place: string): unknown {
  const failure = failureOf(error, place);
  const passes = failure instanceof Failure && isOutage(failure.code);
  return passes ? sharedFailure('unheard', { place }, error) : failure;
}

function failureOf(error: unknown, place: string): unknown {
  if (error instanceof NotOnStandby) return sharedFailure('not-on-standby', { place });
  return isOfNetwork(error) ? unreachable(error, place) : serverFailure(error, place);
}

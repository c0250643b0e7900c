import { nextTurn } from '../../machine/process.ts';
import type { Failure } from '../failures.ts';
import { journalFailure } from './failures.ts';
import type { GuardedWork, Guards, Reads, Work } from './journal.ts';
import type { Known, Note } from './note.ts';
import type { Ask } from './rows.ts';
import { type AskingBase, readsOf, writesOf } from './verbs.ts';

/** The reads that each database answers in its own way. */
export type OwnReads = Pick<Reads, 'processOf'>;

export type Base = AskingBase & {
  readonly reads: OwnReads;
  /** Asks outside of a commit. It sees only what is committed. */
  readonly ask: Ask;
  /** Runs the work in one transaction, durable when this resolves, and again if others caused a rollback. */
  transact<Result>(work: (ask: Ask, reads: OwnReads) => Promise<Result>, guards: Guards): Promise<Result>;
  /** Whether a failed commit fails all its works: none of them caused it, or the commit was made after all. */
  failedAsWhole(reason: unknown): boolean;
  /** The failure of a commit that was made but could not be noted. Undefined if the commit still counts. */
  notNoted(error: unknown): Failure | undefined;
};

/** The journal's verbs on a database: one commit at a time. */
export class Store {
  readonly #base: Base;
  readonly #note: Note;
  readonly reads: Reads;

  /** `isInterrupted` is asked before each further page of a long read. */
  constructor(base: Base, note: Note, isInterrupted: () => boolean = () => false) {
    const beforeNext = async (): Promise<void> => {
      // A file answers at once. Without a turn of the event loop, no signal would be noticed.
      await nextTurn();
      if (isInterrupted()) throw journalFailure('interrupted', {});
    };
    this.#base = base;
    this.#note = note;
    this.reads = { ...base.reads, ...readsOf(base.ask, base, beforeNext) };
  }

  async commit<Result>(work: Work<Result>, guards: Guards = {}): Promise<Result> {
    let latest: Known | undefined;
    const result = await this.#base.transact((ask, reads) => {
      // An earlier try was rolled back. If it were noted, the journal would always seem to have lost it.
      latest = undefined;
      const writes = writesOf(ask, this.#base, (known) => {
        latest = known;
      });
      return work({ ...reads, ...readsOf(ask, this.#base), ...writes });
    }, guards);
    if (latest !== undefined) this.#noteDown(latest);
    return result;
  }

  /** Call this after the commit and before anything is sent. */
  #noteDown(latest: Known): void {
    try {
      this.#note.note(latest);
    } catch (error) {
      const failure = this.#base.notNoted(error);
      if (failure !== undefined) throw failure;
    }
  }

  /**
   * Runs several works in one commit, one after another. If one fails, each is tried alone, so that the others do not
   * fail with it.
   */
  async commitTogether<Result>(
    works: readonly GuardedWork<Result>[],
  ): Promise<readonly PromiseSettledResult<Result>[]> {
    const guards = { beforeSending: works.some(({ guards }) => guards.beforeSending === true) };
    try {
      return await this.commit(async (tx) => {
        const ends: PromiseSettledResult<Result>[] = [];
        for (const { work } of works) ends.push({ status: 'fulfilled', value: await work(tx) });
        return ends;
      }, guards);
    } catch (reason) {
      if (works.length === 1 || this.#base.failedAsWhole(reason))
        return works.map(() => ({ status: 'rejected', reason }));
      return Promise.allSettled(works.map(({ work, guards }) => this.commit(work, guards)));
    }
  }
}

import { type BatchPlan, paidBy } from '../../../batch/plan.ts';
import { type ChainView, isPaidAgain, latestView, wasRepeated } from '../../../chain/verdict.ts';
import { type Chain, type Until, type Verified, type WaitOptions, watch } from '../../../chain/verify.ts';
import type { Journal } from '../../../once/journal/journal.ts';
import { counted, formatDuration } from '../../../once/phrases.ts';
import { openChain, refuseNoMint, refuseOtherCluster, refuseUnprovable, waitMsOf } from '../../run/chain.ts';
import { storedReport, withChain } from '../../run/stored.ts';
import { tellRow } from '../../run/telling.ts';
import { progressWords } from '../../wording/batch.ts';
import type { Batch } from './options.ts';

/** How many accepted rows got each answer from the chain. */
export type RowsOnChain = {
  readonly proven: number;
  readonly contradicted: number;
  readonly paidAgain: number;
  /** The service was asked more than once, and no search shows what it paid. */
  readonly unsure: number;
  readonly undecided: number;
};

/** Waits for the chain to show the rows of a batch, once all have been sent. */
export class BatchWait {
  readonly #options: WaitOptions;
  readonly #batch: Batch;
  readonly #chain: Chain;

  private constructor(options: WaitOptions, batch: Batch, chain: Chain) {
    this.#options = options;
    this.#batch = batch;
    this.#chain = chain;
  }

  static async open(until: Until, batch: Batch): Promise<BatchWait> {
    const { bot, app } = batch;
    refuseUnprovable('SOL', bot, until);
    const options = { until, waitMs: waitMsOf(app) };
    return new BatchWait(options, batch, await openChain(bot, app));
  }

  /** Before any row is sent: checks that the node is on the cluster and that every asset can be recognised. */
  async ready({ rows }: BatchPlan): Promise<void> {
    const { bot } = this.#batch;
    const assets = new Set(rows.flatMap((row) => paidBy(row)?.asset ?? []));
    for (const asset of assets) refuseUnprovable(asset, bot, this.#options.until);
    await refuseOtherCluster(this.#chain);
    for (const asset of assets) await refuseNoMint(asset, this.#chain, bot);
  }

  /** Waits for all accepted rows together. */
  async end(plan: BatchPlan, journal: Journal): Promise<RowsOnChain> {
    const { display, clock, interrupts } = this.#batch.app;
    const counts = { proven: 0, contradicted: 0, paidAgain: 0, unsure: 0, undecided: 0 };
    const accepted = await this.#accepted(plan, journal, counts);
    const all = accepted.length;
    let ended = 0;
    if (all > 0 && !display.watched && !display.quiet)
      display.notice(
        `Waiting up to ${formatDuration(this.#options.waitMs)} for ${counted(all, 'transfer')} to be ${this.#options.until}, as seen by ${this.#chain.node.host}.`,
      );
    const begunMs = clock.now();
    const line = (): string => {
      const [failed, unknown] = [counts.contradicted + counts.paidAgain, counts.undecided];
      const stand = { toDo: all, done: ended - failed - unknown, failed, unknown };
      return `On chain: ${progressWords(stand, clock.now() - begunMs)}`;
    };
    const stop = display.watched ? display.meter(line) : (): void => {};
    const onEnd = async ({ entry, view }: Verified): Promise<void> => {
      counts[countedAs(view)] += 1;
      if (wasRepeated(entry) && view.payments === undefined) counts.unsure += 1;
      ended += 1;
      await this.#tell(entry.id, journal, view);
    };
    const watching = { ...this.#options, clock, interrupted: interrupts.first, onLook: () => {}, onEnd };
    try {
      const left = await watch(accepted, this.#chain, watching, journal);
      for (const id of left) await this.#tell(id, journal);
      return { ...counts, undecided: counts.undecided + left.length };
    } finally {
      stop();
    }
  }

  async #accepted({ rows }: BatchPlan, journal: Journal, counts: { proven: number }): Promise<string[]> {
    const open: string[] = [];
    for (const { entry: id } of rows) {
      const entry = id === undefined ? undefined : await journal.reads.get(id);
      if (entry?.state !== 'accepted') continue;
      const view = latestView(await journal.reads.observationsOf(entry.id));
      const isSeen = view?.verdict === 'likely' && this.#options.until === 'confirmed';
      if ((isSeen || view?.verdict === 'proven') && !wasRepeated(entry)) counts.proven += 1;
      else open.push(entry.id);
    }
    return open;
  }

  /** With --json, reports each row again, with the chain's answer. For a person, reports only rows with a problem. */
  async #tell(id: string, journal: Journal, seen?: ChainView): Promise<void> {
    const entry = await journal.reads.get(id);
    if (entry === undefined) return;
    const { args, display } = this.#batch.app;
    const stored = await storedReport(entry, args.command, journal.reads);
    const report = withChain(stored, seen ?? stored.chain, this.#options.until);
    // A warning about many rows is shown once, at the end.
    await tellRow({ ...report, warnings: [] }, display);
  }
}

function countedAs(view: ChainView): Exclude<keyof RowsOnChain, 'unsure'> {
  if (isPaidAgain(view)) return 'paidAgain';
  return view.verdict === 'likely' ? 'proven' : view.verdict;
}

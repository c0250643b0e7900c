import { type ChainView, isFinalMatch, isOfOtherTime, standingOf } from '../../../once/chain/standing.ts';
import type { ChainPoint } from '../../../once/engine/context.ts';
import type { Intent, Journal } from '../../../once/journal/journal.ts';
import { rowPaidEarlier } from '../../say/chain.ts';
import { counted, formatDuration, listed } from '../../say/phrases.ts';
import { outcomeView } from '../../show/report.ts';
import {
  chainNow,
  type OpenedChain,
  openChain,
  refuseNoMint,
  refuseOtherCluster,
  refuseUnprovable,
  type Verified,
  verifyEach,
} from '../chain.ts';
import type { WaitOptions } from '../inputs.ts';
import { chainProblem, chainStandingOf, storedReport } from '../stored.ts';
import { reportJsonOrError } from '../telling.ts';
import type { Batch } from './options.ts';

/** How many accepted rows the chain has not proven, and how many it contradicts. */
export type RowsOnChain = {
  readonly proven: number;
  readonly contradicted: number;
  /** The chain shows a payment from another time. */
  readonly otherTime: number;
  readonly undecided: number;
};

type Counts = { proven: number; contradicted: number; otherTime: number };

const pageLength = 256;

/** Waits for the chain to show the rows of a batch, once all have been sent. */
export class BatchWait {
  readonly #options: WaitOptions;
  readonly #batch: Batch;
  readonly #chain: OpenedChain;
  #before: ChainPoint | undefined;

  private constructor(options: WaitOptions, batch: Batch, chain: OpenedChain) {
    this.#options = options;
    this.#batch = batch;
    this.#chain = chain;
  }

  static async open(options: WaitOptions, batch: Batch): Promise<BatchWait> {
    const { bot, given, context } = batch;
    refuseUnprovable('SOL', bot, options.until);
    return new BatchWait(options, batch, await openChain(bot, given, context));
  }

  /** Before any row is sent: checks that the nodes are on the cluster and that every asset can be recognised. */
  async ready(): Promise<void> {
    const { bot, sheet } = this.#batch;
    const assets = new Set<string>();
    for (const row of sheet.rows()) if (row.request !== undefined) assets.add(assetIn(row.request));
    for (const asset of assets) refuseUnprovable(asset, bot, this.#options.until);
    await refuseOtherCluster(this.#chain);
    for (const asset of assets) await refuseNoMint(asset, this.#chain, bot);
    this.#before = await chainNow(this.#chain);
  }

  /** Checks undecided rows again and again until the time is over. */
  async end(journal: Journal): Promise<RowsOnChain> {
    const { display, clock, interrupts } = this.#batch.context;
    const counts = { proven: 0, contradicted: 0, otherTime: 0 };
    let left = await this.#accepted(journal, counts);
    const all = left.length;
    const endsAtMs = clock.now() + this.#options.waitMs;
    if (all > 0 && !display.watched && !display.quiet)
      display.notice(
        `Waiting up to ${formatDuration(this.#options.waitMs)} for ${counted(all, 'transfer')} to be ${this.#options.until}, as seen by ${listed(this.#chain.nodes.hosts)}.`,
      );
    const stop = display.watched
      ? display.meter(() => ({
          share: 1 - left.length / Math.max(1, all),
          text: `On chain: ${all - left.length} of ${all}`,
        }))
      : (): void => {};
    try {
      for (let pauseMs = 250; left.length > 0; pauseMs = asksAgainAfterMs(pauseMs)) {
        left = await this.#lookAt(left, journal, counts);
        const isOver = clock.now() + pauseMs > endsAtMs || interrupts.first.aborted;
        if (left.length === 0 || isOver) break;
        await clock.sleep(pauseMs, interrupts.first);
      }
    } finally {
      stop();
    }
    for (const intent of left) await this.#tell(intent, journal);
    return { ...counts, undecided: left.length };
  }

  /** How far the chain had come before the first row was sent. */
  before(): ChainPoint | undefined {
    return this.#before;
  }

  close(): Promise<void> {
    return this.#chain.close();
  }

  async #accepted(journal: Journal, counts: Counts): Promise<Intent[]> {
    const open: Intent[] = [];
    for (const { intent: id } of this.#batch.sheet.rows()) {
      const intent = id === undefined ? undefined : await journal.reads.get(id);
      if (intent?.state !== 'accepted') continue;
      const { view, acknowledged } = standingOf(await journal.reads.observationsOf(intent.id));
      if (acknowledged || (view !== undefined && isFinalMatch(view) && this.#isReached(view)))
        counts.proven += 1;
      else if (view?.verdict === 'contradicted') counts.contradicted += 1;
      else open.push(intent);
    }
    return open;
  }

  /** Returns the intents that must be checked again. */
  async #lookAt(intents: readonly Intent[], journal: Journal, counts: Counts): Promise<Intent[]> {
    const left: Intent[] = [];
    const note = async (verified: Verified): Promise<void> => {
      if (this.#isReached(verified.view)) counts.proven += 1;
      else if (verified.view.verdict === 'contradicted') counts.contradicted += 1;
      else if (isOfOtherTime(verified.view)) counts.otherTime += 1;
      else {
        left.push(verified.intent);
        return;
      }
      await this.#tell(verified.intent, journal);
    };
    for (let from = 0; from < intents.length; from += pageLength)
      await verifyEach(
        intents.slice(from, from + pageLength),
        { of: async () => this.#chain },
        journal,
        note,
      );
    return left;
  }

  #isReached({ verdict }: ChainView): boolean {
    return verdict === 'proven' || (verdict === 'likely' && this.#options.until === 'confirmed');
  }

  /**
   * With --json reports each row once more, with what the chain says; for a person only contradictions and oddities.
   */
  async #tell(intent: Intent, journal: Journal): Promise<void> {
    const { given, context } = this.#batch;
    const { display } = context;
    const report = await storedReport(intent, given.command, journal.reads);
    const standing = await chainStandingOf(intent, journal.reads);
    const view = standing.view;
    const end = view && { view, until: this.#options.until };
    const problem = chainProblem(intent, report.attempt, standing, end);
    if (display.face === 'json') {
      const json = await reportJsonOrError(problem === undefined ? report : { ...report, problem }, display);
      await display.show({ ...outcomeView(report), json });
    } else if (problem !== undefined) display.warn(problem.message, problem.next);
    else if (view?.earlier === true) display.warn(rowPaidEarlier(intent, view));
  }
}

function assetIn(request: string): string {
  return String((JSON.parse(request) as { asset?: unknown }).asset);
}

const longestPauseMs = 2000;

/** The pause before the chain is asked again. */
function asksAgainAfterMs(pauseMs: number): number {
  return Math.min(longestPauseMs, 2 * pauseMs);
}

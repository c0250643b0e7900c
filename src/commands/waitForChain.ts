import { ownSignatures } from '../chain/ownSignatures.ts';
import type { ChainView } from '../chain/proof.ts';
import { isSettled, standingOf } from '../chain/standing.ts';
import { watch } from '../chain/watch.ts';
import type { Context } from '../context.ts';
import type { Intent, Journal, Reads } from '../journal/journal.ts';
import { chainWaitOver, chainWaitText, provenOnChain, waitingForChain } from '../words/chain.ts';
import type { OpenedChain } from './openChain.ts';
import type { WaitOptions } from './waitOptions.ts';

type Inputs = {
  readonly chain: OpenedChain;
  readonly options: WaitOptions;
  readonly journal: Journal;
  readonly context: Context;
};

/** Waits until the chain shows an accepted transfer, and says how far it is; what is proven before is not asked again. */
export async function waitForChain(intent: Intent, inputs: Inputs): Promise<ChainView> {
  const { chain, options, journal, context } = inputs;
  const { display, clock, interrupts } = context;
  const known = standingOf(await journal.reads.observationsOf(intent.id));
  if (known.view !== undefined && isSettled(known)) return known.view;
  const [signature] = await signaturesOf(intent, journal.reads);
  const payment = chain.paymentOf(intent);
  if (signature === undefined || payment === undefined)
    return unseen(chain, signature === undefined ? 'no-signature' : 'no-mint');
  const endsAtMs = clock.now() + options.waitMs;
  let latest: ChainView | undefined;
  const text = (): string => chainWaitText(options.until, latest, endsAtMs - clock.now());
  const share = (): number => 1 - Math.max(0, endsAtMs - clock.now()) / Math.max(1, options.waitMs);
  const isPiped = !display.interactive && !display.quiet;
  if (isPiped) display.notice(waitingForChain(options.until, chain.nodes.hosts, options.waitMs));
  const stop = display.interactive ? display.meter(() => ({ share: share(), text: text() })) : () => {};
  try {
    const view = await watch(
      { id: intent.id, signature, payment, cluster: chain.cluster },
      {
        ...options,
        nodes: chain.nodes,
        interrupted: interrupts.first,
        clock,
        reasonOf: provenOnChain,
        onLook: (look) => {
          latest = look;
        },
      },
      journal,
    );
    if (isPiped) display.notice(chainWaitOver(view));
    return view;
  } finally {
    stop();
  }
}

export async function signaturesOf(intent: Intent, reads: Reads): Promise<string[]> {
  const attempts = await reads.attemptsOf(intent.id);
  return ownSignatures(intent, attempts, await reads.decisionsOf(intent.id));
}

/** What nobody can look for. */
export function unseen({ cluster, nodes }: OpenedChain, because: 'no-signature' | 'no-mint'): ChainView {
  return { verdict: 'undecided', cluster: cluster.name, rpc: nodes.hosts, reasons: [because] };
}

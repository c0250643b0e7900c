import type { Observation } from '../journal/journal.ts';
import type { ChainBefore } from './age.ts';
import type { Cluster } from './cluster.ts';
import type { ChainView } from './proof.ts';

/** What the journal knows of an intent by the chain. */
export type ChainStanding = {
  /** What counts: what is proven, else the latest look. */
  readonly view: ChainView | undefined;
  /** A person has dealt with the contradiction that counts. */
  readonly acknowledged: boolean;
};

export function standingOf(observations: readonly Observation[]): ChainStanding {
  const proven = observations.findLast(({ verdict }) => verdict === 'proven');
  const counts =
    proven ?? observations.findLast(({ verdict }) => verdict !== 'acknowledged' && verdict !== 'before');
  const last = observations.at(-1);
  return {
    view: counts && viewOf(counts),
    acknowledged: last?.verdict === 'acknowledged',
  };
}

/** Proven, or dealt with by a person: what a further look shows is no news to anybody. */
export function isSettled({ view, acknowledged }: ChainStanding): boolean {
  return view?.verdict === 'proven' || acknowledged;
}

/** Nothing that a further look could change. */
export function isFinal({ view, acknowledged }: ChainStanding): boolean {
  return view !== undefined && (isFinalMatch(view) || view.verdict === 'contradicted' || acknowledged);
}

/** It was paid, as far as that can be known: without a wallet nobody can say whose money it was. */
export function isFinalMatch(view: ChainView): view is ChainView & { readonly instruction: string } {
  const { verdict, commitment, instruction } = view;
  return (
    instruction !== undefined &&
    (verdict === 'proven' || (verdict === 'likely' && commitment === 'finalized'))
  );
}

/** What speaks against it until a person has dealt with it. */
export function isAgainst(view: ChainView | undefined): boolean {
  return view?.verdict === 'contradicted' || isOfOtherTime(view);
}

export function isOfOtherTime(view: ChainView | undefined): boolean {
  return view?.reasons.includes('other-time') === true;
}

/** How far the chain had come before the first attempt: only what went on record with that attempt says so. */
export function chainBefore(
  [first]: readonly Observation[],
  { genesis }: Pick<Cluster, 'genesis'>,
): ChainBefore | undefined {
  if (first?.verdict !== 'before' || first.genesis !== genesis) return undefined;
  const { slot, node_ms: nodeMs } = JSON.parse(first.facts) as { slot: number; node_ms?: number };
  return { slot, nodeMs };
}

/** As it was kept; undefined where it was damaged since, or is no look at a chain. */
function viewOf({ verdict, facts }: Observation): ChainView | undefined {
  if (verdict === 'acknowledged' || verdict === 'before') return undefined;
  try {
    return { ...(JSON.parse(facts) as ChainView), verdict };
  } catch {
    return undefined;
  }
}

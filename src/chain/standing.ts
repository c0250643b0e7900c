import type { Observation } from '../journal/journal.ts';
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
  const counts = proven ?? observations.findLast(({ verdict }) => verdict !== 'acknowledged');
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
  return view?.verdict === 'proven' || view?.verdict === 'contradicted' || acknowledged;
}

/** As it was kept; undefined where it was damaged since, or is no look at a chain. */
function viewOf({ verdict, facts }: Observation): ChainView | undefined {
  if (verdict === 'acknowledged') return undefined;
  try {
    return { ...(JSON.parse(facts) as ChainView), verdict };
  } catch {
    return undefined;
  }
}

import { clusterOf, explorerLink } from '../chain/cluster.ts';
import type { ChainView } from '../chain/proof.ts';
import type { ChainStanding } from '../chain/standing.ts';
import { chainLine, paidWords } from '../words/chain.ts';
import { iso } from '../words/time.ts';

/** What was paid is what was asked for, as far as the chain shows it. */
function agrees({ verdict }: ChainView): boolean {
  return verdict === 'proven' || verdict === 'likely';
}

type Fact = readonly [string, string | undefined];

/** What is known of a transfer by the chain: the verdict, what was paid, where, and where to look. */
export function chainFacts(chain: ChainStanding | undefined, asset: string | undefined): Fact[] {
  const view = chain?.view;
  if (view === undefined) return [];
  const { slot, block_time: timeS, paid, signature = '' } = view;
  const cluster = clusterOf(view.cluster);
  const when = timeS === undefined ? '' : `, ${iso(1000 * timeS)}`;
  return [
    ['Chain', `${chainLine(view)}${chain?.acknowledged === true ? ' (acknowledged)' : ''}`],
    ['Paid', paid && paidWords(paid, agrees(view) ? asset : undefined)],
    ['Slot', slot === undefined ? undefined : `${slot} of ${view.cluster}${when}`],
    ['Explorer', cluster && explorerLink(cluster, signature)],
  ];
}

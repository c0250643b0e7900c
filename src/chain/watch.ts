import type { Journal } from '../journal/journal.ts';
import type { ChainNodes, Sighting } from './nodes.ts';
import type { ChainView, Look } from './proof.ts';
import { judgeUnsettled, settle } from './settle.ts';

/** How far a transfer is to come before it counts as seen. */
export type Until = 'confirmed' | 'finalized';

type Watching = {
  readonly nodes: ChainNodes;
  readonly until: Until;
  readonly waitMs: number;
  readonly interrupted: AbortSignal;
  readonly clock: { now(): number; sleep(waitMs: number, signal: AbortSignal): Promise<void> };
  /** Words the reason that is kept where what is seen proves that it happened. */
  readonly reasonOf: (view: ChainView) => string;
  /** Told after each look that decides nothing. */
  onLook(view: ChainView): void;
};

type Watched = Omit<Look, 'sighting' | 'hosts'> & { readonly id: string };

const firstPauseMs = 250;
const longestPauseMs = 2000;

/** Looks again and again until it has come so far, the time is over, or nothing more can come of it. */
export async function watch(
  { id, ...wanted }: Watched,
  watching: Watching,
  journal: Journal,
): Promise<ChainView> {
  const { nodes, until, clock, interrupted, waitMs } = watching;
  const endsAtMs = clock.now() + waitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
    const sighting = await sightOf(wanted.signature, nodes, until);
    const look: Look = { ...wanted, sighting, hosts: nodes.hosts };
    const waited = Math.max(pauseMs, sighting.saw === 'nothing' ? (sighting.waitMs ?? 0) : 0);
    const isOver = interrupted.aborted || clock.now() + waited > endsAtMs;
    if (isOver || cameSoFar(sighting, until)) {
      const view = await settle(look, id, journal, watching.reasonOf);
      if (isOver || isEnd(view, sighting)) return view;
    }
    watching.onLook(await judgeUnsettled(look, id, journal));
    await clock.sleep(waited, interrupted);
  }
}

async function sightOf(signature: string, nodes: ChainNodes, least: Until): Promise<Sighting> {
  return nodes.sight(signature, await nodes.statusesOf([signature]), least);
}

function cameSoFar(sighting: Sighting, until: Until): boolean {
  if (sighting.saw !== 'transaction') return false;
  return sighting.commitment === 'finalized' || until === 'confirmed';
}

/** What is final changes no more; what is confirmed and does not match yet may still be replaced. */
function isEnd({ verdict }: ChainView, sighting: Sighting): boolean {
  return verdict !== 'undecided' || (sighting.saw === 'transaction' && sighting.commitment === 'finalized');
}

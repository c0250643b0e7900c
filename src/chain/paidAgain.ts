import type { Entry, Journal, Reads } from '../once/journal/journal.ts';
import type { RpcNode } from './node.ts';
import type { Candidate } from './search.ts';
import {
  type ChainView,
  isFurther,
  isHeldByAnother,
  latestView,
  ownPayment,
  type SeenPayment,
  viewOf,
} from './verdict.ts';

// If a payment was made more than once, the journal keeps an observation of each further payment that is final.

/**
 * The chain's latest answer about an entry: `seen`, or else the one in the journal. It includes the other payments,
 * except those that have since been given to another entry.
 */
export async function chainViewOf(
  entry: Pick<Entry, 'id' | 'kind' | 'baseUrl'>,
  reads: Pick<Reads, 'observationsOf' | 'decisionsOf' | 'otherHolder'>,
  seen?: ChainView,
  candidates: readonly Candidate[] = [],
): Promise<ChainView | undefined> {
  const observations = entry.kind === 'transfer' ? await reads.observationsOf(entry.id) : [];
  const marks = observations.filter(isFurther);
  const further = new Map(candidates.map((one) => [one.signature, paymentOf(one)]));
  const notedAtMs = marks.length === 0 ? 0 : await notedAt(entry.id, reads);
  for (const mark of marks) {
    const { signature = '', genesis = '', atMs } = mark;
    if (!(await isHeldByAnother(entry, signature, { genesis }, reads)))
      further.set(signature, {
        ...(viewOf(mark)?.further ?? { signature }),
        ...(atMs <= notedAtMs && { noted: true }),
      });
  }
  const view = seen ?? latestView(observations);
  if (further.size === 0) return view;
  const whole = view ?? ({ verdict: 'undecided', rpc: '', reasons: ['no-signature'] } as const);
  return { ...whole, payments: [...ownPayment(whole), ...further.values()] };
}

/** Stores final payments. This proves nothing: a reply or a person may still show that another entry made one. */
export async function keepFurther(
  seen: readonly Candidate[],
  { id }: Entry,
  node: RpcNode,
  journal: Journal,
): Promise<void> {
  const cluster = await node.cluster();
  const final = seen.filter(({ isFinal }) => isFinal);
  if (final.length === 0 || 'because' in cluster) return;
  await journal.commit(async (tx) => {
    const known = (await tx.observationsOf(id)).filter(isFurther).map(({ signature }) => signature);
    // What is found after a person's note must be dated later than the note, even if the clock was set back.
    const atMs = Math.max(journal.clock.now(), 1 + (await notedAt(id, tx)));
    for (const one of final.filter(({ signature }) => !known.includes(signature))) {
      const facts = JSON.stringify({ further: paymentOf(one), rpc: node.host });
      const { signature } = one;
      await tx.observe(id, { verdict: 'likely', atMs, signature, genesis: cluster.genesis, facts });
    }
  });
}

/** When a person last decided that it happened, or noted the other payments. */
async function notedAt(id: string, reads: Pick<Reads, 'decisionsOf'>): Promise<number> {
  return (await reads.decisionsOf(id)).findLast(({ kind }) => kind === 'happened')?.atMs ?? 0;
}

function paymentOf({ signature, atMs }: Candidate): SeenPayment {
  return { signature, ...(atMs === undefined ? {} : { at: Math.floor(atMs / 1000) }) };
}

import type { Entry, Journal, Reads } from '../once/journal/journal.ts';
import type { RpcNode } from './node.ts';
import { type Candidate, isHeldByAnother } from './search.ts';
import {
  type ChainView,
  furtherFacts,
  isFurther,
  ownPayment,
  type SeenPayment,
  standingOf,
  viewOf,
} from './verdict.ts';

// A payment that was made more than once has a mark: an observation of each other payment, once that is final.

type Asking = Pick<Reads, 'observationsOf' | 'decisionsOf' | 'otherHolder'>;
type Owner = Pick<Entry, 'id' | 'baseUrl'>;

/** What the journal has of the chain's word on an entry: the look that counts, and what else was paid. */
export async function chainViewOf(entry: Owner, reads: Asking): Promise<ChainView | undefined> {
  const observations = await reads.observationsOf(entry.id);
  const [further] = observations.filter(isFurther);
  const view = standingOf(observations);
  if (further === undefined) return view;
  return withFurther(view ?? { rpc: '', ...viewOf(further), ...unsigned }, entry, reads);
}

const unsigned = { verdict: 'undecided', reasons: ['no-signature'] } as const;

/** With the other payments, as far as no other entry was given them since, and with what was seen just now. */
export async function withFurther(
  view: ChainView,
  entry: Owner,
  reads: Asking,
  seen: readonly Candidate[] = [],
): Promise<ChainView> {
  const further = new Map<string, SeenPayment>(
    seen.map(({ signature, atMs }) => [signature, { signature, ...secondOf(atMs) }]),
  );
  const rows = (await reads.observationsOf(entry.id)).filter(isFurther);
  const notedAtMs = rows.length === 0 ? 0 : await notedAt(entry, reads);
  for (const { signature = '', genesis = '', atMs, facts } of rows) {
    const { at } = JSON.parse(facts) as Pick<SeenPayment, 'at'>;
    const noted = atMs <= notedAtMs ? ({ noted: true } as const) : {};
    if (!(await isHeldByAnother(entry, signature, { genesis }, reads)))
      further.set(signature, { signature, ...(at === undefined ? {} : { at }), ...noted });
  }
  return further.size === 0 ? view : { ...view, payments: [...ownPayment(view), ...further.values()] };
}

/** Keeps what is final. It proves nothing: a reply, or a person, may still give it to an entry of its own. */
export async function keepFurther(
  seen: readonly Candidate[],
  { id }: Owner,
  node: RpcNode,
  journal: Journal,
): Promise<void> {
  const cluster = await node.cluster();
  const final = seen.filter(({ isFinal }) => isFinal);
  if (final.length === 0 || 'because' in cluster) return;
  await journal.commit(async (tx) => {
    const known = (await tx.observationsOf(id)).filter(isFurther);
    // What is found later is not noted yet, whatever the clock says.
    const atMs = Math.max(journal.clock.now(), 1 + (await notedAt({ id }, tx)));
    for (const { signature, atMs: paidAtMs } of final) {
      if (known.some((one) => one.signature === signature)) continue;
      const facts = furtherFacts({ ...secondOf(paidAtMs), rpc: node.host });
      await tx.observe(id, { verdict: 'likely', atMs, signature, genesis: cluster.genesis, facts });
    }
  });
}

/** When a person last said that it happened, or noted what else was paid. */
async function notedAt({ id }: Pick<Entry, 'id'>, reads: Pick<Reads, 'decisionsOf'>): Promise<number> {
  return (await reads.decisionsOf(id)).findLast(({ kind }) => kind === 'happened')?.atMs ?? 0;
}

function secondOf(atMs: number | undefined): { at?: number } {
  return atMs === undefined ? {} : { at: Math.floor(atMs / 1000) };
}

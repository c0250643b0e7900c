import { isSignature } from '../once/entry/signature.ts';
import type { Attempt, Decision, Entry, Observation, Reads, Receipt } from '../once/journal/journal.ts';
import { readReply, resultIn } from '../once/wire/flight.ts';
import type { Cluster } from './cluster.ts';
import type { Commitment, Lookup } from './node.ts';
import { findPayment, type Match, type Payment } from './payment.ts';
import type { ChainTransaction, Reason } from './transaction.ts';

export const chainVerdicts = ['proven', 'likely', 'contradicted', 'undecided'] as const;
export type ChainVerdict = (typeof chainVerdicts)[number];

/** The result of a look at the chain for an entry, as `--json` shows it and the journal keeps it. */
export type ChainView = {
  readonly verdict: ChainVerdict;
  readonly commitment?: Commitment;
  readonly signature?: string;
  readonly slot?: number;
  readonly block_time?: number;
  readonly cluster?: string;
  /** The host of the node that was asked. */
  readonly rpc: string;
  readonly paid?: Paid;
  /** If the service was asked several times: the payments found by a search. The entry's own comes first, if known. */
  readonly payments?: readonly SeenPayment[];
  /** Set if this is an observation of one of the other payments. */
  readonly further?: SeenPayment;
  readonly reasons: readonly Reason[];
};

export type Paid = ReturnType<typeof paidBy>;

/** `noted`: a person has noted that this payment was made as well. */
export type SeenPayment = {
  readonly signature: string;
  readonly at?: number;
  readonly own?: true;
  readonly noted?: true;
};

/** When an entry began. Other machines may have paid a named one earlier, under the same key. */
export type Beginning = { readonly atMs: number; readonly isNamed: boolean };

/** A lookup with everything that its verdict depends on. */
export type Look = {
  readonly signature: string;
  readonly lookup: Lookup;
  readonly payment: Payment;
  readonly host: string;
};

/** What a lookup proves. A missing transaction proves nothing. */
export function judgeLook(
  { signature, lookup, payment, host }: Look,
  isAnothers: boolean,
  beginning: Beginning,
): ChainView {
  const head = { signature, rpc: host };
  const undecided = (reason: Reason) => ({ verdict: 'undecided', reasons: [reason] }) as const;
  if (lookup.saw === 'nothing') return { ...head, ...undecided(lookup.because) };
  const { commitment } = lookup;
  if (lookup.saw === 'status') return { ...head, commitment, ...undecided('not-final') };
  const { transaction, cluster } = lookup;
  const { slot, blockTimeS, failed } = transaction;
  const seen = {
    ...{ ...head, commitment, cluster: cluster.name, slot },
    ...(blockTimeS === undefined ? {} : { block_time: blockTimeS }),
  };
  const isFinal = commitment === 'finalized';
  const isOurs = transaction.signature === signature;
  const match = failed ? ({ is: 'miss' } as const) : findPayment(payment, transaction);
  // A transaction that is not final may still be replaced.
  if (!isFinal && match.is !== 'match') return { ...seen, ...undecided('not-final') };
  if (isOurs && match.is === 'miss') return { ...seen, verdict: 'contradicted', reasons: ['not-paid'] };
  if (!isOurs || match.is !== 'match') return { ...seen, ...undecided('unclear') };
  if (isAnothers || isOlder(transaction, beginning)) return { ...seen, ...undecided('anothers') };
  const paid = paidBy(match, payment);
  if (!isFinal) return { ...seen, verdict: 'likely', paid, reasons: ['not-final'] };
  // Without a wallet, nobody can say whose money it was.
  return { ...seen, verdict: payment.wallet === undefined ? 'likely' : 'proven', paid, reasons: [] };
}

function paidBy({ units, decimals, received }: Match, { to, mint }: Payment) {
  return {
    to,
    ...(mint === undefined ? {} : { mint }),
    units: units.toString(),
    decimals,
    received: received.toString(),
    fee_units: (units - received).toString(),
  };
}

/** A cluster's clock once ran half an hour late, and machines' clocks drift. */
export const graceMs = 2 * 3_600_000;

/** Whether a transaction is older than an unnamed entry. Another machine may have paid a named one at any time. */
function isOlder(
  { blockTimeS }: Pick<ChainTransaction, 'blockTimeS'>,
  { atMs, isNamed }: Beginning,
): boolean {
  return !isNamed && (blockTimeS === undefined || 1000 * blockTimeS < atMs - graceMs);
}

/** The look that counts: the latest that proved the payment, otherwise the latest of all. */
export function latestView(observations: readonly Observation[]): ChainView | undefined {
  const looks = observations.filter((one) => !isFurther(one));
  const counts = looks.findLast(({ verdict }) => verdict === 'proven') ?? looks.at(-1);
  return counts && viewOf(counts);
}

/** Whether it is about another, equal payment. It proves nothing, and the signature may still go to another entry. */
export function isFurther({ facts }: Observation): boolean {
  return facts.startsWith('{"further":');
}

/** The view as it was kept; undefined if it is damaged. */
export function viewOf({ verdict, facts }: Observation): ChainView | undefined {
  try {
    return { ...(JSON.parse(facts) as ChainView), verdict };
  } catch {
    return undefined;
  }
}

/** Whether it was paid: proven, or final with no wallet known. */
export function isFinalMatch({ verdict, commitment }: ChainView): boolean {
  return verdict === 'proven' || (verdict === 'likely' && commitment === 'finalized');
}

/** Whether a proof settles the entry, even one that was stored while the entry was still being sent. */
export function isUndecided({ state }: Pick<Entry, 'state'>): boolean {
  return state === 'unknown' || state === 'held';
}

/** Whether the service paid at least twice, or somebody else paid the same, and nobody has noted it. */
export function isPaidAgain(view: ChainView | undefined): boolean {
  const { payments = [] } = view ?? {};
  return payments.length > 1 && payments.some(({ own, noted }) => !own && !noted);
}

/** The entry's own payment, if the chain shows it. */
export function ownPayment({ verdict, signature, block_time: at }: ChainView): readonly SeenPayment[] {
  if (signature === undefined || (verdict !== 'proven' && verdict !== 'likely')) return [];
  return [{ signature, ...(at === undefined ? {} : { at }), own: true }];
}

/** Whether an earlier request may also have taken effect. Only the chain shows whether the service paid once. */
export function wasRepeated({ kind, state, wasInDoubt: inDoubt, attempts }: Entry): boolean {
  return kind === 'transfer' && state === 'accepted' && inDoubt && attempts > 1;
}

/** The signatures in replies to this entry's key and in decisions that it happened. No others are ever looked up. */
export function ownSignatures(
  { state, resolvedAs }: Pick<Entry, 'state' | 'resolvedAs'>,
  attempts: readonly Attempt[],
  decisions: readonly Decision[],
): string[] {
  const accepted = attempts.filter(({ verdict }) => verdict === 'accepted');
  const telling = state === 'accepted' && accepted.length > 0 ? accepted : attempts;
  const replied = telling.flatMap((attempt) => signatureIn(attempt) ?? []);
  const decided = resolvedAs === 'happened' ? decisions.flatMap(({ signature }) => signature ?? []) : [];
  return [...new Set([...replied, ...decided])].filter(isSignature);
}

export function signatureIn({ reply, headers, status }: Attempt): string | undefined {
  if (reply === undefined || status === undefined || status < 200 || status > 299) return undefined;
  const { json } = readReply({ body: reply, headers });
  return json && resultIn('transfer', json)?.signature;
}

/** Whether the chain or the service gave this signature to another entry. */
export async function isHeldByAnother(
  { id, baseUrl }: Pick<Entry, 'id' | 'baseUrl'>,
  signature: string,
  cluster: Pick<Cluster, 'genesis'>,
  reads: Pick<Reads, 'otherHolder'>,
): Promise<boolean> {
  return (await reads.otherHolder(id, receiptsFor(baseUrl, signature, cluster))) !== undefined;
}

/** The receipt for a signature, in the forms of the chain and of the service's reply. */
export function receiptsFor(
  baseUrl: Entry['baseUrl'],
  value: string,
  { genesis }: Pick<Cluster, 'genesis'>,
): readonly [Receipt, Receipt] {
  return [
    { origin: genesis, what: 'signature', value },
    { origin: baseUrl, what: 'signature', value },
  ];
}

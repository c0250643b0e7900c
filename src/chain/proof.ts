import type { Observation, Receipt } from '../journal/journal.ts';
import { type Age, ageOf, type Beginning } from './age.ts';
import type { Cluster } from './cluster.ts';
import type { Sighting } from './nodes.ts';
import { findPayment, type Match, type Payment } from './payment.ts';
import type { Reason } from './reason.ts';
import { type ChainEvidence, type ChainVerdict, type Commitment, judgeChain } from './verdict.ts';

/** What a look at the chain says of an intent, as `--json` shows it and the journal keeps it. */
export type ChainView = {
  readonly verdict: ChainVerdict;
  readonly commitment?: Commitment;
  readonly signature?: string;
  /** Which instruction pays it: a place among the transaction's own. */
  readonly instruction?: string;
  readonly slot?: number;
  readonly block_time?: number;
  /** When the intent's first attempt began, where the transaction is of another time. */
  readonly first_attempt?: number;
  /** It was paid before the first attempt of this journal: by another machine, under the same key. */
  readonly earlier?: true;
  readonly cluster: string;
  readonly rpc: readonly string[];
  readonly paid?: Paid;
  /** Whether a memo that was asked for is there. */
  readonly memo?: boolean;
  readonly reasons: readonly Reason[];
};

export type Paid = {
  readonly to: string;
  readonly mint?: string;
  readonly units: string;
  readonly decimals: number;
  readonly received: string;
  readonly fee_units: string;
};

/** Everything that a sighting is judged with. */
export type Look = {
  readonly signature: string;
  readonly sighting: Sighting;
  readonly payment: Payment;
  readonly cluster: Cluster;
  readonly hosts: readonly string[];
};

/** What a sighting shows that intents can claim, lowest place first, each as what belongs to one of them only. */
export function unitsIn({ sighting, payment, signature, cluster }: Look): {
  /** All that it paid to the recipient, */
  readonly credited: readonly Receipt[];
  /** and what of it could prove this payment. */
  readonly matching: readonly Receipt[];
} {
  if (sighting.saw !== 'transaction') return { credited: [], matching: [] };
  const { credits, matches } = findPayment(payment, sighting.transaction);
  const units = (found: readonly { readonly path: string }[]): Receipt[] =>
    found.map(({ path }) => unitOf(cluster, signature, path));
  return { credited: units(credits), matching: units(matches) };
}

/** Whose the payments of a transaction are by now, each as the value of its unit. */
export type Claims = { readonly own: ReadonlySet<string>; readonly others: ReadonlySet<string> };

export function unitOf({ genesis }: Pick<Cluster, 'genesis'>, signature: string, path: string): Receipt {
  return { origin: genesis, what: 'instruction', value: `${signature}/${path}` };
}

/** What a sighting proves of an intent that began so, where the payments in it are claimed so. */
export function judgeLook(look: Look, claims: Claims, beginning: Beginning): ChainView {
  const { signature, sighting, payment, cluster, hosts } = look;
  const evidence = evidenceOf(look, claims, beginning);
  const { verdict, reason } = judgeChain(evidence);
  const head = { verdict, signature, cluster: cluster.name, rpc: hosts };
  const commitment = sighting.saw === 'nothing' ? {} : { commitment: sighting.commitment };
  if (evidence.saw !== 'transaction' || sighting.saw !== 'transaction')
    return { ...head, ...commitment, ...placeOf(sighting), reasons: reason === undefined ? [] : [reason] };
  const { findings, free, age } = evidence;
  const isShown = verdict === 'proven' || verdict === 'likely';
  const match = isShown ? free[0] : undefined;
  return {
    ...head,
    ...commitment,
    ...placeOf(sighting),
    ...timesOf(isShown || reason === 'other-time' ? age : 'in-time', beginning),
    ...(match === undefined ? {} : { instruction: match.path, paid: paidBy(match, payment) }),
    ...(payment.memo === undefined ? {} : { memo: findings.hasMemo }),
    reasons: reasonsOf(reason, match, evidence),
  };
}

function timesOf(age: Age, { atMs }: Beginning): Pick<ChainView, 'first_attempt' | 'earlier'> {
  if (age === 'in-time') return {};
  return { first_attempt: Math.floor(atMs / 1000), ...(age === 'earlier' ? { earlier: true } : {}) };
}

function evidenceOf(look: Look, { own, others }: Claims, beginning: Beginning): ChainEvidence {
  const { sighting, signature, payment, cluster } = look;
  if (sighting.saw === 'nothing') return sighting;
  if (sighting.saw === 'status')
    return sighting.commitment === 'processed'
      ? { saw: 'status', commitment: 'processed' }
      : { saw: 'nothing', because: 'only-confirmed' };
  const { transaction, commitment, nodesMs } = sighting;
  const isOurs = transaction.signature === signature;
  if (isOurs && transaction.failed) return { saw: 'failure', commitment };
  const findings = findPayment(payment, transaction);
  const unitValue = (path: string): string => unitOf(cluster, signature, path).value;
  // One that is its own already stays so.
  const isFree = (value: string): boolean => (own.size > 0 ? own.has(value) : !others.has(value));
  const free = findings.matches.filter(({ path }) => isFree(unitValue(path)));
  const claimedByOthers = findings.credits.filter(({ path }) => others.has(unitValue(path)));
  const claimed = [...claimedByOthers, ...free.slice(0, 1)].reduce((sum, each) => sum + each.received, 0n);
  return {
    ...{ saw: 'transaction', commitment, isOurs, findings, free },
    isGained: findings.gained >= claimed,
    age: ageOf(transaction, nodesMs, beginning),
    isSourceKnown: payment.wallet !== undefined,
  };
}

function placeOf(sighting: Sighting): Pick<ChainView, 'slot' | 'block_time'> {
  if (sighting.saw !== 'transaction') return {};
  const { slot, blockTimeS } = sighting.transaction;
  return { slot, ...(blockTimeS === undefined ? {} : { block_time: blockTimeS }) };
}

function paidBy({ units, decimals, received }: Match, { to, asset }: Payment): Paid {
  return {
    to,
    ...(asset === 'SOL' ? {} : { mint: asset.mint }),
    units: units.toString(),
    decimals,
    received: received.toString(),
    fee_units: (units - received).toString(),
  };
}

function reasonsOf(
  reason: Reason | undefined,
  match: Match | undefined,
  { isSourceKnown, findings: { hasMemo } }: Extract<ChainEvidence, { saw: 'transaction' }>,
): Reason[] {
  return [
    ...(reason === undefined ? [] : [reason]),
    ...(match !== undefined && !isSourceKnown ? (['source-unchecked'] as const) : []),
    ...(match !== undefined && match.received !== match.units ? (['fee-withheld'] as const) : []),
    ...(match !== undefined && !hasMemo ? (['memo-missing'] as const) : []),
  ];
}

/** As it is kept. */
export function observationOf(
  view: ChainView,
  { genesis }: Pick<Cluster, 'genesis'>,
  atMs: number,
): Observation {
  return {
    verdict: view.verdict,
    who: 'chain',
    atMs,
    signature: view.signature,
    genesis,
    instruction: view.instruction,
    facts: JSON.stringify(view),
  };
}

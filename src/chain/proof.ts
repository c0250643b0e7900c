import type { Observation, Receipt } from '../journal/journal.ts';
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

/** The payments that a sighting could prove, lowest place first, each as what belongs to one intent only. */
export function unitsIn({ sighting, payment, signature, cluster }: Look): Receipt[] {
  if (sighting.saw !== 'transaction') return [];
  const { matches } = findPayment(payment, sighting.transaction);
  return matches.map(({ path }) => unitOf(cluster, signature, path));
}

export function unitOf({ genesis }: Pick<Cluster, 'genesis'>, signature: string, path: string): Receipt {
  return { origin: genesis, what: 'instruction', value: `${signature}/${path}` };
}

/** What a sighting proves, where these of the payments in it are not another intent's. */
export function judgeLook(look: Look, isFree: (unit: Receipt) => boolean): ChainView {
  const { signature, sighting, payment, cluster, hosts } = look;
  const evidence = evidenceOf(look, isFree);
  const { verdict, reason } = judgeChain(evidence);
  const head = { verdict, signature, cluster: cluster.name, rpc: hosts };
  const commitment = sighting.saw === 'nothing' ? {} : { commitment: sighting.commitment };
  if (evidence.saw !== 'transaction' || sighting.saw !== 'transaction')
    return { ...head, ...commitment, ...placeOf(sighting), reasons: reason === undefined ? [] : [reason] };
  const { findings, free } = evidence;
  const match = verdict === 'proven' || verdict === 'likely' ? free[0] : undefined;
  return {
    ...head,
    ...commitment,
    ...placeOf(sighting),
    ...(match === undefined ? {} : { instruction: match.path, paid: paidBy(match, payment) }),
    ...(payment.memo === undefined ? {} : { memo: findings.hasMemo }),
    reasons: reasonsOf(reason, match, findings.hasMemo),
  };
}

function evidenceOf(look: Look, isFree: (unit: Receipt) => boolean): ChainEvidence {
  const { sighting, signature, payment, cluster } = look;
  if (sighting.saw === 'nothing') return sighting;
  if (sighting.saw === 'status')
    return sighting.commitment === 'processed'
      ? { saw: 'status', commitment: 'processed' }
      : { saw: 'nothing', because: 'only-confirmed' };
  const { transaction, commitment } = sighting;
  const isOurs = transaction.signature === signature;
  if (isOurs && transaction.failed) return { saw: 'failure', commitment };
  const findings = findPayment(payment, transaction);
  const free = findings.matches.filter(({ path }) => isFree(unitOf(cluster, signature, path)));
  return { saw: 'transaction', commitment, isOurs, findings, free };
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

function reasonsOf(reason: Reason | undefined, match: Match | undefined, hasMemo: boolean): Reason[] {
  return [
    ...(reason === undefined ? [] : [reason]),
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

import { isDeepStrictEqual } from 'node:util';
import type {
  Attempt,
  Intent,
  Journal,
  Observation,
  Reads,
  Receipt,
  Transaction,
} from '../journal/journal.ts';
import { receiptGuards } from '../journal/rows.ts';
import { readReply, saysItFailed, saysNothing } from '../wire/flight.ts';
import type { Cluster } from './cluster.ts';
import type { Sighting } from './node.ts';
import { findPayment, type Match, type Payment } from './payment.ts';
import { type ChainView, isFinalMatch, type Paid, standingOf } from './standing.ts';
import type { Reason } from './transaction.ts';
import { type Beginning, type ChainEvidence, isOlder, judgeChain } from './verdict.ts';

/** The reason that is kept where a proven payment is also recorded as a decision; `nothing` records none. */
type Decides = 'nothing' | ((view: ChainView) => string);

/**
 * Records what was seen, in one commit: an unclaimed payment becomes this intent's own, and an intent that may have
 * happened has happened. If two processes see the same payment, the second finds it taken and decides again.
 */
export async function settle(look: Look, id: string, journal: Journal, decides: Decides): Promise<ChainView> {
  const baseUrl = (await journal.reads.get(id))?.baseUrl;
  const given = baseUrl === undefined ? [] : [givenBy(baseUrl, look)];
  return journal.commit(
    async (tx) => {
      const view = await judgeWithin(tx, look, id);
      const atMs = journal.clock.now();
      await keep(view, look, id, tx, atMs);
      if (decides !== 'nothing' && view.verdict === 'proven')
        await decideHappened(view, decides(view), id, tx, atMs);
      return view;
    },
    receiptGuards([
      ...unitsIn(look).credited,
      ...given,
      { origin: look.cluster.genesis, what: 'signature', value: look.signature },
    ]),
  );
}

/** The verdict as it is now. It changes if another process settles an intent meanwhile. */
export function judgeUnsettled(look: Look, id: string, journal: Journal): Promise<ChainView> {
  return judgeWithin(journal.reads, look, id);
}

async function judgeWithin(reads: Reads, look: Look, id: string): Promise<ChainView> {
  return judgeLook(look, await claimsOn(look, id, reads), await beginningOf(id, reads));
}

async function beginningOf(id: string, reads: Reads): Promise<Beginning> {
  const intent = await reads.get(id);
  const [first] = await reads.attemptsOf(id);
  return {
    atMs: first?.startedAtMs ?? intent?.createdAtMs ?? 0,
    isNamed: intent?.namedBy !== undefined,
  };
}

/** Which payments in the transaction are this intent's, and which belong to others. */
async function claimsOn(look: Look, id: string, reads: Reads): Promise<Claims> {
  const { credited, matching } = unitsIn(look);
  const others = new Set<string>();
  for (const unit of credited)
    if ((await reads.otherHolder(id, [unit])) !== undefined) others.add(unit.value);
  const left = matching.find(({ value }) => !others.has(value));
  if (left !== undefined && (await isOwedToAnother(look, matching, id, reads))) others.add(left.value);
  return { own: new Set(await ownUnits(id, credited, reads)), others };
}

/**
 * The service gave this signature to another intent with the same payment, whose transfer has not been looked up yet.
 */
async function isOwedToAnother(
  look: Look,
  units: readonly Receipt[],
  id: string,
  reads: Reads,
): Promise<boolean> {
  const intent = await reads.get(id);
  if (intent === undefined) return false;
  const otherId = await reads.otherHolder(id, [givenBy(intent.baseUrl, look)]);
  const other = otherId === undefined ? undefined : await reads.get(otherId);
  if (other === undefined || other.payment !== intent.payment) return false;
  return (await ownUnits(other.id, units, reads)).length === 0;
}

/** The signature, in the form in which the journal keeps it from the service's reply. */
function givenBy(baseUrl: Intent['baseUrl'], { signature }: Look): Receipt {
  return { origin: baseUrl, what: 'signature', value: signature };
}

async function ownUnits(
  id: string,
  units: readonly Receipt[],
  tx: Pick<Reads, 'receiptsOf'>,
): Promise<string[]> {
  const held = (await tx.receiptsOf(id)).map(({ value }) => value);
  return units.map(({ value }) => value).filter((value) => held.includes(value));
}

async function keep(view: ChainView, look: Look, id: string, tx: Transaction, atMs: number): Promise<void> {
  const { cluster, signature } = look;
  if (isFinalMatch(view)) await tx.keepReceipts(id, [unitOf(cluster, signature, view.instruction)]);
  const last = (await tx.observationsOf(id)).at(-1);
  const isNews = last === undefined || !isDeepStrictEqual(standingOf([last]), view);
  if (isNews) await tx.observe(id, observationOf(view, cluster, atMs));
}

async function decideHappened(
  { signature }: ChainView,
  reason: string,
  id: string,
  tx: Transaction,
  atMs: number,
): Promise<void> {
  await tx.recordDeath(id, atMs);
  const intent = await tx.get(id);
  if (intent === undefined || !mayHaveHappened(intent)) return;
  if ((await tx.attemptsOf(id)).some(saidItFailed)) return;
  await tx.decide(id, { kind: 'happened', who: 'chain', atMs, reason, signature });
}

/** Nobody knows whether it happened. An intent that is being sent is left out: its sender will learn more. */
function mayHaveHappened({ state }: Intent): boolean {
  return state === 'unknown' || state === 'held';
}

/** The service itself said that it failed, so the signature that it named may belong to anything. */
function saidItFailed({ reply, headers }: Attempt): boolean {
  const { json } = reply === undefined ? {} : readReply({ body: reply, headers });
  return json !== undefined && (saysItFailed('transfer', json) || !saysNothing(json.error));
}

/** A sighting with everything needed to judge it. */
export type Look = {
  readonly signature: string;
  readonly sighting: Sighting;
  readonly payment: Payment;
  readonly cluster: Cluster;
  readonly host: string;
};

/** The payments in a transaction that intents can claim, in order. Each can belong to one intent only. */
function unitsIn({ sighting, payment, signature, cluster }: Look): {
  /** Everything paid to the recipient. */
  readonly credited: readonly Receipt[];
  /** Those that could prove this payment. */
  readonly matching: readonly Receipt[];
} {
  if (sighting.saw !== 'transaction') return { credited: [], matching: [] };
  const { credits, matches } = findPayment(payment, sighting.transaction);
  const units = (found: readonly { readonly path: string }[]): Receipt[] =>
    found.map(({ path }) => unitOf(cluster, signature, path));
  return { credited: units(credits), matching: units(matches) };
}

/** Who has claimed the payments of a transaction, each by the value of its unit. */
export type Claims = { readonly own: ReadonlySet<string>; readonly others: ReadonlySet<string> };

function unitOf({ genesis }: Pick<Cluster, 'genesis'>, signature: string, path: string): Receipt {
  return { origin: genesis, what: 'instruction', value: `${signature}/${path}` };
}

/** What a sighting proves about an intent, given its beginning and the claims on the payments. */
export function judgeLook(look: Look, claims: Claims, beginning: Beginning): ChainView {
  const { signature, sighting, payment, cluster, host } = look;
  const evidence = evidenceOf(look, claims, beginning);
  const { verdict, reason } = judgeChain(evidence);
  const head = { verdict, signature, cluster: cluster.name, rpc: host };
  const commitment = sighting.saw === 'nothing' ? {} : { commitment: sighting.commitment };
  if (evidence.saw !== 'transaction' || sighting.saw !== 'transaction')
    return { ...head, ...commitment, ...placeOf(sighting), reasons: reason === undefined ? [] : [reason] };
  const { findings, free } = evidence;
  const isShown = verdict === 'proven' || verdict === 'likely';
  const match = isShown ? free[0] : undefined;
  return {
    ...head,
    ...commitment,
    ...placeOf(sighting),
    ...(match === undefined ? {} : { instruction: match.path, paid: paidBy(match, payment) }),
    ...(payment.memo === undefined ? {} : { memo: findings.hasMemo }),
    reasons: reasonsOf(reason, match, evidence),
  };
}

function evidenceOf(look: Look, { own, others }: Claims, beginning: Beginning): ChainEvidence {
  const { sighting, signature, payment, cluster } = look;
  if (sighting.saw === 'nothing') return sighting;
  if (sighting.saw === 'status')
    return sighting.commitment === 'processed'
      ? { saw: 'processed' }
      : { saw: 'nothing', because: 'only-confirmed' };
  const { transaction, commitment } = sighting;
  const isOurs = transaction.signature === signature;
  if (isOurs && transaction.failed) return { saw: 'failure', commitment };
  const findings = findPayment(payment, transaction);
  const unitValue = (path: string): string => unitOf(cluster, signature, path).value;
  // If the intent has claimed a payment already, it keeps that one.
  const isFree = (value: string): boolean => (own.size > 0 ? own.has(value) : !others.has(value));
  const free = findings.matches.filter(({ path }) => isFree(unitValue(path)));
  const claimedByOthers = findings.credits.filter(({ path }) => others.has(unitValue(path)));
  const claimed = [...claimedByOthers, ...free.slice(0, 1)].reduce((sum, each) => sum + each.received, 0n);
  return {
    ...{ saw: 'transaction', commitment, isOurs, findings, free },
    isGained: findings.gained >= claimed,
    isOlder: isOlder(transaction, beginning),
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

function observationOf(view: ChainView, { genesis }: Pick<Cluster, 'genesis'>, atMs: number): Observation {
  return {
    verdict: view.verdict,
    atMs,
    signature: view.signature,
    genesis,
    instruction: view.instruction,
    facts: JSON.stringify(view),
  };
}

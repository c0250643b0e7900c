import { isDeepStrictEqual } from 'node:util';
import type { Attempt, Intent, Journal, Reads, Receipt, Transaction } from '../journal/journal.ts';
import { receiptGuards } from '../journal/receipts.ts';
import { readReply } from '../wire/readReply.ts';
import { saysItFailed, saysNothing } from '../wire/saysFailed.ts';
import type { Beginning } from './age.ts';
import {
  type ChainView,
  type Claims,
  judgeLook,
  type Look,
  observationOf,
  unitOf,
  unitsIn,
} from './proof.ts';
import { chainBefore, isFinalMatch, standingOf } from './standing.ts';

/** Whether it happened is put on record where that is proven, too; the function words the reason that is kept with it. */
type Decides = 'nothing' | ((view: ChainView) => string);

/**
 * Puts on record what was seen, in one commit: the payment becomes this intent's own where no other has it, and
 * what may have happened has happened. Of two who see the same payment, one finds it taken and judges anew.
 */
export async function settle(look: Look, id: string, journal: Journal, decides: Decides): Promise<ChainView> {
  const baseUrl = (await journal.reads.get(id))?.baseUrl;
  const given = baseUrl === undefined ? [] : [givenBy(baseUrl, look)];
  return journal.commit(
    async (tx) => {
      const view = await judgeWithin(tx, look, id, journal);
      const atMs = journal.clock.now();
      await keep(view, look, id, tx, atMs);
      if (decides !== 'nothing' && provesAlone(view)) await decideHappened(view, decides(view), id, tx, atMs);
      return view;
    },
    receiptGuards([
      ...unitsIn(look).credited,
      ...given,
      { origin: look.cluster.genesis, what: 'signature', value: look.signature },
    ]),
  );
}

/** What it shows, as far as nobody settles another one meanwhile. */
export function judgeUnsettled(look: Look, id: string, journal: Journal): Promise<ChainView> {
  return judgeWithin(journal.reads, look, id, journal);
}

async function judgeWithin(
  reads: Reads,
  look: Look,
  id: string,
  { isShared, clock }: Pick<Journal, 'isShared' | 'clock'>,
): Promise<ChainView> {
  const beginning = { ...(await beginningOf(id, look, reads)), nowMs: clock.now() };
  const mayBeEarlier = beginning.mayBeEarlier && !isShared;
  return judgeLook(look, await claimsOn(look, id, reads), { ...beginning, mayBeEarlier });
}

/** Only a key that other machines have, too, can have been used before this journal's first attempt. */
async function beginningOf(id: string, { cluster }: Look, reads: Reads): Promise<Omit<Beginning, 'nowMs'>> {
  const intent = await reads.get(id);
  const [first] = await reads.attemptsOf(id);
  return {
    atMs: first?.startedAtMs ?? intent?.createdAtMs ?? 0,
    before: chainBefore(await reads.observationsOf(id), cluster),
    mayBeEarlier: intent?.namedBy !== undefined,
  };
}

/** What of the payments in it is this intent's, and what belongs to others. */
async function claimsOn(look: Look, id: string, reads: Reads): Promise<Claims> {
  const { credited, matching } = unitsIn(look);
  const others = new Set<string>();
  for (const unit of credited)
    if ((await reads.otherHolder(id, [unit])) !== undefined) others.add(unit.value);
  const left = matching.find(({ value }) => !others.has(value));
  if (left !== undefined && (await isOwedToAnother(look, matching, id, reads))) others.add(left.value);
  return { own: new Set(await ownUnits(id, credited, reads)), others };
}

/** The service gave this signature to another intent, of the same payment, for which nobody has looked yet. */
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

/** What the service's reply gave, as it is kept of it. */
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
  const isNews = last === undefined || !isDeepStrictEqual(standingOf([last]).view, view);
  if (isNews) await tx.observe(id, observationOf(view, cluster, atMs));
}

/** An earlier payment is another machine's: whether it is this one, a person says. */
function provesAlone({ verdict, earlier }: ChainView): boolean {
  return verdict === 'proven' && earlier !== true;
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

/** Nobody knows it yet; of what is being sent its sender will know more. */
function mayHaveHappened({ state }: Intent): boolean {
  return state === 'unknown' || state === 'held';
}

/** The service itself denied it: the signature that it named may be of anything. */
function saidItFailed({ reply, headers }: Attempt): boolean {
  const { json } = reply === undefined ? {} : readReply({ body: reply, headers });
  return json !== undefined && (saysItFailed('transfer', json) || !saysNothing(json.error));
}

import { isDeepStrictEqual } from 'node:util';
import type { Decision, Intent, Journal, Reads, Receipt, Transaction } from '../journal/journal.ts';
import { receiptGuards } from '../journal/receipts.ts';
import { provenOnChain } from '../words/chain.ts';
import { type ChainView, judgeLook, type Look, observationOf, unitOf, unitsIn } from './proof.ts';
import { standingOf } from './standing.ts';

/**
 * Puts on record what was seen, in one commit: the payment becomes this intent's own where no other has it, and
 * what may have happened has happened. Of two who see the same payment, one finds it taken and judges anew.
 */
export async function settle(
  look: Look,
  id: string,
  journal: Journal,
  decides: 'by-proof' | 'nothing' = 'by-proof',
): Promise<ChainView> {
  const units = unitsIn(look);
  const baseUrl = (await journal.reads.get(id))?.baseUrl;
  const given = baseUrl === undefined ? [] : [givenBy(baseUrl, look)];
  return journal.commit(
    async (tx) => {
      const taken = await takenUnits(look, id, tx);
      // One that is its own already stays so.
      const own = await ownUnits(id, units, tx);
      const isFree = (unit: Receipt): boolean =>
        own.length > 0 ? own.includes(unit.value) : !taken.has(unit.value);
      const view = judgeLook(look, isFree);
      const atMs = journal.clock.now();
      await keep(view, look, id, tx, atMs);
      if (view.verdict === 'proven' && decides === 'by-proof') await decideHappened(view, id, tx, atMs);
      return view;
    },
    receiptGuards([
      ...units,
      ...given,
      { origin: look.cluster.genesis, what: 'signature', value: look.signature },
    ]),
  );
}

/** What it shows, as far as nobody settles another one meanwhile. */
export async function judgeUnsettled(look: Look, id: string, reads: Reads): Promise<ChainView> {
  const taken = await takenUnits(look, id, reads);
  return judgeLook(look, ({ value }) => !taken.has(value));
}

/** What of these payments belongs to other intents. */
async function takenUnits(look: Look, id: string, reads: Reads): Promise<ReadonlySet<string>> {
  const units = unitsIn(look);
  const taken = new Set<string>();
  for (const unit of units) if ((await reads.otherHolder(id, [unit])) !== undefined) taken.add(unit.value);
  const left = units.find(({ value }) => !taken.has(value));
  if (left !== undefined && (await isOwedToAnother(look, units, id, reads))) taken.add(left.value);
  return taken;
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
  const isProven = view.verdict === 'proven' && view.instruction !== undefined;
  if (isProven) await tx.keepReceipts(id, [unitOf(cluster, signature, view.instruction)]);
  const last = (await tx.observationsOf(id)).at(-1);
  const isNews = last === undefined || !isDeepStrictEqual(standingOf([last]).view, view);
  if (isNews) await tx.observe(id, observationOf(view, cluster, atMs));
}

async function decideHappened(view: ChainView, id: string, tx: Transaction, atMs: number): Promise<void> {
  await tx.recordDeath(id, atMs);
  const intent = await tx.get(id);
  if (intent !== undefined && mayHaveHappened(intent)) await tx.decide(id, decisionOf(view, atMs));
}

/** Nobody knows it yet; of what is being sent its sender will know more. */
function mayHaveHappened({ state }: Intent): boolean {
  return state === 'unknown' || state === 'held';
}

function decisionOf(view: ChainView, atMs: number): Decision {
  return { kind: 'happened', who: 'chain', atMs, reason: provenOnChain(view), signature: view.signature };
}

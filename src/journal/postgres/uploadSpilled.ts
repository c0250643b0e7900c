import type { Intent, LateEnd, Transaction } from '../journal.ts';
import { receiptGuards } from '../receipts.ts';
import { Spill, type Spilled } from './spill.ts';
import type { Store } from './store.ts';

/** Puts on record what could not be when it came, as its own process would have. */
export async function uploadSpilled(
  { owner, path, ends }: Spilled,
  store: Pick<Store, 'commitAs'>,
): Promise<void> {
  let isWhole = true;
  for (const late of ends) {
    const guards = receiptGuards(late.receipts);
    await store.commitAs(
      owner,
      async (tx) => {
        const intent = await tx.get(late.id);
        if (intent !== undefined && intent.attempts >= late.number) return recordLate(late, intent, tx);
        // The journal has lost what this is the reply to: it is the only proof left.
        isWhole = false;
      },
      guards,
    );
  }
  if (isWhole) Spill.remove(path);
  else Spill.setAside(path);
}

async function recordLate(
  { id, number, end, receipts, state, why, atMs }: LateEnd,
  { attempts }: Intent,
  tx: Transaction,
): Promise<void> {
  // An attempt begun since then says itself where it leaves the intent.
  const isLatest = attempts === number;
  const isAnothers = (await tx.otherHolder(id, receipts)) !== undefined;
  if (isAnothers && end.verdict === 'accepted') {
    const trouble = { is: 'someone-elses-reply' } as const;
    await tx.endAttempt(id, number, { ...end, verdict: 'unknown', trouble }, atMs);
    if (isLatest) await tx.conclude(id, 'unknown', undefined, atMs);
    return;
  }
  await tx.endAttempt(id, number, end, atMs);
  if (end.verdict === 'accepted') await tx.keepReceipts(id, receipts);
  if (isLatest || state === 'accepted') await tx.conclude(id, state, why, atMs);
}

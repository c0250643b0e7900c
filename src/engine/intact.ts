import { isWhole } from '../intent/canonical.ts';
import type { Intent, Reads } from '../journal/journal.ts';
import { receiptValue } from '../journal/receipts.ts';
import { readReply } from '../wire/readReply.ts';
import { engineFailure } from './facts.ts';

type Kept = Pick<Reads, 'decisiveAttempt' | 'receiptsOf'>;

/** What is shown again must be what it was: a bit that flipped on the disk since would be told as what happened. */
export async function mustBeIntact(intent: Intent, reads: Kept): Promise<Intent> {
  if (isIntact(intent) && (await givesWhatItGave(intent, reads))) return intent;
  throw engineFailure('intent-changed', { id: intent.id, wasDone: true });
}

/** A bit that flipped in what is kept of a body must not be told as another body. */
export function mustHaveIntactBody(intent: Intent): Intent {
  if (isIntact(intent)) return intent;
  throw engineFailure('intent-changed', { id: intent.id, wasDone: false });
}

/** Asked of what is about to be sent. */
export function mustHaveIntactRequest(intent: Intent): Intent {
  if (isIntact(intent)) return intent;
  const { id, mayHaveLandedAtMs } = intent;
  throw engineFailure('request-changed', { id, mayHaveLanded: mayHaveLandedAtMs !== undefined });
}

function isIntact({ body, key, fingerprint }: Intent): boolean {
  return isWhole(body, key, fingerprint);
}

/**
 * The transfer id and the signature are kept twice: in the reply, and as what belongs to one intent only. What a chain
 * was seen to give stands in no reply.
 */
async function givesWhatItGave({ id, kind }: Intent, reads: Kept): Promise<boolean> {
  const attempt = await reads.decisiveAttempt(id);
  if (kind !== 'transfer' || attempt?.verdict !== 'accepted' || attempt.reply === undefined) return true;
  const kept = (await reads.receiptsOf(id)).filter(({ what }) => what !== 'instruction');
  const { json } = readReply({ body: attempt.reply, headers: attempt.headers });
  const given = [json?.transfer_id, json?.signature].map((one) => receiptValue(String(one)));
  return kept.every(({ value }) => given.includes(receiptValue(value)));
}

import type { Attempt, Intent } from '../journal/journal.ts';
import { readReply } from '../wire/reading.ts';
import type { Ended } from './doing.ts';
import { done, iso, nouns } from './phrases.ts';

/** Said when a new intent begins although the journal holds one like it. */
export function noticeOf(after: Intent): string {
  const noun = nouns[after.kind];
  if (after.state === 'held') {
    return `An earlier ${noun} like this one is left undecided (intent ${after.id}, ${iso(after.createdAtMs)}): it may have happened. This is a new one.`;
  }
  return `The same ${noun} was last ${done[after.kind]} at ${iso(after.updatedAtMs)} (intent ${after.id}). This is a new one.`;
}

/** Said when nothing was sent, because it was done before. */
export function replayNotice({ intent, replayed }: Ended & { is: 'concluded' }): string | undefined {
  if (replayed === false) return undefined;
  if (replayed === 'by-another-process')
    return 'Another botctl process was sending it; nothing was sent twice.';
  if (intent.state !== 'accepted' && intent.resolvedAs !== 'happened') {
    return `Nothing was sent: intent ${intent.id} is ${intent.state}. To have it done, run its own command again.`;
  }
  const isNamed = intent.namedBy !== undefined && intent.namedBy !== 'run';
  return `Nothing was sent: it was ${done[intent.kind]} at ${iso(intent.updatedAtMs)} (intent ${intent.id}). ${isNamed ? 'To do it anew, give it a new name.' : 'To do it anew, name it: --once NAME, a new name each time.'}`;
}

const knownStatuses = ['submitted', 'confirmed'];

/** What an accepted reply leaves to be wished for. */
export function acceptedWarnings({ kind }: Intent, attempt: Attempt | undefined): string[] {
  if (attempt === undefined) return [];
  const warnings: string[] = [];
  if (!attempt.verified) {
    warnings.push(
      'The service knew this key already. Only the name says that it was this message; nothing shows it.',
    );
  }
  if (kind === 'transfer' && attempt.reply !== undefined) {
    const { json } = readReply({ body: attempt.reply, headers: attempt.headers });
    if (typeof json?.signature !== 'string' || json.signature === '') {
      warnings.push('The service gave no signature: look the transfer up by its transfer id.');
    }
    const status = json?.status;
    if (typeof status !== 'string') warnings.push('The service gave no status.');
    else if (!knownStatuses.includes(status)) {
      warnings.push(`The service says status "${status}", which its document does not know.`);
    }
  }
  return warnings;
}

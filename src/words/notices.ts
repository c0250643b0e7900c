import type { Oddity } from '../engine/ending.ts';
import type { Outcome } from '../engine/outcome.ts';
import type { Intent } from '../journal/journal.ts';
import { thisOneSentNothing, unsentBecause } from './nothing.ts';
import { done, nouns, verbs } from './phrases.ts';
import { iso } from './time.ts';

/** Said when a new intent begins although the journal holds one like it. */
export function newOneNotice(after: Intent): string {
  const noun = nouns[after.kind];
  if (after.state === 'held') {
    return `An earlier ${noun} like this one is left undecided (intent ${after.id}, ${iso(after.createdAtMs)}): it may have happened. This is a new one.`;
  }
  if (after.resolvedAs === 'happened') {
    return `It was decided at ${iso(after.updatedAtMs)} that the same ${noun} happened (intent ${after.id}). This is a new one.`;
  }
  return `The same ${noun} was last ${done[after.kind]} at ${iso(after.updatedAtMs)} (intent ${after.id}). This is a new one.`;
}

/** Said when nothing was sent now: it was done before, or another process did it. */
export function replayNotice({
  intent,
  attempt,
  replayed,
}: Outcome & { is: 'concluded' }): string | undefined {
  if (replayed === false) return undefined;
  if (replayed === 'by-another-process')
    return `Another botctl process was sending it. ${thisOneSentNothing}`;
  const { id, kind, state, namedBy } = intent;
  if (state !== 'accepted' && intent.resolvedAs !== 'happened') {
    return `${unsentBecause(`intent ${id} is ${state}`)} To ${verbs[kind]} it after all, run its own command again.`;
  }
  const at = `at ${iso(intent.updatedAtMs)}`;
  const verb = attempt?.verified === false ? 'accepted' : done[kind];
  const why =
    state === 'resolved'
      ? `it was decided ${at} that this ${nouns[kind]} happened (intent ${id})`
      : `this ${nouns[kind]} was already ${verb} ${at} (intent ${id})`;
  const isNamed = namedBy !== undefined && namedBy !== 'run';
  const how = isNamed ? 'give it a new name.' : 'name it: --once NAME, a new name each time.';
  return `${unsentBecause(why)} To ${verbs[kind]} another one, ${how}`;
}

/** What is odd about a reply that was accepted. */
export function oddityWords(oddity: Oddity): string {
  switch (oddity.is) {
    case 'no-signature':
      return 'The service gave no signature: look the transfer up by its transfer id.';
    case 'not-a-signature':
      return 'What the service gave as the signature is not a signature (64 bytes in base58): no explorer will find it.';
    case 'no-status':
      return 'The service gave no status.';
    case 'status-not-text':
      return `The service’s status is not text: ${JSON.stringify(oddity.status)}.`;
    case 'unknown-status':
      return `The service says status "${oddity.status}", which is not documented.`;
  }
}

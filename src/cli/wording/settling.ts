import {
  approving,
  declining,
  forAPerson,
  givingUpUnsent,
  resolving,
} from '../../once/engine/decisionWords.ts';
import { isApprovedAndUnsent, isProposal } from '../../once/engine/standing.ts';
import type { Entry } from '../../once/journal/journal.ts';
import type { Suggestion } from '../../once/sentence.ts';

/** What a person can decide about an entry that is not finished. */
export function settling(
  entry: Pick<Entry, 'id' | 'state' | 'heldReason' | 'approved'>,
  hasNode = false,
): Suggestion[] {
  const { id, state } = entry;
  if (isProposal(entry)) return approving.next(id);
  if (isApprovedAndUnsent(entry)) return [declining(id)];
  if (state === 'open') return [givingUpUnsent(id)];
  // The chain may know, so it is asked first if a node is known.
  const asking = hasNode ? [['verify', id]] : [];
  return [...asking, ['history', id], ...resolving(id), forAPerson('resume', id)];
}

/** Shown before the commands of `settling` for an entry that may have happened. */
export function howToDecide({ kind }: Pick<Entry, 'kind'>, hasNode = false): string {
  const [place, twice] = kind === 'transfer' ? ['wallet', 'make'] : ['conversation', 'send'];
  const first = hasNode ? 'Ask the chain first: botctl verify' : `Check the ${place} first`;
  // One sentence: where nobody can be asked, it is left out whole.
  return `${first}. ${ifSure}, and a service that no longer remembers the first request would ${twice} it twice.`;
}

const ifSure =
  'Then decide with botctl resolve. Choose --did-not-happen only if you are sure: after that, the same command sends it again';
/** Warns of what a wrong decision costs. */
export const onlyIfSure = `${ifSure}.`;

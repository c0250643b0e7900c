import { type Failure, told } from '../../once/failures.ts';
import type { Decision, Intent } from '../../once/journal/journal.ts';
import type { Suggestion } from '../../once/says.ts';
import { isUnsent, settling } from './chain.ts';
import { didWords } from './history.ts';

/** The last line of what was decided of a batch. */
export function approvedRows(
  kind: 'approved' | 'declined',
  name: string,
  sum: string,
): [string, Suggestion[]] {
  if (kind === 'declined') return [`Declined: ${sum}. Nothing was sent.`, []];
  return [
    `Approved: ${sum}. Nothing was sent yet: run the command of batch ${name} again, or this, which also goes on with what is unknown:`,
    [['resume', '--all']],
  ];
}

/** The last line of an approval. */
export function howToSend({
  id,
  kind,
  rowId,
}: Pick<Intent, 'id' | 'kind' | 'rowId'>): [string, Suggestion[]] {
  const own = rowId === undefined ? 'its own command' : 'the command of its batch';
  return [`Nothing was sent yet. To send the ${kind}, run ${own} again, or:`, [['resume', id]]];
}

export function earlierDecision({ who, kind, reason }: Pick<Decision, 'who' | 'kind' | 'reason'>): string {
  return `${who} ${didWords[kind]} ("${reason}").`;
}

type Botless = 'bot-moved' | 'no-such-profile' | 'no-token' | 'other-token';

/** The bot of an entry is gone, has moved, or is without its token. `first` brings it back. */
export function noBotFor(
  intent: Intent,
  code: Botless,
  why: string,
  first: readonly Suggestion[] = [],
): Failure {
  const way = isUnsent(intent) ? 'give it up: it was never sent' : 'decide whether it happened';
  return told(code, { next: [...first, ...settling(intent)] })`${why}
    A token goes only to its own service. Bring back its bot (a profile, --token-file or BOTCTL_TOKEN), or ${way}.`;
}

/** With only --sandbox added, the command would use another journal. */
export function ofTheSandbox({ id }: Intent, command: string, journal: string): Failure {
  return told('bot-moved')`This entry belongs to the sandbox
    Add --sandbox.
    $ ${command} ${id} --sandbox --journal ${journal}`;
}

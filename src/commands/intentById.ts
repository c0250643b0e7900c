import { Failure } from '../errors.ts';
import type { Intent, Journal } from '../journal/journal.ts';

const leastCharacters = 4;

/** The one intent whose id or key begins so. */
export function intentById(beginning: string, journal: Journal): Intent {
  const exact = journal.get(beginning);
  if (exact !== undefined) return exact;
  if (beginning.length < leastCharacters) {
    throw new Failure(
      'usage',
      `"${beginning}" is too short for an intent: ${leastCharacters} characters or more are needed.`,
      {
        hint: 'botctl history lists the ids.',
      },
    );
  }
  const [found, other] = journal.startingWith(beginning);
  if (found === undefined) {
    throw new Failure('no-such-intent', `No intent in ${journal.path} begins with "${beginning}".`, {
      hint: 'botctl history lists the ids. Another journal is named with --journal, the sandbox’s with --sandbox.',
    });
  }
  if (other !== undefined) {
    throw new Failure(
      'usage',
      `"${beginning}" is the beginning of several intents (${found.id}, ${other.id}, …).`,
      {
        hint: 'Give more of it.',
      },
    );
  }
  return found;
}

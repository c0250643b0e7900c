import type { Suggestion } from './suggestion.ts';
import { Told } from './told.ts';

/** What is no id may be a name: those are found otherwise. */
function orByName(word: string, hint: string, after = ''): { hint: string; next: Suggestion[] } {
  return word === ''
    ? { hint: `${hint}The history lists them${after}:`, next: [['history']] }
    : {
        hint: `${hint}If it is a name, this finds its intents${after}:`,
        next: [['history', '--name', word]],
      };
}

export function idTooShort(beginning: string, least: number): Told {
  return new Told(
    'usage',
    `"${beginning}" is too short for the id of an intent`,
    orByName(beginning, `Give an id or a key, or its first ${least} characters or more. `),
  );
}

export function noSuchIntent(beginning: string, journal: string): Told {
  return new Told(
    'no-such-intent',
    `No intent in ${journal} has an id or a key that begins with "${beginning}"`,
    orByName(beginning, '', ' (another journal is named with --journal, the sandbox’s with --sandbox)'),
  );
}

export function severalIntents(beginning: string, ids: readonly string[]): Told {
  return new Told('usage', `Several intents begin with "${beginning}" (${ids.join(', ')}, …)`, {
    hint: 'Give more characters of the id.',
  });
}

import { Failure } from '../errors.ts';
import { untouched } from './nothing.ts';

const inTheHistory = { hint: 'The history lists the ids.', next: [['history']] } as const;

export function idTooShort(beginning: string, least: number): Failure {
  return new Failure(
    'usage',
    untouched(`"${beginning}" is too short for an intent: it needs ${least} characters or more`),
    inTheHistory,
  );
}

export function noSuchIntent(beginning: string, journal: string): Failure {
  return new Failure('no-such-intent', untouched(`No intent in ${journal} begins with "${beginning}"`), {
    hint: 'Give an id or a key, not a name: the history lists the ids. Name another journal with --journal, the sandbox’s with --sandbox.',
    next: inTheHistory.next,
  });
}

export function severalIntents(beginning: string, ids: readonly string[]): Failure {
  return new Failure('usage', untouched(`Several intents begin with "${beginning}" (${ids.join(', ')}, …)`), {
    hint: 'Give more characters of the id.',
  });
}

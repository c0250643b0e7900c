import { listed } from './list.ts';
import { Told } from './told.ts';

export const payloadKeySource = 'the payload’s idempotency_key';

export function severalNames(given: readonly string[]): Told {
  return new Told('usage', `Only one option can name an intent, but ${listed(given)} are given`, {
    hint: 'Keep --once for one thing that happens once, --run for all commands of one run, or --idempotency-key for a key of your own.',
  });
}

export function emptyName(source: string): Told {
  return new Told('usage', `${source} is empty. Under an empty name, different intents would count as one`, {
    hint: 'Give a name that stays the same on a retry and is different otherwise, or leave it out (unset the variable).',
  });
}

export function badName(source: string, problem: string): Told {
  return new Told('usage', `${source} ${problem}`, {
    hint: 'Two names that look the same must be the same. Type the name again, in plain characters.',
  });
}

export function nameTooLong(most: number): string {
  return `is longer than ${most} bytes`;
}

/** What of a name nobody can see, and which of its characters it is. */
export const unseenProblems = {
  hidden: (codePoint: string) => `has ${codePoint}, which is invisible`,
  otherBlank: (codePoint: string) => `has ${codePoint}, a blank that is not the plain space`,
  lost: (codePoint: string) => `has ${codePoint}, which stands for a character that was lost`,
  blankAtEnd: () => 'starts or ends with a blank',
  decomposed: (codePoint: string) => `is not in Unicode’s composed form (NFC): ${codePoint}`,
} as const;

export function unseenAt(problem: string, position: number): string {
  return `${problem} (character ${position})`;
}

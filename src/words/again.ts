import { type Occurrence, optionWords, type Suggestion } from './suggestion.ts';

type GivenWords = {
  readonly command: string;
  readonly args: readonly string[];
  readonly occurrences: readonly Occurrence[];
};

/** The same command again, whole: all that it was given, without some options and with others. */
export function again(...how: Parameters<typeof againWords>): Suggestion {
  return againWords(...how);
}

export function againWords(
  { command, args, occurrences }: GivenWords,
  without: readonly string[] = [],
  ...more: readonly Occurrence[]
): readonly string[] {
  const options = occurrences.filter(({ name }) => !without.includes(name));
  return [...command.split(' '), ...args.map(asPath), ...[...options, ...more].flatMap(optionWords)];
}

/** A file whose name looks like an option. */
function asPath(argument: string): string {
  return argument.length > 1 && argument.startsWith('-') ? `./${argument}` : argument;
}

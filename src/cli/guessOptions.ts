import type { OptionGuess } from './spec.ts';

type Reader = (word: string) => string | undefined;

/**
 * Each word goes to the first option whose reader takes it; needed options without a word get a placeholder.
 * Where two words want the same option, the whole line has placeholders; where one is given already, nothing is meant.
 */
export function guessOptions(
  options: Readonly<Record<string, { placeholder: string; reads: Reader }>>,
): OptionGuess {
  return (words, has) => {
    const read = new Map<string, string[]>();
    for (const word of words) {
      const found = Object.keys(options).find((name) => options[name]?.reads(word) !== undefined);
      if (found === undefined) continue;
      read.set(found, [...(read.get(found) ?? []), String(options[found]?.reads(word))]);
    }
    if ([...read.keys()].some(has)) return undefined;
    const plain = [...read.values()].every((values) => values.length === 1);
    return Object.entries(options)
      .filter(([name]) => !has(name))
      .map(([name, { placeholder }]) => ({ name, value: (plain && read.get(name)?.[0]) || placeholder }));
  };
}

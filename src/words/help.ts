import { Told } from './told.ts';

function didYouMean(meant: string): string {
  return `Did you mean ${meant}?`;
}

/** `words` were given; `meant` takes the place of the last of them. */
export function noHelpOn(words: readonly string[], meant: string | undefined): Told {
  return new Told('usage', `There is no help on "${words.join(' ')}".`, {
    hint: meant === undefined ? 'The help lists what there is.' : didYouMean(meant),
    next: [['help', ...(meant === undefined ? [] : [...words.slice(0, -1), meant])]],
  });
}

export function noCompletionFor(shell: string, meant: string | undefined, shells: readonly string[]): Told {
  return new Told('usage', `There is no completion for "${shell}".`, {
    hint: `${meant === undefined ? '' : `${didYouMean(meant)} `}Available: ${shells.join(', ')}.`,
  });
}

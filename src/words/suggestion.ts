import { showsPassword } from '../journal/place.ts';
import { shellWord } from './shellWord.ts';

/** A command that a person may paste: the words after `botctl`, or the commands of other programs, in order. */
export type Suggestion = readonly string[] | { readonly shell: readonly (readonly string[])[] };

/** One option of the command that suggests, as it was given. */
export type Occurrence = { readonly name: string; readonly value: string | true };

/** Who suggests: what it was given, and whether a person can be asked where it runs. */
type Suggesting = { readonly occurrences: readonly Occurrence[]; readonly interactive: boolean };

/** The options that name the bot, its service and the journal: every suggestion repeats them. */
const keptOptions: readonly string[] = ['sandbox', 'profile', 'base-url', 'token-file', 'journal'];
const tryingOptions: readonly string[] = ['timeout', 'retries', 'max-wait'];

/** Where a command takes more of them, or where they would mean something else. */
const keptBy: Readonly<Record<string, readonly string[]>> = {
  resume: [...keptOptions, ...tryingOptions],
  config: [],
  help: [],
};

/** Commands that look and decide need no token. */
const needsNoToken: readonly string[] = ['history', 'resolve', 'verify', 'journal'];

/** What says who speaks, and where: beside --sandbox it would say something else. */
export const foreignToSandbox: readonly string[] = ['base-url', 'token-file', 'profile'];

const stdinOptions = ['token-file', 'payload', 'content-file', 'components'].map((name) => `--${name}=-`);

/** An option as words that are read back as it: a value that looks like an option stays with its name. */
export function optionWords({ name, value }: Occurrence): string[] {
  if (value === true) return [`--${name}`];
  return value.startsWith('-') ? [`--${name}=${value}`] : [`--${name}`, value];
}

export type Suggested = {
  /** Whole lines: quoted for a shell, with what was given to the command that suggests them. */
  readonly lines: readonly string[];
  /** Why some are not among them. */
  readonly lacking: string | undefined;
};

/** What is suggested, as lines to be pasted. */
export function suggested(next: readonly Suggestion[], by: Suggesting): Suggested {
  const lines: string[] = [];
  let lacking: string | undefined;
  for (const suggestion of next) {
    const commands = 'shell' in suggestion ? suggestion.shell : [wholeCommand(suggestion, by)];
    const quoted = commands.map((words) => words.map(shellWord));
    if (commands.some(readsStdin)) lacking = 'It read stdin: give it the same input again.';
    else if (commands.flat().some((word) => isSecret(word, by)))
      lacking = 'Its --journal holds a password, which is not repeated here.';
    else if (quoted.flat().includes(undefined))
      lacking ??= 'What it was given cannot be written in one line.';
    else lines.push(quoted.map((words) => words.join(' ')).join(' && '));
  }
  return { lines, lacking };
}

function wholeCommand(words: readonly string[], { occurrences, interactive }: Suggesting): string[] {
  const [command = ''] = words;
  const said = words
    .filter((word) => word.startsWith('--'))
    .map((word) => word.slice(2).replace(/=.*/su, ''));
  const kept = occurrences
    .filter(({ name }) => (keptBy[command] ?? keptOptions).includes(name) && !said.includes(name))
    .filter(({ name }) => !(said.includes('sandbox') && foreignToSandbox.includes(name)))
    // Each intent has its own, and a token goes to no other intent than its own where none is given.
    .filter(({ name }) => !(said.includes('all') && name === 'base-url'))
    .filter(({ name, value }) => !(name === 'token-file' && value === '-' && needsNoToken.includes(command)));
  // On a terminal it asks, and shows what it asks about.
  const asks = interactive && !occurrences.some(({ name }) => name === 'yes');
  const own = asks ? words.filter((word) => word !== '--yes') : words;
  return ['botctl', ...own, ...kept.flatMap(optionWords)];
}

/** A journal's URL with a password in it is refused, but by then another failure may have come first. */
function isSecret(word: string, { occurrences }: Suggesting): boolean {
  return occurrences.some(({ name, value }) => name === 'journal' && value === word) && showsPassword(word);
}

function readsStdin(words: readonly string[]): boolean {
  return words.some((word) => word === '-' || stdinOptions.includes(word));
}

import { showsPassword } from '../../once/journal/place.ts';
import type { Suggestion } from '../../once/sentence.ts';

// U+FE0E and U+FE0F choose text or emoji shape. Without them ordinary emoji look broken, so they are allowed.
/** Characters never shown raw: they move the cursor, change the reading direction or are invisible. */
export const unsafeClass = String.raw`(?![\uFE0E\uFE0F])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Co}\p{Default_Ignorable_Code_Point}]`;

// A leading = has a meaning in zsh, a leading ~ in all shells.
const plain = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/u;

const ascii = /^[ -~]*$/u;
let unsafe: RegExp | undefined;

/** One word, quoted to be the same in sh, bash and zsh; undefined if it cannot be written on one line. */
export function shellWord(word: string): string | undefined {
  if (plain.test(word)) return word;
  if (!mustBeSpelled(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  // A shell drops newlines at the end of `$(…)`, and bytes that were not text are lost.
  if (word.endsWith('\n') || /[\0\uFFFD\p{Cs}]/u.test(word)) return undefined;
  return `"$(printf '${spelled(word)}')"`;
}

/** Whether a terminal or a log viewer would hide or execute part of it. */
function mustBeSpelled(word: string): boolean {
  if (word.includes('##[')) return true;
  if (ascii.test(word)) return false;
  unsafe ??= new RegExp(`${unsafeClass}|\\uFFFD`, 'u');
  return unsafe.test(word);
}

// Characters with a meaning in printf, in double quotes or in shell history; a leading - may start an option.
const meaningful = /^-|[#%\\'"`$!]/gu;

function spelled(word: string): string {
  return word.replace(meaningful, octal).replace(new RegExp(unsafeClass, 'gu'), octal);
}

function octal(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** One option of the suggesting command, as given. */
export type Occurrence = { readonly name: string; readonly value: string | true };

/** The suggesting command's options, and whether it runs at a person's terminal. */
type Suggesting = { readonly occurrences: readonly Occurrence[]; readonly asks: boolean };

/** The options that name the bot, its service and the journal. Every suggestion repeats them. */
const keptOptions: readonly string[] = ['sandbox', 'profile', 'base-url', 'token-file', 'journal'];
const tryingOptions: readonly string[] = ['timeout', 'max-wait'];

/** Commands that repeat more of these options, or none because the options would mean something else. */
const keptBy: Readonly<Record<string, readonly string[]>> = {
  resume: [...keptOptions, ...tryingOptions],
  config: [],
  help: [],
};

/** Commands that look and decide need no token. */
const needsNoToken: readonly string[] = [
  'history',
  'resolve',
  'approve',
  'decline',
  'verify',
  'balance',
  'journal',
];

/** Options that choose the bot and service: beside --sandbox they would contradict it. */
export const foreignToSandbox = ['base-url', 'token-file', 'profile'] as const;

const stdinOptions = ['token-file', 'payload', 'content', 'content-file', 'components', 'template'].map(
  (name) => `--${name}=-`,
);

/** An option as words that parse back to it. A value that looks like an option stays attached to its name. */
export function optionWords({ name, value }: Occurrence): string[] {
  if (value === true) return [`--${name}`];
  return value.startsWith('-') ? [`--${name}=${value}`] : [`--${name}`, value];
}

export type Suggested = {
  /** Whole lines, quoted for a shell, with the options of the suggesting command. */
  readonly lines: readonly string[];
  /** Why some suggestions have no line. */
  readonly lacking: string | undefined;
  readonly by: Pick<Suggesting, 'asks'>;
};

/** The suggestions as lines to paste. */
export function suggested(next: readonly Suggestion[], by: Suggesting): Suggested {
  const lines: string[] = [];
  const lacking = new Set<string>();
  for (const suggestion of next) {
    const commands = commandsOf(suggestion, by);
    const quoted = commands.map((words) => words.map(shellWord));
    const reasons = [
      commands.some(readsStdin) ? 'The command read stdin: give it the same input again.' : '',
      commands.flat().some((word) => isSecret(word, by))
        ? 'The --journal URL contains a password, which is not shown here.'
        : '',
      quoted.flat().includes(undefined) ? 'Its arguments cannot be written on one line.' : '',
    ].filter((reason) => reason !== '');
    for (const reason of reasons) lacking.add(reason);
    const line = quoted.map((words) => words.join(' ')).join(' && ');
    if (line !== '' && reasons.length === 0 && !lines.includes(line)) lines.push(line);
  }
  return { lines, lacking: lacking.size === 0 ? undefined : [...lacking].join(' '), by };
}

/** A sentence with advice to decide, which only a person may follow. */
const decides =
  /--(?:yes|repeat|skip-repeats|happened|did-not-happen)\b|\b(?:approve|decline|resolve|decide|settle|accept|journal open)\b/iu;

const aPersonDecides = 'A person must decide';

/** The hint. If nobody can be asked, advice to decide becomes “A person must decide”. */
export function adviceOf(hint: string, by: Pick<Suggesting, 'asks'>): string {
  if (!decides.test(hint) || by.asks) return hint;
  const sentences = hint
    .split(/(?<=[.?]) |(?<=:) (?=[A-Z])/u)
    .map((one) => (decides.test(one) ? `${aPersonDecides}${one.endsWith(':') ? ':' : '.'}` : one));
  const once = sentences.filter((one, at) => at === 0 || !sentences[at - 1]?.startsWith(one.slice(0, -1)));
  return once.join(' ');
}

/** A text that introduces commands, with the reason if some of them are missing. */
export function withLacking(text: string, { lines, lacking }: Suggested): string {
  if (lines.length > 0 && lacking === undefined) return text;
  return [text.replace(/:$/u, '.'), lacking].filter(Boolean).join(' ');
}

function commandsOf(suggestion: Suggestion, by: Suggesting): readonly (readonly string[])[] {
  if ('shell' in suggestion) return suggestion.shell;
  if (!('decides' in suggestion)) return [wholeCommand(suggestion, by)];
  const words = by.asks ? suggestion.decides : suggestion.looks;
  return words === undefined ? [] : [wholeCommand(words, by)];
}

function wholeCommand(words: readonly string[], { occurrences }: Suggesting): string[] {
  const [command = ''] = words;
  const said = words
    .filter((word) => word.startsWith('--'))
    .map((word) => word.slice(2).replace(/=.*/su, ''));
  const namesBot = said.includes('sandbox') || said.includes('profile');
  const kept = occurrences
    .filter(({ name }) => (keptBy[command] ?? keptOptions).includes(name) && !said.includes(name))
    // A suggestion that names a bot names its service too.
    .filter(({ name }) => !(namesBot && foreignToSandbox.some((foreign) => foreign === name)))
    // Each entry has its own base URL. Without this option a token goes only to its own entries.
    .filter(({ name }) => !(said.includes('all') && name === 'base-url'))
    .filter(({ name, value }) => !(name === 'token-file' && value === '-' && needsNoToken.includes(command)));
  // A suggestion never answers the question in advance.
  const own = words.filter((word) => word !== '--yes');
  return ['botctl', ...own, ...kept.flatMap(optionWords)];
}

/** Whether the word is a `--journal` URL with a password. Suggestions can be made before that URL is refused. */
function isSecret(word: string, { occurrences }: Suggesting): boolean {
  return occurrences.some(({ name, value }) => name === 'journal' && value === word) && showsPassword(word);
}

function readsStdin(words: readonly string[]): boolean {
  return words.some((word) => word === '-' || stdinOptions.includes(word));
}

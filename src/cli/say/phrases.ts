import { type DiskTrouble, diskTroubleOf } from '../../machine/disk.ts';
import { showsPassword } from '../../once/journal/place.ts';

// No Intl here: it loads its tables of all languages, which takes 11 ms of a command.

/** `a, b, and c`, or `a, b, or c`. */
export function listed(parts: readonly string[], word: 'and' | 'or' = 'and'): string {
  const [last = '', ...before] = parts.toReversed();
  if (before.length < 2) return [...before, last].join(` ${word} `);
  return `${before.reverse().join(', ')}, ${word} ${last}`;
}

/** `12,345` */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/gu, ',');
}

/** `1 row`, `2 rows`, `12,345 rows`. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : nouns}`;
}

/** A moment, to the second. */
export function iso(ms: number): string {
  return isoExact(ms).replace(/\.\d+Z$/u, 'Z');
}

/** A moment as in JSON, to the millisecond. */
export function isoExact(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoDay(ms: number): string {
  return isoExact(ms).slice(0, 10);
}

/** A duration as people say it. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 3600
    ? `${Math.floor(seconds / 60)} min${and(seconds % 60, 's')}`
    : `${Math.floor(seconds / 3600)} h${and(Math.floor((seconds % 3600) / 60), 'min')}`;
}

function and(count: number, unit: string): string {
  return count === 0 ? '' : ` ${count} ${unit}`;
}

const minuteMs = 60_000;
const units = [
  ['day', 24 * 60 * minuteMs],
  ['hour', 60 * minuteMs],
  ['minute', minuteMs],
] as const;

/** `3 hours ago`. */
export function formatAgo(ms: number): string {
  const roundedMs = Math.round(ms / minuteMs) * minuteMs;
  const [noun, unitMs] = units.find(([, unit]) => roundedMs >= unit) ?? [];
  if (noun === undefined) return 'just now';
  const count = Math.round(roundedMs / unitMs);
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'} ago`;
}

/** The wait before the next try, often less than a second. */
export function formatPause(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** `1.5 SOL`: the amount as given, never rounded. */
export function formatAmountOf(amount: string, asset: string): string {
  return `${amount} ${asset}`;
}

// U+FE0E and U+FE0F choose text or emoji shape. Without them ordinary emoji look broken, so they are allowed.
/** Characters never shown raw: they move the cursor, change the reading direction or are invisible. */
export const unsafeClass = String.raw`(?![\uFE0E\uFE0F])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Co}\p{Default_Ignorable_Code_Point}]`;

// A leading = or ~ has a meaning in zsh, or in all shells.
const plain = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/u;

const ascii = /^[ -~]*$/u;
let unsafe: RegExp | undefined;

/** One word, quoted so that sh, bash and zsh read it the same way; undefined if no line can hold it. */
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

/** A command that a person can paste: the words after `botctl`, or commands of other programs in order. */
export type Suggestion =
  | readonly string[]
  | { readonly shell: readonly (readonly string[])[] }
  /** Only a person may decide this. A program, which has no terminal, is given the command that looks. */
  | { readonly decides: readonly string[]; readonly looks?: readonly string[] };

/** One option of the suggesting command, as given. */
export type Occurrence = { readonly name: string; readonly value: string | true };

/** The suggesting command's options, and whether it runs at a person's terminal. */
type Suggesting = { readonly occurrences: readonly Occurrence[]; readonly asks: boolean };

/** The options that name the bot, its service and the journal. Every suggestion repeats them. */
const keptOptions: readonly string[] = ['sandbox', 'profile', 'base-url', 'token-file', 'journal'];
const tryingOptions: readonly string[] = ['timeout', 'max-wait'];

/** Commands that take more of these options, or for which they would mean something else. */
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
  return { lines, lacking: lacking.size === 0 ? undefined : [...lacking].join(' ') };
}

/** A text that announces commands, with why some of them are not shown. */
export function withLacking(text: string, { lacking }: Pick<Suggested, 'lacking'>): string {
  return lacking === undefined ? text : `${text.replace(/:$/u, '.')} ${lacking}`;
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
  const kept = occurrences
    .filter(({ name }) => (keptBy[command] ?? keptOptions).includes(name) && !said.includes(name))
    .filter(({ name }) => !(said.includes('sandbox') && foreignToSandbox.some((foreign) => foreign === name)))
    // Each intent has its own base URL. Without this option a token goes only to its own intents.
    .filter(({ name }) => !(said.includes('all') && name === 'base-url'))
    .filter(({ name, value }) => !(name === 'token-file' && value === '-' && needsNoToken.includes(command)));
  // Nobody is told to answer before the question.
  const own = words.filter((word) => word !== '--yes');
  return ['botctl', ...own, ...kept.flatMap(optionWords)];
}

/** A journal URL with a password is refused, but another failure may have been reported first. */
function isSecret(word: string, { occurrences }: Suggesting): boolean {
  return occurrences.some(({ name, value }) => name === 'journal' && value === word) && showsPassword(word);
}

function readsStdin(words: readonly string[]): boolean {
  return words.some((word) => word === '-' || stdinOptions.includes(word));
}

/** How to write a moment, for help and complaints. */
export const momentRule =
  'how long ago (30m, 24h, 2d, 1w), a month (2026-11), a day (2026-11-30), or a time (2026-11-30T12:00Z)';

const diskFull = 'the disk is full';

/** Why a file or folder could not be read or written, by the system's error code. Each is part of a sentence. */
const diskTroubles: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  ENOSPC: diskFull,
  EDQUOT: 'the disk quota is used up',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  ELOOP: 'the path goes through too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'this process has too many files open',
  ENFILE: 'this machine has too many files open',
  EADDRINUSE: 'the port is already in use',
  EIO: 'the disk could not be read or written',
  NOT_REGULAR: 'it is not a regular file',
  OVER_1_MB: 'it is longer than 1 MB',
};

// SQLite has no such codes, so its messages are matched.
const sqliteTroubles: readonly (readonly [RegExp, string])[] = [
  [/database or disk is full/u, diskFull],
  [/attempt to write a readonly database/u, 'it is read-only'],
];

/** Why a file or folder could not be read or written, as part of a sentence. */
export function diskTrouble(error: unknown): string {
  return troubleInWords(diskTroubleOf(error));
}

export function troubleInWords(trouble: DiskTrouble): string {
  if (trouble.is === 'not-a-folder') return `${trouble.folder} is not a folder`;
  const { code, said } = trouble;
  const words = diskTroubles[code] ?? sqliteTroubles.find(([wording]) => wording.test(said))?.[1] ?? said;
  if (trouble.is === 'failed') return words;
  return `the folder ${trouble.folder} cannot be created: ${notMade[code] ?? words}`;
}

/** Why a folder could not be made. The folders above it exist by then. */
const notMade: Readonly<Record<string, string>> = {
  ENOENT: 'no folder can be created there',
  EEXIST: 'a broken symbolic link has its name',
};

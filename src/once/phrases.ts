import { type DiskTrouble, diskTroubleOf } from '../machine/disk.ts';

// No Intl here: it loads its tables of all languages, which takes 11 ms of a command.

/** `a, b, and c`, or `a, b, or c`. */
export function listed(parts: readonly string[], word: 'and' | 'or' = 'and'): string {
  const [last = '', ...before] = parts.toReversed();
  if (before.length < 2) return [...before, last].join(` ${word} `);
  return `${before.reverse().join(', ')}, ${word} ${last}`;
}

/** `12,345` */
export function formatCount(count: number): string {
  return grouped(String(count));
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/gu, ',');
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

/** `3 hours ago`, `4 s ago`. */
export function formatAgo(ms: number): string {
  const roundedMs = Math.round(ms / minuteMs) * minuteMs;
  const [noun, unitMs] = units.find(([, unit]) => roundedMs >= unit) ?? [];
  if (noun === undefined) return ms < 1000 ? 'just now' : `${Math.round(ms / 1000)} s ago`;
  const count = Math.round(roundedMs / unitMs);
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'} ago`;
}

/** The wait before the next try, often less than a second. */
export function formatPause(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** `12,345.6 SOL`: the amount as given, never rounded. For people only. */
export function formatAmountOf(amount: string, asset: string): string {
  return `${amount.replace(/^\d+/u, grouped)} ${asset}`;
}

const mostShown = 80;
const fewest = 5;

/** A bounded part of a foreign text that never ends inside a character. */
export function clipped(text: string, most = mostShown): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/u, '')}…`;
}

/** The first few items, and the number of the others. */
export function fewOf(texts: readonly string[], separator: string, more: (count: number) => string): string {
  const first = texts.slice(0, fewest).join(separator);
  return texts.length <= fewest ? first : `${first}${separator}${more(texts.length - fewest)}`;
}

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

/** What to do about it: a full disk needs space, and nothing else does. */
export function mending(trouble: DiskTrouble, otherwise = 'Fix that'): string {
  const isFull = /\b(?:disk is full|quota is used up)$/u.test(troubleInWords(trouble));
  return isFull ? 'Free some space' : otherwise;
}

/** Why a folder could not be made. The folders above it exist by then. */
const notMade: Readonly<Record<string, string>> = {
  ENOENT: 'no folder can be created there',
  EEXIST: 'a broken symbolic link has its name',
};

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Home } from '../../../test/support/home.ts';
import type { Dice } from '../../dice.ts';
import { journalOf } from '../../look.ts';

/** The files of one journal: itself, its log and its note. */
export const parts = ['', '-wal', '.note'] as const;
export type Part = (typeof parts)[number];

export function partOf(home: Home, part: Part): string {
  return `${journalOf(home)}${part}`;
}

export function folderOf(home: Home): string {
  return dirname(journalOf(home));
}

/** A machine with a folder for a journal, but no journal in it. */
export function prepared(home: Home): Home {
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
  return home;
}

/** Every reader creates SQLite's shared memory, an empty log and the locks, so they do not count. */
function isKept(name: string, bytes: number): boolean {
  return !/-shm$|\.setup$/u.test(name) && !(name.endsWith('-wal') && bytes === 0);
}

/** Everything that a refusal must leave unchanged. */
export function contentsOf(homes: readonly Home[]): string {
  return homes
    .map(folderOf)
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .flatMap((file) => {
      const { mode, size } = statSync(file);
      if (!statSync(file).isFile() || !isKept(file, size)) return [];
      return [`${file} ${mode.toString(8)} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`];
    })
    .join('\n');
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Changes a file in place. */
export function change(path: string, work: (bytes: Buffer) => Buffer): void {
  writeFileSync(path, work(readFileSync(path)));
}

export function flipBit(path: string, from: number, length: number, dice: Dice): void {
  change(path, (bytes) => {
    const at = from + dice.below(length);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << dice.below(8)), at);
    return bytes;
  });
}

/** Replaces these parts of this machine's journal by another machine's. Parts that the other lacks are removed. */
export function putBack(from: Home, home: Home, chosen: readonly Part[]): void {
  for (const part of chosen) {
    if (existsSync(partOf(from, part))) copyFileSync(partOf(from, part), partOf(home, part));
    else rmSync(partOf(home, part), { force: true });
  }
}

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { firstBadByte } from '../intent/jsonText.ts';
import { foldersAbove, isFolderOpen, isLink, isOwnedSafely } from '../machine/foldersAbove.ts';
import { diskTrouble } from '../words/disk.ts';
import { notUtf8 } from '../words/jsonText.ts';
import { policyDamaged, policyPlaces, policyUnreadable, policyUnsafe } from '../words/policyFile.ts';
import type { Policy } from './policy.ts';
import { readPolicy } from './readPolicy.ts';

const maxBytes = 1024 * 1024;
const writableByOthers = 0o022;

/** The policy in a file that nobody but root and its user can change; undefined where it may be absent and is. */
export function policyAt(path: string, absence: 'is-fine' | 'is-refused'): Policy | undefined {
  const text = readSafely(path, absence);
  return text === undefined ? undefined : readPolicy(text, path);
}

export function readSafely(path: string, absence: 'is-fine' | 'is-refused'): string | undefined {
  let descriptor: number;
  try {
    // A pipe in its place must not hang the command.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isAbsent && absence === 'is-fine') return undefined;
    throw policyUnreadable(path, diskTrouble(error));
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw policyUnsafe(path, policyPlaces.notAFile, [['ls', '-ld', path]]);
    refuseUnsafe(path, path, stats, (stats.mode & writableByOthers) !== 0);
    // Who may change a folder above it, or above a link to it, may put another file in its place.
    const whole = resolve(path);
    if (isLink(whole)) refuseUnsafe(path, path, lstatSync(whole), false);
    for (const folder of foldersAbove(whole)) {
      if (isLink(folder)) refuseUnsafe(path, folder, lstatSync(folder), false);
      const found = statSync(folder);
      refuseUnsafe(path, folder, found, isFolderOpen(found));
    }
    if (stats.size > maxBytes)
      throw policyUnsafe(path, policyPlaces.tooLong(maxBytes), [['ls', '-ld', path]]);
    return textOf(readAll(descriptor, stats.size), path);
  } finally {
    closeSync(descriptor);
  }
}

function textOf(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw policyDamaged(path, { ...firstBadByte(bytes), field: undefined, problem: notUtf8 });
  }
}

function readAll(descriptor: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let read = 0;
  for (let count = -1; count !== 0 && read < size; read += count)
    count = readSync(descriptor, bytes, read, size - read, read);
  return bytes.subarray(0, read);
}

// Windows has no such bits; there the folder of whoever owns it is what protects the file.
function refuseUnsafe(policy: string, path: string, stats: Stats, isOpen: boolean): void {
  const me = process.getuid?.();
  if (me === undefined) return;
  const { uid, mode } = stats;
  const said = (problem: string): string =>
    path === policy ? problem : policyPlaces.folderOf(path, problem);
  if (!isOwnedSafely(stats, me))
    throw policyUnsafe(policy, said(policyPlaces.otherOwner(uid)), [['sudo', 'chown', String(me), path]]);
  if (isOpen)
    throw policyUnsafe(policy, said(policyPlaces.openToOthers(mode & 0o7777)), [['chmod', 'go-w', path]]);
}

import { lstatSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { diskTroubleOf, errorCodeOf } from '../../machine/disk.ts';
import { foldersAbove, isFolderOpen, isLink, isOwnedSafely } from '../../machine/foldersAbove.ts';
import { readSmall, type SmallFile } from '../../machine/smallFile.ts';
import { firstBadByte } from '../../once/entry/jsonText.ts';
import { policyFailure } from '../../policy/failures.ts';
import type { Policy } from '../../policy/policy.ts';
import { readPolicy } from '../../policy/readPolicy.ts';

const writableByOthers = 0o022;

/** Reads a policy file. Refuses one that users other than root and this one can change. */
export function policyAt(path: string, absence: 'is-fine' | 'is-refused'): Policy | undefined {
  const text = readSafely(path, absence);
  return text === undefined ? undefined : readPolicy(text, path);
}

export function readSafely(path: string, absence: 'is-fine' | 'is-refused'): string | undefined {
  let file: SmallFile;
  try {
    file = readSmall(path);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT' && absence === 'is-fine') return undefined;
    throw policyFailure('unreadable', { source: path, trouble: diskTroubleOf(error) });
  }
  const { bytes, stats } = file;
  refuseUnsafe(path, path, stats, (stats.mode & writableByOthers) !== 0);
  // A user who can change a folder above the file, or above a link to it, can replace the file.
  const whole = resolve(path);
  if (isLink(whole)) refuseUnsafe(path, path, lstatSync(whole), false);
  for (const folder of foldersAbove(whole)) {
    if (isLink(folder)) refuseUnsafe(path, folder, lstatSync(folder), false);
    const stats = statSync(folder);
    refuseUnsafe(path, folder, stats, isFolderOpen(stats));
  }
  return decoded(bytes, path);
}

function decoded(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw policyFailure('bad-text', {
      source: path,
      fault: { is: 'not-utf8', ...firstBadByte(bytes) },
    });
  }
}

function refuseUnsafe(source: string, path: string, stats: Stats, isOpen: boolean): void {
  const { uid, mode } = stats;
  if (!isOwnedSafely(stats))
    throw policyFailure('other-owner', { source, path, uid, me: process.getuid?.() ?? 0 });
  if (isOpen) throw policyFailure('open-to-others', { source, path, mode: mode & 0o7777 });
}

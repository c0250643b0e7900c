import { type DiskTrouble, diskTroubleOf } from '../machine/disk.ts';

const diskFull = 'the disk is full';

/** Why a file or folder could not be read or written, by the system's code: each is part of a sentence. */
const diskTroubles: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  ENOSPC: diskFull,
  EDQUOT: 'the disk quota is used up',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  ELOOP: 'it leads through too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'this process has too many files open',
  ENFILE: 'this machine has too many files open',
  EADDRINUSE: 'the port is already in use',
  EIO: 'the disk could not be read or written',
};

// SQLite has no such codes: these are its own words.
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

/** What is above the folder is there by now. */
const notMade: Readonly<Record<string, string>> = {
  ENOENT: 'no folder can be created there',
  EEXIST: 'a symbolic link that leads nowhere has its name',
};

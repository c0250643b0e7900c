export const diskFull = 'the disk is full';

/** Why a file or folder could not be read or written, by the system's code: each is part of a sentence. */
export const diskTroubles: Readonly<Record<string, string>> = {
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
export const sqliteTroubles: readonly (readonly [RegExp, string])[] = [
  [/database or disk is full/u, diskFull],
  [/attempt to write a readonly database/u, 'it is read-only'],
];

export function folderNotMade(path: string, why: string): string {
  return `the folder ${path} cannot be created: ${why}`;
}

export function notAFolder(path: string): string {
  return `${path} is not a folder`;
}

export const noFolderThere = 'no folder can be created there';
export const danglingLink = 'a symbolic link that leads nowhere has its name';

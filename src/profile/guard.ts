import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { Failure } from '../errors.ts';

/** What makes a file or folder no safe place for a token, with the command that mends it. */
type Danger = { readonly problem: string; readonly mend: string; readonly first?: string };

const groupAndOthers = 0o077;

export function quoted(path: string): string {
  return /^[\w./@%+=:,-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function ownerDanger(path: string, uid: number): Danger | undefined {
  const me = process.getuid?.();
  if (me === undefined || uid === me) return undefined;
  const chown = `chown ${me} ${quoted(path)}`;
  return {
    problem: `belongs to another user (uid ${uid}; you are ${me})`,
    ...(me === 0
      ? { first: 'Run botctl as that user, without sudo. If it is to be root’s: ', mend: chown }
      : { mend: `sudo ${chown}` }),
  };
}

// Windows has no such bits; there the user's own folder is what protects the file.
function modeDanger(path: string, stats: Stats, mode: number): Danger | undefined {
  if (process.platform === 'win32' || (stats.mode & groupAndOthers) === 0) return undefined;
  return {
    problem: `is open to other users (mode ${(stats.mode & 0o777).toString(8)})`,
    mend: `chmod ${mode.toString(8)} ${quoted(path)}`,
  };
}

function linkDanger(path: string, mode: number): Danger {
  const link = quoted(path);
  const aside = quoted(`${path}.link`);
  return {
    problem: 'is a symbolic link',
    mend: `mv ${link} ${aside} && cp -RH ${aside} ${link} && chmod ${mode.toString(8)} ${link}`,
  };
}

function refuse(path: string, { problem, mend, first = 'Mend it with: ' }: Danger): never {
  throw new Failure('config-unsafe', `${path} ${problem}; nothing was read, changed or sent.`, {
    hint: `${first}${mend}`,
  });
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function unreadable(path: string, error: unknown): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  return new Failure('config-unsafe', `${path} cannot be read: ${reason}; nothing was changed or sent.`, {
    hint: `Look at it with: ls -ld ${quoted(path)}`,
  });
}

/** Refuses a folder that others could read or change, or that is a way to somewhere else. Absent is fine. */
export function checkFolder(path: string): void {
  let stats: Stats;
  try {
    stats = lstatSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw unreadable(path, error);
  }
  const danger = stats.isSymbolicLink()
    ? linkDanger(path, 0o700)
    : stats.isDirectory()
      ? (ownerDanger(path, stats.uid) ?? modeDanger(path, stats, 0o700))
      : { problem: 'is no folder', mend: `mv ${quoted(path)} ${quoted(`${path}.old`)}` };
  if (danger !== undefined) refuse(path, danger);
}

/** The bytes of a file that is private to its user; undefined where there is none. */
export function readPrivate(path: string): Buffer | undefined {
  let descriptor: number;
  try {
    // Judged by what was really opened. O_NONBLOCK: a pipe in its place must not hang the command.
    descriptor = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (errorCode(error) === 'ELOOP') refuse(path, linkDanger(path, 0o600));
    throw unreadable(path, error);
  }
  try {
    const stats = fstatSync(descriptor);
    const danger = stats.isFile()
      ? (ownerDanger(path, stats.uid) ?? modeDanger(path, stats, 0o600))
      : { problem: 'is no file', mend: `mv ${quoted(path)} ${quoted(`${path}.old`)}` };
    if (danger !== undefined) refuse(path, danger);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

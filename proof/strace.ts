import { readFileSync } from 'node:fs';
import { hasTool } from '../test/support/tools.ts';
import type { Arena } from './arena.ts';

/** One system call of a run: the n-th with its name in the program's main thread. */
export type Site = { readonly call: string; readonly nth: number; readonly words: string };

/** The errors that each call on a file can return once. */
const errors: Readonly<Record<string, readonly string[]>> = {
  fsync: ['EIO', 'ENOSPC', 'EINTR', 'EROFS'],
  fdatasync: ['EIO', 'ENOSPC', 'EINTR', 'EROFS'],
  pwrite64: ['EIO', 'ENOSPC', 'EROFS', 'EINTR'],
  pread64: ['EIO', 'EINTR'],
  ftruncate: ['EIO', 'ENOSPC', 'EROFS', 'EINTR'],
  rename: ['EIO', 'ENOSPC', 'EROFS'],
  unlink: ['EIO', 'EROFS'],
  mkdir: ['ENOSPC', 'EROFS', 'EIO'],
  openat: ['EMFILE', 'EROFS', 'EIO', 'ENOSPC', 'EINTR'],
  chmod: ['EROFS', 'EIO'],
  fchmod: ['EROFS', 'EIO'],
  fcntl: ['EIO', 'EINTR'],
  // Any other error on a close makes Node's own library abort.
  close: ['EINTR'],
};

const watched = [...Object.keys(errors), 'socket', 'connect', 'read', 'write', 'writev'];

/** Whether single system calls can be met here. */
export function hasStrace({ hasSystemCalls, tally }: Arena): boolean {
  if (!hasSystemCalls) return false;
  const isThere = process.platform === 'linux' && hasTool('strace');
  if (!isThere) tally.note('system calls', 'left out, because there is no strace');
  return isThere;
}

/** The words in front of a program that write its system calls to `log`. */
export function recording(log: string): string[] {
  return ['strace', '-f', '-qq', '-o', log, '-e', `trace=${watched.join(',')}`, '--'];
}

/** The words in front of a program that tamper with this one system call. */
export function injecting({ call, nth }: Site, what: string): string[] {
  const options = ['-e', `trace=${call}`, '-e', `inject=${call}:${what}:when=${nth}`];
  return ['strace', '-f', '-qq', '--seccomp-bpf', '-o', '/dev/null', ...options, '--'];
}

/** The system calls of the main thread, starting with the first that names the file. */
export function sitesIn(log: string, fromFile: string): Site[] {
  const lines = readFileSync(log, 'utf8').split('\n');
  const main = /^\d+/u.exec(lines[0] ?? '')?.[0] ?? '';
  const counts = new Map<string, number>();
  const sites: Site[] = [];
  let hasBegun = false;
  for (const line of lines) {
    const call = new RegExp(`^${main}\\s+(\\w+)\\(`, 'u').exec(line)?.[1];
    if (call === undefined) continue;
    const nth = (counts.get(call) ?? 0) + 1;
    counts.set(call, nth);
    hasBegun ||= line.includes(fromFile);
    if (hasBegun) sites.push({ call, nth, words: line.slice(main.length).trim().slice(0, 90) });
  }
  return sites;
}

/** Taking a lock can fail, but releasing it cannot. Node aborts by itself if it cannot read its streams' flags. */
function isOurs({ call, words }: Site): boolean {
  return call !== 'fcntl' || (/F_(SETLK|GETLK)/u.test(words) && !words.includes('F_UNLCK'));
}

/** Two errors for each place, rotating from place to place; only one for reads and locks, which are many. */
export function failuresOf(sites: readonly Site[]): { site: Site; error: string }[] {
  return sites.filter(isOurs).flatMap((site, index) => {
    const possible = errors[site.call] ?? [];
    const most = site.call === 'fcntl' || site.call === 'pread64' ? 1 : 2;
    const count = Math.min(most, possible.length);
    return Array.from({ length: count }, (_, turn) => {
      const error = possible[(index + turn) % possible.length] ?? 'EIO';
      return { site, error };
    });
  });
}

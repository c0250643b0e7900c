import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DiskTrouble, diskTroubleOf } from '../../machine/disk.ts';
import type { Address } from './address.ts';
import { Password } from './password.ts';
import type { Env } from './settings.ts';

/** Why a password file that there is was not used, as libpq does not. */
export type PassFileIgnored = { readonly path: string } & PassFileProblem;

type PassFileProblem =
  | { readonly is: 'missing' | 'not-a-file' | 'open-to-others' }
  | { readonly is: 'unreadable'; readonly trouble: DiskTrouble };

/** An address with all that is known of its password. */
type Completed = { readonly address: Address; readonly ignored: PassFileIgnored | undefined };

type Place = { readonly env: Env; readonly home: () => string; readonly platform?: NodeJS.Platform };

/** Where neither the URL nor PGPASSWORD has a password, libpq's file is asked: by its rules, so that psql agrees. */
export function withPassFile(address: Address, place: Place): Completed {
  if (address.password !== undefined) return { address, ignored: undefined };
  const named = place.env.PGPASSFILE;
  const path = named || defaultPath(place);
  const read = readPassFile(path, place.platform ?? process.platform);
  if (read.is === 'missing' && !named) return { address, ignored: undefined };
  if (read.is !== 'read') return { address, ignored: { path, ...read } };
  const found = findPassword(read.text, address);
  return {
    address: found === undefined ? address : { ...address, password: new Password(found) },
    ignored: undefined,
  };
}

function defaultPath({ env, home, platform = process.platform }: Place): string {
  if (platform !== 'win32') return join(home(), '.pgpass');
  return join(env.APPDATA ?? join(home(), 'AppData', 'Roaming'), 'postgresql', 'pgpass.conf');
}

function readPassFile(
  path: string,
  platform: NodeJS.Platform,
): { readonly is: 'read'; readonly text: string } | PassFileProblem {
  let descriptor: number | undefined;
  try {
    // Judged by what was really opened. O_NONBLOCK: a pipe in its place must not hang the command.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { is: 'not-a-file' };
    if (platform !== 'win32' && (stats.mode & 0o077) !== 0) return { is: 'open-to-others' };
    return { is: 'read', text: readFileSync(descriptor, 'utf8') };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { is: 'missing' };
    return { is: 'unreadable', trouble: diskTroubleOf(error) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The folders that are libpq's default, by how it was built: of them its file says `localhost`. */
const defaultFolders: readonly string[] = ['/tmp', '/run/postgresql', '/var/run/postgresql'];

/** Of the lines `host:port:database:user:password`, the first that matches: of several users', none is better. */
export function findPassword(text: string, { server, port, database, user }: Address): string | undefined {
  const hosts =
    server.is === 'host'
      ? [server.host]
      : [server.folder, ...(defaultFolders.includes(server.folder) ? ['localhost'] : [])];
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) continue;
    const [host, ofPort, ofDatabase, ofUser, password = ''] = fieldsOf(line.replace(/\r$/u, ''));
    const isHost = hosts.some((one) => matches(host, one));
    if (isHost && matches(ofPort, String(port)) && matches(ofDatabase, database) && matches(ofUser, user))
      return password === '' ? undefined : unescaped(password);
  }
  return undefined;
}

/** Still escaped: `\*` is a name, and `*` is any. A fifth one ends at its colon too. */
function fieldsOf(line: string): string[] {
  return [...line.matchAll(/((?:\\.|[^:\\]|\\$)*)(?::|$)/gsu)].map(([, field = '']) => field);
}

function matches(field: string | undefined, value: string): boolean {
  return field !== undefined && (field === '*' || unescaped(field) === value);
}

function unescaped(field: string): string {
  return field.replace(/\\(.)/gsu, '$1');
}

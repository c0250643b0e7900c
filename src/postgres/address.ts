import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DiskTrouble, diskTroubleOf } from '../machine/disk.ts';
import { invisibleIn } from '../once/intent/naming.ts';
import { showsPassword } from '../once/journal/place.ts';
import { sharedFailure } from './facts.ts';
import {
  AddressSettings,
  type Demands,
  decideEncryption,
  demandsOf,
  distanceOf,
  type Encryption,
  type Env,
  parseJournalUrl,
  type Server,
  type Setting,
  serverOf,
} from './settings.ts';

/** Where a shared journal is and how to reach it. It is complete, so that the driver has nothing to guess. */
export type Address = {
  readonly server: Server;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly schema: string;
  readonly encryption: Encryption;
  readonly demands: Demands;
  /** What `connect_timeout` says, if anything does. */
  readonly connectTimeoutMs: number | undefined;
  readonly applicationName: string;
  readonly password: Password | undefined;
};

/** Where the URL was given. Everyone on the machine can see an argument. */
export type UrlSource = '--journal' | 'BOTCTL_JOURNAL' | 'journal';

const defaultPort = 5432;
export const defaultSchema = 'botctl';
const longestTimeoutS = 600;

/** `userName` is called only if nothing else names the user. The password file is not read here. */
export function parseAddress(text: string, source: UrlSource, env: Env, userName: () => string): Address {
  if (source !== 'BOTCTL_JOURNAL' && showsPassword(text))
    throw sharedFailure('bad-url', { source, fault: 'password-in-option' });
  const settings = new AddressSettings(parseJournalUrl(text, source), source, env);
  const server = serverOf(settings);
  const user = nameOf(settings.part('user', 'PGUSER')) ?? userName();
  const encryption = decideEncryption(
    {
      sslmode: settings.parameter('sslmode', 'PGSSLMODE'),
      sslrootcert: settings.parameter('sslrootcert', 'PGSSLROOTCERT'),
      sslcert: settings.parameter('sslcert', 'PGSSLCERT'),
      sslkey: settings.parameter('sslkey', 'PGSSLKEY'),
    },
    distanceOf(server),
  );
  return {
    server,
    port: portOf(settings),
    user,
    database: nameOf(settings.part('database', 'PGDATABASE')) ?? user,
    schema: schemaOf(settings.parameter('schema')),
    encryption,
    demands: demandsOf(settings, encryption),
    connectTimeoutMs: timeoutOf(settings.parameter('connect_timeout', 'PGCONNECT_TIMEOUT')),
    applicationName: nameOf(settings.parameter('application_name', 'PGAPPNAME')) ?? 'botctl',
    password: passwordOf(settings.part('password', 'PGPASSWORD')),
  };
}

function nameOf(setting: Setting | undefined): string | undefined {
  if (setting === undefined) return undefined;
  const unseen = invisibleIn(setting.value);
  if (unseen !== undefined) throw sharedFailure('unseen-in-setting', { origin: setting.origin, unseen });
  return setting.value;
}

function portOf(settings: AddressSettings): number {
  const asked = settings.parameter('port');
  const setting = settings.part('port', asked === undefined ? 'PGPORT' : undefined) ?? asked;
  if (asked !== undefined && setting !== asked)
    throw sharedFailure('bad-setting', { origin: asked.origin, fault: 'two-ports' });
  if (setting === undefined) return defaultPort;
  const port = /^\d{1,5}$/u.test(setting.value) ? Number(setting.value) : 0;
  if (port < 1 || port > 65_535)
    throw sharedFailure('bad-setting', { origin: setting.origin, fault: 'port' });
  return port;
}

// The schema is quoted in every statement. Only names that need no quotes are allowed, so that psql finds the same one.
function schemaOf(setting: Setting | undefined): string {
  if (setting === undefined) return defaultSchema;
  if (/^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}$/u.test(setting.value)) return setting.value;
  throw sharedFailure('bad-setting', { origin: setting.origin, fault: 'schema' });
}

function timeoutOf(setting: Setting | undefined): number | undefined {
  if (setting === undefined) return undefined;
  const seconds = /^\d{1,3}$/u.test(setting.value) ? Number(setting.value) : 0;
  if (seconds < 1 || seconds > longestTimeoutS)
    throw sharedFailure('bad-setting', { origin: setting.origin, fault: 'seconds' });
  return seconds * 1_000;
}

function passwordOf(setting: Setting | undefined): Password | undefined {
  if (setting === undefined) return undefined;
  if (setting.value.includes('\0')) throw sharedFailure('null-in-password', { origin: setting.origin });
  return new Password(setting.value);
}

/** For messages and JSON: a URL without the password, in which every character is safe. */
export function placeOf({ server, port, user, database, schema }: Address): string {
  const [host, socket] =
    server.is === 'host' ? [hostInUrl(server.host), ''] : ['', `host=${folderInUrl(server.folder)}&`];
  return `postgres://${encodeURIComponent(user)}@${host}:${port}/${encodeURIComponent(database)}?${socket}schema=${schema}`;
}

/** A URL of the same journal for another role, to be pasted. It says how to verify the server, unless by default. */
export function urlFor(address: Address, user: string): string {
  const { demands, encryption, server } = address;
  const { mode } = encryption;
  const usual = distanceOf(server) === 'network' ? 'verify-full' : 'disable';
  const rootCert = mode === 'disable' ? undefined : encryption.rootCert;
  return [
    placeOf({ ...address, user }),
    ...(mode === usual && rootCert === undefined ? [] : [`sslmode=${mode}`]),
    ...(rootCert === undefined ? [] : [`sslrootcert=${folderInUrl(rootCert)}`]),
    ...Object.entries(demands).map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
  ].join('&');
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function folderInUrl(folder: string): string {
  return encodeURIComponent(folder).replaceAll('%2F', '/');
}

/** The password of a shared journal. Only `reveal` shows it, and only the driver may call that. */
class Password {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[password]';
  }

  toJSON(): string {
    return '[password]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[password]';
  }
}

/** Why an existing password file was ignored, as libpq would ignore it. */
export type PassFileIgnored = { readonly path: string } & PassFileProblem;

type PassFileProblem =
  | { readonly is: 'missing' | 'not-a-file' | 'open-to-others' }
  | { readonly is: 'unreadable'; readonly trouble: DiskTrouble };

/** An address with everything that is known about its password. */
type Completed = { readonly address: Address; readonly ignored: PassFileIgnored | undefined };

type Place = { readonly env: Env; readonly home: () => string; readonly platform?: NodeJS.Platform };

/**
 * If neither the URL nor PGPASSWORD has a password, reads libpq's password file by libpq's rules, so that psql agrees.
 */
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
    // Checks the file that was opened. O_NONBLOCK keeps a pipe in its place from blocking the command.
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

/** libpq's default folders, depending on how it was built. Its password file calls them `localhost`. */
const defaultFolders: readonly string[] = ['/tmp', '/run/postgresql', '/var/run/postgresql'];

/** The first line `host:port:database:user:password` that matches. */
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

/** The fields, still escaped: `\*` is a name, and `*` means any. A colon also ends the fifth field. */
function fieldsOf(line: string): string[] {
  return [...line.matchAll(/((?:\\.|[^:\\]|\\$)*)(?::|$)/gsu)].map(([, field = '']) => field);
}

function matches(field: string | undefined, value: string): boolean {
  return field !== undefined && (field === '*' || unescaped(field) === value);
}

function unescaped(field: string): string {
  return field.replace(/\\(.)/gsu, '$1');
}

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

/** Where a shared journal is, and how it is reached: nothing is left for the driver to guess. */
export type Address = {
  readonly server: Server;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly schema: string;
  readonly encryption: Encryption;
  readonly demands: Demands;
  readonly connectTimeoutMs: number;
  readonly applicationName: string;
  readonly password: Password | undefined;
};

/** Where the URL was given: an argument can be seen by everyone on the machine. */
export type UrlSource = '--journal' | 'BOTCTL_JOURNAL';

const defaultPort = 5432;
export const defaultSchema = 'botctl';
const defaultTimeoutMs = 10_000;
const longestTimeoutS = 600;

/** `userName` is asked only where nobody else says who connects. The password file is not read here. */
export function parseAddress(text: string, source: UrlSource, env: Env, userName: () => string): Address {
  if (source === '--journal' && showsPassword(text))
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

// It stands quoted in every statement; a name that needs no quotes is the one that a person in psql would find.
function schemaOf(setting: Setting | undefined): string {
  if (setting === undefined) return defaultSchema;
  if (/^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}$/u.test(setting.value)) return setting.value;
  throw sharedFailure('bad-setting', { origin: setting.origin, fault: 'schema' });
}

function timeoutOf(setting: Setting | undefined): number {
  if (setting === undefined) return defaultTimeoutMs;
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

/** For messages and JSON: a URL without the password, in which every character is a safe one. */
export function placeOf({ server, port, user, database, schema }: Address): string {
  const [host, socket] =
    server.is === 'host' ? [hostInUrl(server.host), ''] : ['', `host=${folderInUrl(server.folder)}&`];
  return `postgres://${encodeURIComponent(user)}@${host}:${port}/${encodeURIComponent(database)}?${socket}schema=${schema}`;
}

/** The same journal for another role, to be pasted: how its server proves itself is said where it must be. */
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

/** The password of a shared journal. Only `reveal` shows it, and only the driver may ask for that. */
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

import { invisibleIn } from '../../intent/invisible.ts';
import { showsPassword } from '../place.ts';
import { type Demands, demandsOf } from './demands.ts';
import { decideEncryption, type Encryption } from './encryption.ts';
import { sharedFailure } from './facts.ts';
import { Password } from './password.ts';
import { distanceOf, type Server, serverOf } from './server.ts';
import { AddressSettings, type Env, type Setting } from './settings.ts';
import { parseJournalUrl } from './url.ts';

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

import { isIPv4, isIPv6 } from 'node:net';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { parse } from 'pg-connection-string';
import { trusted } from '../machine/authorities.ts';
import { diskTroubleOf } from '../machine/disk.ts';
import type { Env } from '../machine/folders.ts';
import { readSmall } from '../machine/smallFile.ts';
import type { Failure } from '../once/failures.ts';
import { showsPassword } from '../once/journal/place.ts';
import { type ServerUrlFault, sharedFailure } from './failures.ts';

/** Where a shared journal is and how to reach it. */
export type Address = ReturnType<typeof parseAddress>;

type Ssl = false | ConnectionOptions;

/** Where the URL was given. Everyone on the machine can see an argument. */
export type UrlSource = '--journal' | 'BOTCTL_JOURNAL' | 'journal';

const defaultSchema = 'botctl';

/** The driver reads the URL, and PG* variables fill in what the URL leaves out. `userName` is the last resort. */
export function parseAddress(text: string, source: UrlSource, env: Env, userName: () => string) {
  const refusal = (fault: ServerUrlFault): Failure => sharedFailure('bad-url', { source, fault });
  if (source !== 'BOTCTL_JOURNAL' && showsPassword(text)) throw refusal('password-in-option');
  if (!/^postgres(?:ql)?:\/\//iu.test(text)) throw refusal('not-postgres');
  const { tls, parts } = readUrl(text, refusal);
  const host = parts.host || env.PGHOST || 'localhost';
  const user = parts.user || env.PGUSER || userName();
  const schema = parts.schema ?? defaultSchema;
  if (!isPlainName(schema)) throw refusal('schema');
  const ssl = sslOf(host, tls);
  return {
    /** A name, an IP address, or the folder of a Unix socket. */
    host,
    port: Number(parts.port || env.PGPORT || 5432),
    user,
    database: parts.database || env.PGDATABASE || user,
    schema,
    options: parts.options ?? undefined,
    tls,
    /** Functions, so that printing an address shows no password and no key. */
    password: () => parts.password || env.PGPASSWORD || undefined,
    ssl: () => ssl,
  };
}

type Part = 'host' | 'port' | 'user' | 'database' | 'password' | 'schema' | 'options';

/** Takes the TLS parameters out first: the driver would read the files that they name, however large. */
function readUrl(text: string, refusal: (fault: ServerUrlFault) => Failure) {
  const [place = ''] = text.split('?');
  const query = new URLSearchParams(text.slice(place.length + 1));
  const tls: Partial<Record<(typeof tlsParameters)[number], string | undefined>> = {};
  for (const parameter of tlsParameters) {
    tls[parameter] = query.get(parameter) ?? undefined;
    query.delete(parameter);
  }
  try {
    return { tls, parts: parse(`${place}?${query}`) as Partial<Record<Part, string | null>> };
  } catch {
    throw refusal('unreadable');
  }
}

const tlsParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const;

type Tls = ReturnType<typeof readUrl>['tls'];

/** Every statement quotes it. Only names that need no quotes are allowed, so that psql finds the same one. */
const isPlainName = (value: string): boolean =>
  /^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}$/u.test(value);

/**
 * On this machine no TLS is needed: nobody is in between. Elsewhere the server must prove its name, unless the URL says
 * otherwise. As in libpq, `require` with `sslrootcert` also checks the authority.
 */
function sslOf(host: string, { sslmode = '', sslrootcert, sslcert, sslkey }: Tls): Ssl {
  const isAsked = ['require', 'verify-ca', 'verify-full'].includes(sslmode) || sslrootcert !== undefined;
  if (isSocket(host) || sslmode === 'disable' || (isHere(host) && !isAsked)) return false;
  const checksName = sslrootcert === undefined || !['require', 'verify-ca'].includes(sslmode);
  return {
    // Always set, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
    rejectUnauthorized: sslmode !== 'require' || sslrootcert !== undefined,
    // Not the host that the driver passes: for an IP address it has changed between versions.
    checkServerIdentity: (_host, certificate) =>
      checksName ? checkServerIdentity(host, certificate) : undefined,
    ...(sslrootcert === undefined ? trusted() : { ca: readPem(sslrootcert) }),
    ...(sslcert !== undefined && { cert: readPem(sslcert) }),
    ...(sslkey !== undefined && { key: readPem(sslkey) }),
  };
}

function readPem(path: string): Buffer {
  try {
    return readSmall(path).bytes;
  } catch (error) {
    throw sharedFailure('certificate-unreadable', { path, trouble: diskTroubleOf(error) });
  }
}

function isSocket(host: string): boolean {
  return host.startsWith('/');
}

function isHere(host: string): boolean {
  if (isSocket(host) || /^localhost$/iu.test(host)) return true;
  return isIPv4(host) ? host.startsWith('127.') : isVersion6(host) && /^[0:]*1$/u.test(host);
}

// Looks for a colon first: Node's isIPv6() takes 3 ms the first time.
function isVersion6(host: string): boolean {
  return host.includes(':') && isIPv6(host);
}

/** For messages and JSON: a URL without the password and the usual schema, in which every character is safe. */
export function placeOf(address: Address, more: readonly string[] = []): string {
  const { host, port, user, database, schema } = address;
  const name = encodeURI(database).replace(/[?#@]/gu, encodeURIComponent);
  const bare = isVersion6(host) ? `[${host}]` : encodeURIComponent(host);
  const parameters = [
    ...(isSocket(host) ? [`host=${inUrl(host)}`, `port=${port}`] : []),
    ...(schema === defaultSchema ? [] : [`schema=${schema}`]),
    ...more,
  ];
  const server = isSocket(host) ? '' : `${bare}:${port}`;
  const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  return `postgres://${encodeURIComponent(user)}@${server}/${name}${query}`;
}

/** A URL to paste, of the same journal for another role. It verifies the server as this one does. */
export function urlFor(address: Address, user: string): string {
  const { options, tls } = address;
  const { sslmode, sslrootcert } = tls;
  const more = Object.entries({ sslmode, sslrootcert, options });
  return placeOf(
    { ...address, user },
    more.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${inUrl(value)}`])),
  );
}

/** Encodes a parameter's value. The slashes of a path stay readable. */
function inUrl(text: string): string {
  return encodeURIComponent(text).replaceAll('%2F', '/');
}

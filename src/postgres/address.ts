import { isIPv4, isIPv6 } from 'node:net';
import { isAbsolute } from 'node:path';
import { parse } from 'pg-connection-string';
import type { Failure } from '../once/failures.ts';
import { invisibleIn } from '../once/intent/naming.ts';
import { showsPassword } from '../once/journal/place.ts';
import { type Origin, type SettingFault, sharedFailure, type UrlFault } from './facts.ts';

/** Where a shared journal is and how to reach it. It is complete, so that the driver has nothing to guess. */
export type Address = {
  /** A name, an IP address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly schema: string;
  readonly tls: Tls;
  readonly applicationName: string;
  readonly options: string | undefined;
  /** What `connect_timeout` says, if anything does. */
  readonly connectTimeoutMs: number | undefined;
  /** A function, because whatever shows an address must not show it. */
  readonly password: () => string | undefined;
};

/** How the connection is protected, and the files for that. `require` does not prove who answers. */
type Tls =
  | { readonly mode: 'disable' }
  | {
      readonly mode: 'require' | 'verify-ca' | 'verify-full';
      /** The certificate authority's file; undefined for the authorities that Node knows. */
      readonly root: string | undefined;
      readonly client: { readonly cert: string; readonly key: string } | undefined;
    };

/** Where the URL was given. Everyone on the machine can see an argument. */
export type UrlSource = '--journal' | 'BOTCTL_JOURNAL' | 'journal';

export type Env = Readonly<Record<string, string | undefined>>;

type Part = Extract<Origin, { part: string }>['part'];

type Setting = { readonly value: string; readonly origin: Origin };

const defaultSchema = 'botctl';

const known: readonly string[] = [
  ...['schema', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'],
  ...['connect_timeout', 'host', 'port', 'application_name', 'options'],
];

/** Variables that could lead elsewhere than the URL, change answers, or demand what nobody here would check. */
const unsupported = [
  ...['PGSERVICE', 'PGHOSTADDR', 'PGOPTIONS', 'PGREPLICATION', 'PGBINARY'],
  ...['PGTARGETSESSIONATTRS', 'PGCHANNELBINDING'],
];

/** `userName` is called only if nothing else names the user. */
export function parseAddress(text: string, source: UrlSource, env: Env, userName: () => string): Address {
  const { parts, parameters } = readUrl(text, source);
  const refused = unsupported.find((variable) => env[variable]);
  if (refused !== undefined) throw sharedFailure('unsupported-variable', { variable: refused });
  const setting = (value: string | undefined, origin: Origin, variable = ''): Setting | undefined => {
    if (value !== undefined) return { value, origin };
    // An empty variable counts as unset, as in libpq.
    return env[variable] ? { value: env[variable], origin: { variable } } : undefined;
  };
  const part = (name: Part, variable: string): Setting | undefined =>
    setting(parts[name] || undefined, { part: name, source }, variable);
  const parameter = (name: string, variable?: string): Setting | undefined =>
    setting(parameters[name], { parameter: name, source }, variable);
  const host = checked(part('host', 'PGHOST'), 'several-hosts', isOneHost) ?? 'localhost';
  const user = visible(part('user', 'PGUSER')) ?? userName();
  const password = part('password', 'PGPASSWORD')?.value;
  const seconds = checked(parameter('connect_timeout', 'PGCONNECT_TIMEOUT'), 'seconds', upTo(600));
  return {
    host,
    port: Number(checked(part('port', 'PGPORT'), 'port', upTo(65_535)) ?? 5432),
    user,
    database: visible(part('database', 'PGDATABASE')) ?? user,
    schema: checked(parameter('schema'), 'schema', isPlainName) ?? defaultSchema,
    tls: tlsOf(host, {
      sslmode: parameter('sslmode', 'PGSSLMODE'),
      sslrootcert: parameter('sslrootcert', 'PGSSLROOTCERT'),
      sslcert: parameter('sslcert', 'PGSSLCERT'),
      sslkey: parameter('sslkey', 'PGSSLKEY'),
    }),
    applicationName: visible(parameter('application_name', 'PGAPPNAME')) ?? 'botctl',
    options: checked(parameter('options'), 'options', isOnlyNames),
    connectTimeoutMs: seconds === undefined ? undefined : Number(seconds) * 1000,
    password: () => password,
  };
}

const upTo =
  (most: number) =>
  (value: string): boolean =>
    /^\d{1,5}$/u.test(value) && Number(value) >= 1 && Number(value) <= most;

const isOneHost = (value: string): boolean => !value.includes(',');

/** Every statement quotes it. Only names that need no quotes are allowed, so that psql finds the same one. */
const isPlainName = (value: string): boolean =>
  /^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}$/u.test(value);

/** Some services choose the server by it. A value that begins with a dash would change the server's answers. */
const isOnlyNames = (value: string): boolean => /^(?:[a-z_]+=[\w.-]+(?: |$))+$/iu.test(value);

function checked(
  setting: Setting | undefined,
  fault: SettingFault,
  isRight: (value: string) => boolean,
): string | undefined {
  if (setting !== undefined && !isRight(setting.value)) throw badSetting(setting, fault);
  return visible(setting);
}

function visible(setting: Setting | undefined): string | undefined {
  const unseen = setting && invisibleIn(setting.value);
  if (setting !== undefined && unseen !== undefined)
    throw sharedFailure('unseen-in-setting', { origin: setting.origin, unseen });
  return setting?.value;
}

function badSetting({ origin }: Setting, fault: SettingFault): Failure {
  return sharedFailure('bad-setting', { origin, fault });
}

/** What the driver would guess at, or would read in a way that shows a password, is refused before it reads. */
function readUrl(text: string, source: UrlSource): UrlRead {
  const refusal = (fault: UrlFault): Failure => sharedFailure('bad-url', { source, fault });
  if (source !== 'BOTCTL_JOURNAL' && showsPassword(text)) throw refusal('password-in-option');
  const [, authority, rest] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/isu.exec(text) ?? [];
  if (authority === undefined || rest === undefined) throw refusal('not-postgres');
  const blank = text.search(/[\s\p{Cc}]/u);
  if (blank >= 0) throw sharedFailure('blank-in-url', { source, position: blank + 1 });
  // An unescaped @ or # may be part of a password, and then any other part of the URL may be the rest of it.
  if (/@.*@/u.test(authority) || /[@#]/u.test(rest)) throw refusal('characters');
  if (/,[^@]*$/u.test(authority)) throw refusal('several-hosts');
  if (!isDecodable(text)) throw refusal('percent');
  const [place = ''] = text.split('?');
  const parameters = parametersOf(text.slice(place.length + 1), source);
  const { host = '', port = '' } = parameters;
  try {
    // Not the certificates' parameters: the driver reads those files as soon as it sees their names.
    const parts = parse(`${place}?${new URLSearchParams({ host, port })}`) as UrlRead['parts'];
    return { parts, parameters };
  } catch {
    throw refusal('server');
  }
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

type UrlRead = {
  readonly parts: Readonly<Record<Part, string | null>>;
  readonly parameters: Readonly<Record<string, string>>;
};

function parametersOf(query: string, source: string): UrlRead['parameters'] {
  const pairs = [...new URLSearchParams(query)];
  const names = pairs.map(([name]) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw sharedFailure('unknown-parameters', { source, parameters: unknown.map(shownName), known });
  const parameter = names.find((name, nth) => names.indexOf(name) < nth);
  if (parameter !== undefined) throw sharedFailure('repeated-parameter', { source, parameter });
  return Object.fromEntries(pairs);
}

function shownName(parameter: string): string | undefined {
  return /^[a-z][a-z0-9_]{0,30}$/iu.test(parameter) ? parameter : undefined;
}

type TlsSettings = Readonly<Record<'sslmode' | 'sslrootcert' | 'sslcert' | 'sslkey', Setting | undefined>>;

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

/**
 * On this machine nobody is between, so there is no TLS unless it is asked for. Elsewhere the server must prove its
 * name. libpq's `allow` and `prefer` go on without TLS if the server, or an impostor, says that it has none.
 */
function tlsOf(host: string, { sslmode, sslrootcert, sslcert, sslkey }: TlsSettings): Tls {
  const isPlain = isHere(host) && sslrootcert === undefined && sslcert === undefined;
  const asked = sslmode === undefined ? undefined : modes.find((mode) => mode === sslmode.value);
  if (sslmode !== undefined && asked === undefined) throw badSetting(sslmode, 'sslmode');
  const mode = asked ?? (isPlain ? 'disable' : 'verify-full');
  const isWeak = mode === 'allow' || mode === 'prefer';
  if (sslmode !== undefined && isWeak && !isHere(host)) throw badSetting(sslmode, 'weak-sslmode');
  if (isSocket(host) || isWeak || mode === 'disable') return { mode: 'disable' };
  const root = sslrootcert?.value === 'system' ? undefined : wholePath(sslrootcert);
  // As in libpq, `require` also checks an authority that is named.
  const needsRoot = mode === 'verify-ca' || (mode === 'require' && sslrootcert !== undefined);
  if (sslmode !== undefined && needsRoot && root === undefined) throw badSetting(sslmode, 'needs-root');
  const [cert, key] = [wholePath(sslcert), wholePath(sslkey)];
  if ((cert === undefined) !== (key === undefined))
    throw sharedFailure('certificate-alone', { missing: cert === undefined ? 'sslcert' : 'sslkey' });
  const client = cert === undefined || key === undefined ? undefined : { cert, key };
  return { mode: needsRoot ? 'verify-ca' : mode, root, client };
}

function wholePath(setting: Setting | undefined): string | undefined {
  if (setting !== undefined && !isAbsolute(setting.value)) throw badSetting(setting, 'file');
  return setting?.value;
}

export function isSocket(host: string): boolean {
  return host.startsWith('/');
}

/** Whether the server is on this machine. */
function isHere(host: string): boolean {
  if (isSocket(host) || /^localhost$/iu.test(host)) return true;
  return isIPv4(host) ? host.startsWith('127.') : isVersion6(host) && /^[0:]*1$/u.test(host);
}

// Node's own isIPv6() takes 3 ms the first time.
function isVersion6(host: string): boolean {
  return host.includes(':') && isIPv6(host);
}

/** For messages and JSON: a URL without the password, in which every character is safe. The usual schema is left out. */
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

/** A URL of the same journal for another role, to be pasted. It says how to verify the server, unless by default. */
export function urlFor(address: Address, user: string): string {
  const { host, options, tls } = address;
  const root = tls.mode === 'disable' ? undefined : tls.root;
  const isUsual = root === undefined && tls.mode === (isHere(host) ? 'disable' : 'verify-full');
  return placeOf({ ...address, user }, [
    ...(isUsual ? [] : [`sslmode=${tls.mode}`]),
    ...(root === undefined ? [] : [`sslrootcert=${inUrl(root)}`]),
    ...(options === undefined ? [] : [`options=${inUrl(options)}`]),
  ]);
}

/** In a parameter's value. The slashes of a path stay readable. */
function inUrl(text: string): string {
  return encodeURIComponent(text).replaceAll('%2F', '/');
}

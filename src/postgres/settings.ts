import { isIPv4, isIPv6 } from 'node:net';
import { isAbsolute } from 'node:path';
import { type Origin, sharedFailure } from './facts.ts';

/** The decoded parts of a URL. A part that is missing is empty. */
type UrlParts = {
  readonly user: string;
  readonly password: string;
  readonly host: string;
  readonly port: string;
  readonly database: string;
  readonly parameters: ReadonlyMap<string, string>;
};

const known: readonly string[] = [
  'schema',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'connect_timeout',
  'host',
  'port',
  'application_name',
  ...['channel_binding', 'target_session_attrs', 'keepalives', 'keepalives_idle', 'options'],
];

const scheme = /^postgres(?:ql)?:\/\//iu;

/** `source` says where the text came from. Errors name it and never show the text. */
export function parseJournalUrl(text: string, source: string): UrlParts {
  if (!scheme.test(text)) throw sharedFailure('bad-url', { source, fault: 'not-postgres' });
  const blank = text.search(/[\s\p{Cc}]/u);
  if (blank >= 0) throw sharedFailure('blank-in-url', { source, position: blank + 1 });
  const rest = text.replace(scheme, '');
  const [, authority = '', path = '', query] = /^([^/?#]*)([^?#]*)(?:\?([^#]*))?/su.exec(rest) ?? [];
  const [before, after, ...more] = authority.split('@');
  // An unescaped @ or # may be part of a password, and then any other part of the URL may be the rest of it.
  if (more.length > 0 || `${path}${query ?? ''}`.includes('@') || rest.includes('#'))
    throw sharedFailure('bad-url', { source, fault: 'characters' });
  const [userInfo, server] = after === undefined ? ['', before ?? ''] : [before ?? '', after];
  if (server.includes(',')) throw sharedFailure('bad-url', { source, fault: 'several-hosts' });
  const [user, password] = splitAt(userInfo, ':');
  const [host, port] = hostAndPort(server);
  if (path.indexOf('/', 1) > 0) throw sharedFailure('bad-url', { source, fault: 'path' });
  const decoded = (part: string): string => decode(part, source);
  return {
    user: decoded(user),
    password: decoded(password),
    host: decoded(host),
    port: decoded(port),
    database: decoded(path.slice(1)),
    parameters: parametersOf(query ?? '', source),
  };
}

function hostAndPort(server: string): [host: string, port: string] {
  const bracketed = /^(\[[^\]]*\])(?::(.*))?$/su.exec(server);
  return bracketed ? [bracketed[1] ?? '', bracketed[2] ?? ''] : splitAt(server, ':');
}

function parametersOf(query: string, source: string): Map<string, string> {
  const found = new Map<string, string>();
  const pairs = (query === '' ? [] : query.split('&')).map(
    (piece) => splitAt(piece, '=').map((part) => decode(part, source)) as [string, string],
  );
  const unknown = pairs.map(([parameter]) => parameter).filter((parameter) => !known.includes(parameter));
  if (unknown.length > 0)
    throw sharedFailure('unknown-parameters', { source, parameters: unknown.map(shownName), known });
  for (const [parameter, value] of pairs) {
    if (value === '') throw sharedFailure('bad-url', { source, fault: 'parameter' });
    if (found.has(parameter)) throw sharedFailure('repeated-parameter', { source, parameter });
    found.set(parameter, value);
  }
  return found;
}

function shownName(parameter: string): string | undefined {
  return /^[a-z][a-z0-9_]{0,30}$/iu.test(parameter) ? parameter : undefined;
}

function splitAt(text: string, mark: string): [string, string] {
  const index = text.indexOf(mark);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}

function decode(part: string, source: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw sharedFailure('bad-url', { source, fault: 'percent' });
  }
}

export type Env = Readonly<Record<string, string | undefined>>;

export type Setting = { readonly value: string; readonly origin: Origin };

/** Variables that could lead elsewhere than the URL or change answers. The driver itself would read the last three. */
const unsupported = ['PGSERVICE', 'PGHOSTADDR', 'PGOPTIONS', 'PGREPLICATION', 'PGBINARY'] as const;

/** Settings from the URL, or else from libpq's variables. An empty variable counts as unset, as in libpq. */
export class AddressSettings {
  readonly #parts: UrlParts;
  readonly #source: string;
  readonly #env: Env;

  constructor(parts: UrlParts, source: string, env: Env) {
    this.#parts = parts;
    this.#source = source;
    this.#env = env;
    const found = unsupported.find((variable) => env[variable]);
    if (found !== undefined) throw sharedFailure('unsupported-variable', { variable: found });
  }

  part(part: 'user' | 'password' | 'host' | 'port' | 'database', variable?: string): Setting | undefined {
    const value = this.#parts[part];
    if (value !== '') return { value, origin: { part, source: this.#source } };
    return this.#variable(variable);
  }

  parameter(parameter: string, variable?: string): Setting | undefined {
    const value = this.#parts.parameters.get(parameter);
    if (value !== undefined) return { value, origin: { parameter, source: this.#source } };
    return this.#variable(variable);
  }

  #variable(variable: string | undefined): Setting | undefined {
    const value = variable && this.#env[variable];
    return variable && value ? { value, origin: { variable } } : undefined;
  }
}

/** What the URL demands of the connection besides its place, as written and checked. */
export type Demands = Partial<Readonly<Record<Demand, string>>>;

type Demand = 'channel_binding' | 'target_session_attrs' | 'keepalives' | 'keepalives_idle' | 'options';

type Rule = { readonly variable?: string; readonly takes: RegExp };

const rules: Readonly<Record<Demand, Rule>> = {
  channel_binding: { variable: 'PGCHANNELBINDING', takes: /^(?:disable|prefer|require)$/u },
  target_session_attrs: {
    variable: 'PGTARGETSESSIONATTRS',
    takes: /^(?:any|read-write|read-only|primary|standby|prefer-standby)$/u,
  },
  keepalives: { takes: /^[01]$/u },
  keepalives_idle: { takes: /^\d{1,5}$/u },
  // Some services choose the server by it. A value that begins with a dash would change the server's answers.
  options: { takes: /^(?:[a-z_]+=[\w.-]+(?: |$))+$/iu },
};

const demandNames = Object.keys(rules) as Demand[];

export function demandsOf(settings: AddressSettings, { mode }: Encryption): Demands {
  const found = demandNames.flatMap((name) => {
    const setting = settings.parameter(name, rules[name].variable);
    return setting === undefined ? [] : [[name, checked(name, setting)] as const];
  });
  const demands: Demands = Object.fromEntries(found);
  if (demands.channel_binding === 'require' && mode === 'disable')
    throw sharedFailure('channel-needs-tls', {});
  return demands;
}

function checked(name: Demand, { value, origin }: Setting): string {
  if (!rules[name].takes.test(value)) throw sharedFailure('bad-setting', { origin, fault: name });
  return value;
}

/** The part of the driver's client that is used here. */
type Bindable = {
  readonly saslSession?: unknown;
  readonly connection: {
    readonly stream: { destroy(): unknown };
    prependListener(event: string, listener: (message: { mechanisms?: readonly string[] }) => void): unknown;
  };
};

/**
 * Closes the connection before a password, or proof of it, goes to a server other than the certificate's owner. The
 * returned function then gives the error.
 */
export function requireBinding(client: Bindable, place: string): () => Error | undefined {
  const { connection } = client;
  let refused: Error | undefined;
  let isOffered = false;
  let isProven = false;
  const refuse = (): void => {
    refused = sharedFailure('no-channel-binding', { place });
    connection.stream.destroy();
  };
  connection.prependListener('authenticationSASL', ({ mechanisms = [] }) => {
    isOffered = mechanisms.includes('SCRAM-SHA-256-PLUS');
    if (!isOffered) refuse();
  });
  connection.prependListener('authenticationCleartextPassword', refuse);
  connection.prependListener('authenticationMD5Password', refuse);
  connection.prependListener('authenticationSASLFinal', () => {
    isProven = isOffered;
  });
  connection.prependListener('authenticationOk', () => {
    // The driver clears the exchange when the server has proven that it knows the password too.
    if (!isProven || client.saslSession !== null) refuse();
  });
  return () => refused;
}

type Attributes = Readonly<Record<'standby' | 'read_only', unknown>>;

export const askAttributes = /* sql */ `SELECT pg_catalog.pg_is_in_recovery() AS standby,
  pg_catalog.current_setting('transaction_read_only') = 'on' AS read_only`;

const fits: Readonly<Record<string, (attributes: Attributes) => boolean>> = {
  'read-write': ({ standby, read_only }) => standby === false && read_only === false,
  'read-only': ({ standby, read_only }) => standby === true || read_only === true,
  primary: ({ standby }) => standby === false,
  standby: ({ standby }) => standby === true,
};

/**
 * Whether a server's attributes must be asked for. With a single server, `any` and `prefer-standby` accept it as it is.
 */
export function asksAttributes({ target_session_attrs: target = 'any' }: Demands): boolean {
  return fits[target] !== undefined;
}

export function hasAttributes({ target_session_attrs: target = 'any' }: Demands, found: Attributes): boolean {
  return fits[target]?.(found) ?? true;
}

/** How the connection is protected, and the files for that. `require` does not prove who answers. */
export type Encryption =
  | { readonly mode: 'disable' }
  | {
      readonly mode: 'require' | 'verify-ca' | 'verify-full';
      /** The certificate authority's file; undefined for the authorities that Node knows. */
      readonly rootCert: string | undefined;
      readonly client: { readonly cert: string; readonly key: string } | undefined;
    };

type Mode = Encryption['mode'];

/** Where the server is. Over a socket or loopback, nobody is between. */
type Distance = 'socket' | 'loopback' | 'network';

type ModeRule = { readonly socket: 'disable'; readonly loopback: Mode; readonly network: Mode | 'refused' };

/**
 * The meaning of each libpq sslmode here. `allow` and `prefer` continue without TLS if the server, or an impostor, says
 * that it has none. Over a network this protects nothing, so another mode must be chosen.
 */
const modes: Readonly<Record<string, ModeRule>> = {
  disable: { socket: 'disable', loopback: 'disable', network: 'disable' },
  allow: { socket: 'disable', loopback: 'disable', network: 'refused' },
  prefer: { socket: 'disable', loopback: 'disable', network: 'refused' },
  require: { socket: 'disable', loopback: 'require', network: 'require' },
  'verify-ca': { socket: 'disable', loopback: 'verify-ca', network: 'verify-ca' },
  'verify-full': { socket: 'disable', loopback: 'verify-full', network: 'verify-full' },
};

const unasked = { socket: 'disable', loopback: 'disable', network: 'verify-full' } as const;
/** If certificates are named, they are used. */
const withCertificates = { ...unasked, loopback: 'verify-full' } as const;

type EncryptionSettings = Readonly<
  Record<'sslmode' | 'sslrootcert' | 'sslcert' | 'sslkey', Setting | undefined>
>;

export function decideEncryption(settings: EncryptionSettings, distance: Distance): Encryption {
  const { sslmode, sslrootcert } = settings;
  const mode = modeOf(settings, distance);
  if (mode === 'disable') return { mode };
  const isPublic = sslrootcert === undefined || sslrootcert.value === 'system';
  const rootCert = isPublic ? undefined : wholePath(sslrootcert);
  const needsRoot = mode === 'verify-ca' || (mode === 'require' && sslrootcert !== undefined);
  if (isPublic && needsRoot && sslmode !== undefined)
    throw sharedFailure('bad-setting', { origin: sslmode.origin, fault: 'needs-root' });
  // As in libpq, an authority that is named is also checked.
  const asked = mode === 'require' && rootCert !== undefined ? 'verify-ca' : mode;
  return { mode: asked, rootCert, client: clientFiles(settings) };
}

function modeOf({ sslmode, sslrootcert, sslcert }: EncryptionSettings, distance: Distance): Mode {
  const isPlain = sslrootcert === undefined && sslcert === undefined;
  if (sslmode === undefined) return (isPlain ? unasked : withCertificates)[distance];
  const { value, origin } = sslmode;
  const mode = modes[value]?.[distance];
  if (mode === undefined) throw sharedFailure('bad-setting', { origin, fault: 'sslmode' });
  if (mode === 'refused') throw sharedFailure('bad-setting', { origin, fault: 'weak-sslmode' });
  return mode;
}

function clientFiles({ sslcert, sslkey }: EncryptionSettings): { cert: string; key: string } | undefined {
  if (sslcert === undefined && sslkey === undefined) return undefined;
  if (sslcert === undefined) throw sharedFailure('certificate-alone', { missing: 'sslcert' });
  if (sslkey === undefined) throw sharedFailure('certificate-alone', { missing: 'sslkey' });
  return { cert: wholePath(sslcert), key: wholePath(sslkey) };
}

function wholePath({ value, origin }: Setting): string {
  if (isAbsolute(value)) return value;
  throw sharedFailure('bad-setting', { origin, fault: 'file' });
}

/** Where PostgreSQL listens: at a host, or at a Unix socket in a folder. */
export type Server =
  | { readonly is: 'host'; readonly host: string }
  | { readonly is: 'socket'; readonly folder: string };

// libpq's own default is a folder chosen when it was built, which cannot be known here.
const defaultServer: Server = { is: 'host', host: 'localhost' };

export function serverOf(settings: AddressSettings): Server {
  const folder = settings.parameter('host');
  const host = settings.part('host', folder === undefined ? 'PGHOST' : undefined);
  if (folder === undefined) return host === undefined ? defaultServer : parseServer(host);
  if (host !== undefined) throw sharedFailure('bad-setting', { origin: folder.origin, fault: 'two-hosts' });
  refuseSeveral(folder);
  if (!folder.value.startsWith('/'))
    throw sharedFailure('bad-setting', { origin: folder.origin, fault: 'folder' });
  return parseServer(folder);
}

function parseServer(setting: Setting): Server {
  refuseSeveral(setting);
  const { value, origin } = setting;
  if (value.startsWith('/')) {
    if (/\p{Cc}/u.test(value)) throw sharedFailure('bad-setting', { origin, fault: 'folder' });
    return { is: 'socket', folder: value.replace(/(?<=.)\/+$/u, '') };
  }
  const bare = value.replace(/^\[(.*)\]$/su, '$1');
  const isHost =
    bare === value ? /^[a-z0-9_](?:[a-z0-9._-]*)$/iu.test(value) || isPlainIPv6(value) : isPlainIPv6(bare);
  if (!isHost) throw sharedFailure('bad-setting', { origin, fault: 'host' });
  return { is: 'host', host: bare };
}

/** IPv6 without a zone: with a zone, the address would mean a different machine on each machine. */
function isPlainIPv6(text: string): boolean {
  return isIPv6(text) && !text.includes('%');
}

function refuseSeveral({ value, origin }: Setting): void {
  if (value.includes(',')) throw sharedFailure('bad-setting', { origin, fault: 'several-hosts' });
}

export function distanceOf(server: Server): Distance {
  if (server.is === 'socket') return 'socket';
  const { host } = server;
  if (/^localhost$/iu.test(host) || (isIPv4(host) && host.startsWith('127.'))) return 'loopback';
  return isIPv6(host) && new URL(`http://[${host}]`).hostname === '[::1]' ? 'loopback' : 'network';
}

import { sharedFailure } from './facts.ts';

/** What a URL says: decoded, and empty where it leaves something out. */
export type UrlParts = {
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

/** `source` is where the text came from: it is said where something is wrong, and nothing of the text. */
export function parseJournalUrl(text: string, source: string): UrlParts {
  if (!scheme.test(text)) throw sharedFailure('bad-url', { source, fault: 'not-postgres' });
  const blank = text.search(/[\s\p{Cc}]/u);
  if (blank >= 0) throw sharedFailure('blank-in-url', { source, position: blank + 1 });
  const rest = text.replace(scheme, '');
  const [, authority = '', path = '', query] = /^([^/?#]*)([^?#]*)(?:\?([^#]*))?/su.exec(rest) ?? [];
  const [before, after, ...more] = authority.split('@');
  // An @ elsewhere, or a #, is part of a password that is not spelled out: any other part may then be its other half.
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

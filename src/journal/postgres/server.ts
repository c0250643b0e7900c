import { isIPv4, isIPv6 } from 'node:net';
import type { Distance } from './encryption.ts';
import { sharedFailure } from './facts.ts';
import type { AddressSettings, Setting } from './settings.ts';

/** Where PostgreSQL listens: at a host, or at a Unix socket in a folder. */
export type Server =
  | { readonly is: 'host'; readonly host: string }
  | { readonly is: 'socket'; readonly folder: string };

// libpq's own default is a folder chosen when it was built, which nobody can know here.
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

/** Without a zone: it would mean another machine on each one. */
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

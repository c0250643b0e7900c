import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { Failure } from '../../errors.ts';
import { diskTroubleOf } from '../../machine/disk.ts';
import { type Address, placeOf } from './address.ts';
import type { Demands } from './demands.ts';
import type { Encryption } from './encryption.ts';
import { sharedFailure } from './facts.ts';
import type { Server } from './server.ts';

/** What `pg` is told. It asks its own environment for whatever is left out, so that nothing is. */
type DriverSettings = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Asked only when the server asks: one that trusts its socket needs none. */
  readonly password: () => string;
  readonly ssl: false | TlsSettings;
  readonly sslnegotiation: 'postgres';
  readonly client_encoding: 'UTF8';
  readonly connectionTimeoutMillis: number;
  readonly application_name: string;
  readonly enableChannelBinding: boolean;
  readonly keepAlive: boolean;
  readonly keepAliveInitialDelayMillis: number;
  readonly options?: string;
};

type TlsSettings = {
  /** Said here in any case, so that NODE_TLS_REJECT_UNAUTHORIZED changes nothing. */
  readonly rejectUnauthorized: boolean;
  readonly checkServerIdentity: (host: string, certificate: PeerCertificate) => Error | undefined;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
};

export function driverSettings(address: Address): DriverSettings {
  const { server, port, user, database, password, connectTimeoutMs, applicationName, demands } = address;
  return {
    host: server.is === 'host' ? server.host : server.folder,
    port,
    user,
    database,
    password: () => {
      if (password === undefined) throw sharedFailure('password-missing', { place: placeOf(address) });
      return password.reveal();
    },
    ssl: tlsSettings(address.encryption, server),
    sslnegotiation: 'postgres',
    client_encoding: 'UTF8',
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: applicationName,
    ...askedOfDriver(demands),
  };
}

function askedOfDriver({
  channel_binding: binding = 'disable',
  keepalives,
  keepalives_idle: idleS,
  options,
}: Demands) {
  return {
    enableChannelBinding: binding !== 'disable',
    keepAlive: keepalives !== '0',
    keepAliveInitialDelayMillis: Number(idleS ?? 0) * 1000,
    ...(options === undefined ? {} : { options }),
  };
}

function tlsSettings(encryption: Encryption, server: Server): false | TlsSettings {
  if (encryption.mode === 'disable' || server.is === 'socket') return false;
  const { mode, rootCert, client } = encryption;
  return {
    rejectUnauthorized: mode !== 'require',
    // By the name that was given: what the driver hands over for an IP address has changed between its versions.
    checkServerIdentity: (_host, certificate) =>
      mode === 'verify-full' ? checkServerIdentity(server.host, certificate) : undefined,
    ...(rootCert === undefined ? {} : { ca: readPem(rootCert, 'certificate') }),
    ...(client === undefined
      ? {}
      : { cert: readPem(client.cert, 'certificate'), key: readPem(client.key, 'key') }),
  };
}

const pem = {
  certificate: /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/u,
  key: /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/u,
} as const;

function readPem(path: string, kind: keyof typeof pem): string {
  const text = readFile(path, (stats) => {
    if (kind === 'key' && isOpenToOthers(stats)) throw sharedFailure('key-open-to-others', { path });
  });
  if (!pem[kind].test(text)) throw sharedFailure('not-pem', { path, wanted: kind });
  return text;
}

function readFile(path: string, check: (stats: Stats) => void): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    check(fstatSync(descriptor));
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw sharedFailure('certificate-unreadable', { path, trouble: diskTroubleOf(error) });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** As libpq: a group may read a key that root owns. Windows has no such bits. */
function isOpenToOthers({ mode, uid }: Stats): boolean {
  if (process.platform === 'win32') return false;
  return (mode & (uid === 0 ? 0o037 : 0o077)) !== 0;
}

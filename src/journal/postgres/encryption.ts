import { isAbsolute } from 'node:path';
import { sharedFailure } from './facts.ts';
import type { Setting } from './settings.ts';

/** How the connection is protected, with the files that it takes. `require` proves nothing about who answers. */
export type Encryption =
  | { readonly mode: 'disable' }
  | {
      readonly mode: 'require' | 'verify-ca' | 'verify-full';
      /** The certificate authority's file; without one, those that Node knows. */
      readonly rootCert: string | undefined;
      readonly client: { readonly cert: string; readonly key: string } | undefined;
    };

type Mode = Encryption['mode'];

/** Where the server is: on this machine, by its socket or over loopback, nobody is between. */
export type Distance = 'socket' | 'loopback' | 'network';

type Rule = { readonly socket: 'disable'; readonly loopback: Mode; readonly network: Mode | 'refused' };

/**
 * What each sslmode of libpq means here. `allow` and `prefer` go on without TLS where the server, or whoever answers
 * in its place, says that it has none: over a network that protects nothing, so it must be said which is meant.
 */
const modes: Readonly<Record<string, Rule>> = {
  disable: { socket: 'disable', loopback: 'disable', network: 'disable' },
  allow: { socket: 'disable', loopback: 'disable', network: 'refused' },
  prefer: { socket: 'disable', loopback: 'disable', network: 'refused' },
  require: { socket: 'disable', loopback: 'require', network: 'require' },
  'verify-ca': { socket: 'disable', loopback: 'verify-ca', network: 'verify-ca' },
  'verify-full': { socket: 'disable', loopback: 'verify-full', network: 'verify-full' },
};

const unasked = { socket: 'disable', loopback: 'disable', network: 'verify-full' } as const;
/** Who names certificates wants them used. */
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
  // As libpq: who names an authority wants it asked.
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

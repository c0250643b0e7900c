import { isAbsolute } from 'node:path';
import { badSetting, certificateAlone } from '../../words/journalUrl.ts';
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

const unasked: Rule = { socket: 'disable', loopback: 'disable', network: 'verify-full' };
/** Who names certificates wants them used. */
const withCertificates: Rule = { ...unasked, loopback: 'verify-full' };

type EncryptionSettings = Readonly<
  Record<'sslmode' | 'sslrootcert' | 'sslcert' | 'sslkey', Setting | undefined>
>;

export function decideEncryption(settings: EncryptionSettings, distance: Distance): Encryption {
  const { sslmode, sslrootcert, sslcert } = settings;
  const byDefault = sslrootcert === undefined && sslcert === undefined ? unasked : withCertificates;
  const rule = sslmode === undefined ? byDefault : modes[sslmode.value];
  if (sslmode !== undefined && rule === undefined) throw badSetting(sslmode.origin, 'sslmode');
  const mode = rule?.[distance] ?? 'refused';
  if (mode === 'refused') throw badSetting(sslmode?.origin ?? '', 'weak-sslmode');
  if (mode === 'disable') return { mode };
  const isPublic = sslrootcert === undefined || sslrootcert.value === 'system';
  const rootCert = isPublic ? undefined : wholePath(sslrootcert);
  if (isPublic && (mode === 'verify-ca' || (mode === 'require' && sslrootcert !== undefined)))
    throw badSetting(sslmode?.origin ?? '', 'needs-root');
  // As libpq: who names an authority wants it asked.
  const asked = mode === 'require' && rootCert !== undefined ? 'verify-ca' : mode;
  return { mode: asked, rootCert, client: clientFiles(settings) };
}

function clientFiles({ sslcert, sslkey }: EncryptionSettings): { cert: string; key: string } | undefined {
  if (sslcert === undefined && sslkey === undefined) return undefined;
  if (sslcert === undefined) throw certificateAlone('sslcert');
  if (sslkey === undefined) throw certificateAlone('sslkey');
  return { cert: wholePath(sslcert), key: wholePath(sslkey) };
}

function wholePath({ value, origin }: Setting): string {
  if (isAbsolute(value)) return value;
  throw badSetting(origin, 'file');
}

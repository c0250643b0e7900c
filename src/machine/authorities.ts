import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { readSmall } from './smallFile.ts';

const certificates = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/gu;

/** The authorities for a TLS connection that names none. A list replaces Node's own, so it includes that one. */
export function trusted(): { ca?: string[] } {
  const { NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR = '' } = process.env;
  const folders = SSL_CERT_DIR.split(delimiter).filter((folder) => folder !== '');
  const named = [...certificatesIn(SSL_CERT_FILE), ...folders.flatMap(certificatesUnder)];
  if (named.length === 0) return {};
  const { rootCertificates } = process.getBuiltinModule('node:tls');
  return { ca: [...rootCertificates, ...certificatesIn(NODE_EXTRA_CA_CERTS), ...named] };
}

/** The certificates in a file. Like OpenSSL, this ignores a file that cannot be read. */
function certificatesIn(file: string | undefined): string[] {
  try {
    return file === undefined ? [] : (readSmall(file).bytes.toString('latin1').match(certificates) ?? []);
  } catch {
    return [];
  }
}

/** In a folder for OpenSSL, each certificate's file is named by a hash. */
function certificatesUnder(folder: string): string[] {
  try {
    const hashed = readdirSync(folder).filter((name) => /^[0-9a-f]{8}\.\d+$/u.test(name));
    return hashed.flatMap((name) => certificatesIn(join(folder, name)));
  } catch {
    return [];
  }
}

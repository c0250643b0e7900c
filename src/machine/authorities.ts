import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const certificates = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/gu;

/** The certificates in a file; none if it cannot be read, as OpenSSL takes it. */
export function certificatesIn(file: string | undefined): string[] {
  try {
    return file === undefined ? [] : (readFileSync(file, 'latin1').match(certificates) ?? []);
  } catch {
    return [];
  }
}

/** The authorities that OpenSSL's variables name: a file, and folders of files that are named by a hash. */
export function namedAuthorities(env: Readonly<Record<string, string | undefined>>): string[] {
  const folders = (env.SSL_CERT_DIR ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...certificatesIn(env.SSL_CERT_FILE), ...folders.flatMap(certificatesUnder)];
}

function certificatesUnder(folder: string): string[] {
  try {
    const hashed = readdirSync(folder).filter((name) => /^[0-9a-f]{8}\.\d+$/u.test(name));
    return hashed.flatMap((name) => certificatesIn(join(folder, name)));
  } catch {
    return [];
  }
}

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';

export type Certificate = { readonly key: string; readonly cert: string };

export type Certificates = {
  readonly authority: string;
  /** For localhost, 127.0.0.1 and bots.test. */
  readonly good: Certificate;
  readonly expired: Certificate;
  readonly otherHost: Certificate;
  readonly selfSigned: Certificate;
};

function openssl(folder: string, line: string): void {
  execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'ignore' });
}

let made: { readonly certificates: Certificates | undefined } | undefined;

/** Certificates made once for all tests in this process, or undefined if openssl is missing. */
export function makeCertificates(): Certificates | undefined {
  made ??= { certificates: newCertificates() };
  return made.certificates;
}

function newCertificates(): Certificates | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'botctl-certificates-'));
  const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  try {
    openssl(folder, `req -x509 ${newKey} -keyout ca.key -out ca.pem -subj /CN=Test`);
    const issue = (name: string, host: string, days: number): Certificate => {
      openssl(folder, `req -new ${newKey} -keyout ${name}.key -out ${name}.csr -subj /CN=x`);
      writeFileSync(join(folder, 'ext'), `subjectAltName=${host}`);
      const signed = `-CA ca.pem -CAkey ca.key -CAcreateserial -extfile ext -out ${name}.pem -days ${days}`;
      openssl(folder, `x509 -req -in ${name}.csr ${signed}`);
      return { key: text(`${name}.key`), cert: text(`${name}.pem`) };
    };
    const self = '-keyout self.key -out self.pem -subj /CN=localhost -addext subjectAltName=DNS:localhost';
    openssl(folder, `req -x509 ${newKey} ${self}`);
    const hosts = 'DNS:localhost,IP:127.0.0.1,DNS:bots.test';
    return {
      authority: text('ca.pem'),
      good: issue('good', hosts, 2),
      // It expires at the moment of its creation.
      expired: issue('expired', hosts, 0),
      otherHost: issue('other', 'DNS:elsewhere.test', 2),
      selfSigned: { key: text('self.key'), cert: text('self.pem') },
    };
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Makes this process trust an authority, as NODE_EXTRA_CA_CERTS does at start-up. Returns a function that undoes it.
 */
export function trust(authority: string): () => void {
  const original = tls.createSecureContext;
  tls.createSecureContext = (options) => {
    const made = original(options);
    (made.context as { addCACert(pem: string): void }).addCACert(authority);
    return made;
  };
  return () => {
    tls.createSecureContext = original;
  };
}

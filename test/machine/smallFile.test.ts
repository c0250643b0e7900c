import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { trusted } from '../../src/machine/authorities.ts';
import { readSmall } from '../../src/machine/smallFile.ts';

const certificate = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'botctl-small-'));
  for (const name of ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']) vi.stubEnv(name, undefined);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function pipe(name: string): string {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  return path;
}

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test.each<[string, () => string]>([
  ['NOT_REGULAR', () => pipe('pipe')],
  ['NOT_REGULAR', () => '/dev/zero'],
  ['EISDIR', () => folder],
  ['OVER_1_MB', () => file('long', Buffer.alloc(1024 * 1024 + 1))],
  ['ENOENT', () => join(folder, 'none')],
])('what is refused at once: %s', (code, path) => {
  expect(() => readSmall(path())).toThrow(expect.objectContaining({ code }));
});

test('a megabyte is read whole, and so is a file that has no size', () => {
  expect(readSmall(file('whole', Buffer.alloc(1024 * 1024, 1))).bytes).toHaveLength(1024 * 1024);
  expect(`${readSmall('/proc/self/status').bytes}`).toContain('Pid:');
});

test.each(['SSL_CERT_FILE', 'SSL_CERT_DIR'])('a pipe or a device as %s names no authority', (variable) => {
  for (const path of [variable === 'SSL_CERT_FILE' ? pipe('pipe') : folder, '/dev/zero']) {
    if (path === folder) pipe('0123abcd.0');
    vi.stubEnv(variable, path);
    expect(trusted()).toEqual({});
  }
});

test('named authorities are trusted beside those that Node brings', () => {
  file('0123abcd.0', certificate);
  vi.stubEnv('SSL_CERT_DIR', folder);
  vi.stubEnv('SSL_CERT_FILE', file('named.pem', certificate));
  expect(trusted()).toEqual({ ca: [...rootCertificates, certificate, certificate] });
});

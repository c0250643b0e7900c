import { expect, test } from 'vitest';
import { adviceOn, troubleWords } from '../../../src/cli/say/trouble.ts';
import type { Trouble } from '../../../src/once/wire/trouble.ts';
import { troubles } from '../../../testing/troubles.ts';

test.each(troubles)('%j reads: %s', (trouble, words) => {
  expect(troubleWords(trouble)).toBe(words);
});

test.each([
  { is: 'of-a-later-version', atMs: 1 },
  { is: 'tls', problem: 'of-a-later-version' },
  { is: 'certificate', problem: 'of-a-later-version', code: 'C' },
  { is: 'not-http', speaks: 'of-a-later-version' },
])('%j, which no sentence is known for, is shown as it is', (trouble) => {
  expect(troubleWords(trouble as unknown as Trouble)).toBe(JSON.stringify(trouble));
});

test.each<[Trouble, RegExp]>([
  [{ is: 'certificate', problem: 'unknown-authority' }, /NODE_EXTRA_CA_CERTS/u],
  [{ is: 'certificate', problem: 'unknown-authority', atProxy: true }, /NODE_EXTRA_CA_CERTS/u],
  [{ is: 'certificate', problem: 'self-signed' }, /NODE_EXTRA_CA_CERTS/u],
  [{ is: 'certificate', problem: 'expired' }, /^Check the date of this machine/u],
  [{ is: 'certificate', problem: 'not-yet-valid' }, /^Check the date of this machine/u],
  [{ is: 'certificate', problem: 'other-host' }, /^Check the base URL/u],
  [{ is: 'tls', problem: 'only-http2' }, /^botctl speaks HTTP\/1\.1/u],
  [{ is: 'tls', problem: 'wants-certificate' }, /^botctl sends no client certificate/u],
  [{ is: 'no-tunnel', status: 403, withUser: false }, /NO_PROXY/u],
  [{ is: 'no-tunnel', status: 404, withUser: false }, /^Check the address in HTTPS_PROXY$/u],
  [{ is: 'no-tunnel', status: 405, withUser: false }, /^Check the address in HTTPS_PROXY$/u],
  [{ is: 'no-tunnel', status: 407, withUser: false }, /^Put the proxy’s user and password/u],
  [{ is: 'no-tunnel', status: 407, withUser: true }, /^Put the proxy’s user and password/u],
  [{ is: 'no-tunnel', status: 501, withUser: false }, /^Check the address in HTTPS_PROXY$/u],
])('what to do about %j', (trouble, advice) => {
  expect(adviceOn(trouble)).toMatch(advice);
});

test.each<[Trouble | undefined]>([
  [undefined],
  [{ is: 'refused' }],
  [{ is: 'certificate', problem: 'revoked' }],
  [{ is: 'tls', problem: 'certificate-expired' }],
  [{ is: 'no-tunnel', status: 401, withUser: false }],
])('nothing special helps against %j', (trouble) => {
  expect(adviceOn(trouble)).toBeUndefined();
});

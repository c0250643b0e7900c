import { expect, test } from 'vitest';
import { adviceOn, troubleWords } from '../../../src/cli/say/trouble.ts';
import type { Trouble } from '../../../src/once/wire/trouble.ts';
import { troubles } from '../../../testing/troubles.ts';

test.each(troubles)('%j reads: %s', (trouble, words) => {
  expect(troubleWords(trouble)).toBe(words);
});

const of = (code: string): Trouble => ({ is: 'connection', code, text: 't' });

test.each<[Trouble | undefined, RegExp | undefined]>([
  [{ is: 'certificate', text: 't' }, /NODE_EXTRA_CA_CERTS/u],
  [of('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'), /NODE_EXTRA_CA_CERTS/u],
  [of('EPROTO'), /NODE_EXTRA_CA_CERTS/u],
  [of('ENOTFOUND'), /look names up/u],
  [of('EAI_AGAIN'), /look names up/u],
  [of('ECONNREFUSED'), /the service runs/u],
  [of('ETIMEDOUT'), /the network/u],
  [{ is: 'timed-out', afterMs: 1 }, /the network/u],
  [{ is: 'no-tunnel', status: 407 }, /HTTPS_PROXY/u],
  [{ ...of('ECONNREFUSED'), atProxy: true }, /HTTPS_PROXY/u],
  [of('ECONNRESET'), undefined],
  [{ is: 'interrupted' }, undefined],
  [undefined, undefined],
])('what to do about %j', (trouble, advice) => {
  if (advice === undefined) expect(adviceOn(trouble)).toBeUndefined();
  else expect(adviceOn(trouble)).toMatch(advice);
});

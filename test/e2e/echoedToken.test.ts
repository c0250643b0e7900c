import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { botctl } from '../../testing/botctl.ts';
import { Home } from '../../testing/home.ts';
import { recipient, startTestSandbox, type TestSandbox } from '../../testing/sandbox.ts';
import { type EchoingService, spellingsOf, startEchoingService } from './echoingService.ts';

const token = 'echoed-canary-token-0123456789';
const message = ['send', '--conversation', 'c', '--content', 'hello'];
const payment = ['transfer', '--to', recipient, '--asset', 'SOL', '--amount', '1'];

let service: EchoingService;
let sandbox: TestSandbox;
let home: Home;
beforeAll(async () => {
  service = await startEchoingService();
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  service.close();
  await sandbox.close();
});
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

function written(): string[] {
  const files = readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  expect(files.length).toBeGreaterThan(0);
  return files;
}

test.each([
  { what: 'a message', line: message, code: 0 },
  { what: 'a refused transfer', line: payment, code: 3 },
])('the token that a service echoes to $what is neither shown nor journaled', async ({ line, code }) => {
  const env = { ...home.env, BOTCTL_TOKEN: token, BOTCTL_BASE_URL: service.baseUrl };
  const ran = await botctl([...line, '--json', '--verbose'], { env });
  expect(ran.code).toBe(code);
  expect(ran.stdout).toContain('[token]');
  for (const text of [ran.stdout, ran.stderr, ...written()]) {
    for (const spelled of [token, ...Object.values(spellingsOf(`Bot ${token}`))]) {
      expect(text).not.toContain(spelled.slice(8, -4));
    }
  }
});

/** What anybody can make of a text: each escape undone, again and again. */
function readable(text: string): string {
  const undone = text
    .replaceAll(/\\u00([\da-f]{2})|%([\da-f]{2})|&#x0*([\da-f]{2});/giu, (_, json, url, html) =>
      String.fromCharCode(Number.parseInt(json ?? url ?? html, 16)),
    )
    .replaceAll(/&#0*(\d{2,3});/gu, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll(/\\([\\"/])/gu, '$1');
  return undone === text ? text : readable(undone);
}

const escapes = [
  (one: string) => one,
  (one: string) => `\\u00${codeOf(one)}`,
  (one: string) => `\\u00${codeOf(one).toUpperCase()}`,
  (one: string) => `&#x${codeOf(one).toUpperCase()};`,
  (one: string) => `&#0${one.charCodeAt(0)};`,
  (one: string) => `%${codeOf(one)}`,
];
const codeOf = (one: string): string => one.charCodeAt(0).toString(16);

const shapes = [
  (echo: string) => `{"error":{"code":"bad_token","message":"Not Bot ${echo}"},"request_id":"r-${echo}"}`,
  (echo: string) => JSON.stringify({ error: `Not Bot ${echo}`, code: echo }),
  (echo: string) => JSON.stringify({ error: `Not Bot ${echo}` }).replaceAll('&', '\\u0026'),
  (echo: string) => `<html><body><h1>400</h1><p>Not Bot ${echo}</p></body></html>`,
];

test('a token is not shown or journaled in any mixture of escapes, in any form of error', async () => {
  const secret = 'canary+token/of=the.bot~0123456789';
  const env = { ...home.env, BOTCTL_TOKEN: secret, BOTCTL_BASE_URL: sandbox.baseUrl };
  const mixtures = fc.tuple(...[...secret].map((one) => fc.constantFrom(...escapes).map((way) => way(one))));
  await fc.assert(
    fc.asyncProperty(mixtures, fc.constantFrom(...shapes), async (pieces, shape) => {
      await sandbox.script({ status: 400, when: 'unread', body: shape(pieces.join('')) });
      const ran = await botctl([...message, '--json', '--verbose'], { env });
      expect(ran.code).toBe(2);
      expect(ran.stdout).toContain('[token]');
      expect(readable(ran.stdout + ran.stderr)).not.toContain(secret.slice(2, -2));
    }),
    { numRuns: 12 },
  );
  for (const text of written()) expect(readable(text)).not.toContain(secret.slice(2, -2));
});

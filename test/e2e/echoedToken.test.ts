import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { Home } from '../support/home.ts';
import { recipient } from '../support/sandbox.ts';
import { assetNamesOf, type EchoingService, startEchoingService } from './echoingService.ts';

const token = 'echoed-canary-token-0123456789';
const message = ['send', '--conversation', 'c', '--content', 'hello'];
const payment = ['transfer', '--to', recipient, '--asset', 'SOL', '--amount', '1'];

let service: EchoingService;
let home: Home;
beforeAll(async () => {
  service = await startEchoingService();
});
afterAll(() => service.close());
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
    for (const spelled of [token, ...Object.values(assetNamesOf(`Bot ${token}`))]) {
      expect(text).not.toContain(spelled.slice(8, -4));
    }
  }
});

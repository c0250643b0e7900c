// The sandbox's page: what it says to any client, and what a real browser makes of it.
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recipient, startTestSandbox, type TestSandbox } from '../../testing/sandbox.ts';

const hostile = `</p><script>window.bad=1</script><img src=x onerror="window.bad=2">"'&\u202e`;
const buttons = [
  {
    type: 'action_row',
    components: [
      { type: 'button', label: 'Yes', style: 'success', custom_id: 'vote_yes' },
      { type: 'button', label: hostile, style: 'danger', custom_id: hostile },
    ],
  },
];

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset());

const say = (content: string, more: object = {}): Promise<unknown> =>
  sandbox.post('message', { conversation_id: 'conv_demo', content, ...more });
const pay = (): Promise<unknown> =>
  sandbox.post('transfer', { to_address: recipient, asset: 'USDC', amount: '2.5', memo: hostile });

test('every part of it forbids what comes from elsewhere or stands in the page', async () => {
  for (const path of ['/', '/page.css', '/page.js']) {
    const { headers, status } = await fetch(sandbox.baseUrl + path);
    expect(status).toBe(200);
    expect(headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  }
});

test('whatever a bot says is text', async () => {
  await sandbox.conversation(hostile);
  await say(hostile, { components: buttons, reply_to_message_id: hostile });
  await pay();
  const text = await (await fetch(sandbox.baseUrl)).text();
  expect(text.match(/<script|<img|onerror="/gu)).toEqual(['<script']);
  expect(text).toContain('&#60;script&#62;window.bad=1');
});

test('what changes is told to an open page, and only that', async () => {
  const reply = await fetch(`${sandbox.baseUrl}/events`);
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  let heard = '';
  const next = async (): Promise<Record<string, string>> => {
    for (;;) {
      const [, event, rest] = /data: ([^\n]*)\n\n(.*)/su.exec(heard) ?? [];
      if (event !== undefined) {
        heard = rest ?? '';
        return JSON.parse(event) as Record<string, string>;
      }
      heard += (await reader?.read())?.value ?? '';
    }
  };
  expect(Object.keys(await next())).toEqual(['wallet', 'conversations', 'transfers', 'faults', 'readings']);
  await say('hello');
  expect(await next()).toEqual({ conversations: expect.stringContaining('hello') });
  await sandbox.faults({ kind: 'drop' });
  expect(await next()).toEqual({ faults: expect.stringContaining('<b>drop</b>') });
  await reader?.cancel();
});

const named = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const executablePath = named.find((path) => path !== undefined && existsSync(path));

describe.skipIf(executablePath === undefined)(
  'in Chromium (CHROMIUM names it; skipped where there is none)',
  () => {
    let browser: Browser;
    let page: Page;
    const troubles: string[] = [];
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
      page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
      page.on('pageerror', (error) => troubles.push(error.message));
    });
    afterAll(() => browser.close());
    beforeEach(async () => {
      troubles.length = 0;
      await page.goto(sandbox.baseUrl);
      await page.getByText('live', { exact: true }).waitFor();
    });

    test('a hostile message runs nothing, and is shown as it was said', async () => {
      await say(hostile, { components: buttons });
      await pay();
      await page.locator('.content').waitFor();
      expect(await page.locator('.content').textContent()).toBe(hostile);
      expect(await page.evaluate('window.bad')).toBeUndefined();
      await page.evaluate(
        `document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.bad=3">')`,
      );
      await page.waitForTimeout(0);
      expect([await page.evaluate('window.bad'), troubles]).toEqual([undefined, []]);
    });

    test('an update appears without a reload, and a pressed button says its custom_id', async () => {
      await page.evaluate('window.kept = 1');
      await say('Lunch?', { components: buttons });
      await page.getByRole('button', { name: 'Yes' }).click();
      await page.getByText('pressed: custom_id vote_yes').waitFor();
      await pay();
      await page.locator('td[data-name="Wallet after"]', { hasText: '9997.5 USDC' }).waitFor();
      await page.locator('td', { hasText: 'finalized' }).waitFor();
      expect(await page.evaluate('window.kept')).toBe(1);
    });

    test('a fault that is switched on there meets the next request, by keyboard alone', async () => {
      await page.locator('#fault-kind').focus();
      await page.keyboard.type('reply');
      await page.locator('#fault-more').focus();
      await page.keyboard.type('{"status": 503}');
      await page.keyboard.press('Enter');
      await page.locator('.faults b', { hasText: 'reply' }).waitFor();
      expect(await say('hello')).toMatchObject({ status: 503 });
      await page.getByText('No faults are queued.').waitFor();
    });

    test('a reading is set there, and what is wrong with one is said', async () => {
      await page.locator('#reading-repeated_message_key').selectOption('"replay"');
      await page.locator('#set-repeated_message_key').click();
      await page.locator('.changed label', { hasText: 'repeated_message_key' }).waitFor();
      expect((await sandbox.state()).readings.repeated_message_key).toBe('replay');
      await page.locator('#reading-success_status').fill('500');
      await page.locator('#set-success_status').click();
      await page.getByRole('alert').getByText('success_status must be a status from 200 to 299').waitFor();
    });

    test.each([1200, 400])('nothing is wider than a window of %i', async (width) => {
      await page.setViewportSize({ width, height: 900 });
      await say(`${'x'.repeat(300)} ${hostile}`, { components: buttons });
      await pay();
      await page.locator('td[data-name="Stage"]', { hasText: 'finalized' }).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      for (const colorScheme of process.env.PICTURES === undefined ? [] : (['light', 'dark'] as const)) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({
          path: `${process.env.PICTURES}/${colorScheme}-${width}.png`,
          fullPage: true,
        });
      }
    });
  },
);

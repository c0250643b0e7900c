import { afterAll, beforeAll, expect, test } from 'vitest';
import { SandboxHome } from '../../testing/sandboxHome.ts';
import { onTerminalHere } from '../../testing/terminalHere.ts';

let operator: SandboxHome;
beforeAll(async () => {
  operator = await SandboxHome.open();
});
afterAll(() => operator.close());

// The bundle reads the tables for letters beyond ASCII from a file of their own, when there are such letters.
test('letters that are two cells wide are listed, and cut to the width', async () => {
  await operator.run(['send', '--conversation', 'conv_demo', '--content', '日本語'.repeat(60)]);
  const { code, shown } = await onTerminalHere(['history'], [], operator.env);
  expect(code).toBe(0);
  expect(shown).toMatch(/conv_demo: (?:日本語)+日?本?…\r\n/u);
});

test('the line above a result is broken at the terminal’s width', async () => {
  const send = ['send', '--conversation', 'conv_demo', '--content', 'x', '--once', 'narrow'];
  await operator.run(send);
  const { stdout } = await operator.run(send, { env: { COLUMNS: '40' } });
  expect(stdout).toMatch(/^✔ Message already accepted\. Nothing was\n {2}sent this time\.\n/u);
});

import { expect, onTestFinished, test } from 'vitest';
import { Home } from '../../../testing/home.ts';
import { runMain } from '../../../testing/inProcess.ts';

/** The message as a dry run draws it. */
async function drawn(columns: number, request: object): Promise<string[]> {
  const home = new Home();
  onTestFinished(() => home.remove());
  const stdin = JSON.stringify({ conversation_id: 'c', ...request });
  const words = ['send', '--payload', '-', '--dry-run', '--sandbox'];
  const { stdout } = await runMain(words, { env: home.env, stdin, columns });
  return stdout.split('\n').filter((line) => line.startsWith('  │'));
}

test('buttons that do not fit go on in the next line, and a row of their own begins at the edge', async () => {
  const button = (label: string) => ({ type: 'button', label, custom_id: label });
  const row = (...labels: string[]) => ({ type: 'action_row', components: labels.map(button) });
  const components = [row('one', 'two', 'three'), row('four')];
  expect(await drawn(32, { content: 'x', components })).toEqual([
    '  │ x',
    '  │ ',
    '  │ [ one ] one  [ two ] two',
    '  │   [ three ] three',
    '  │ [ four ] four',
  ]);
});

test('a message is broken between words, and a word that is too long is left whole', async () => {
  const content = `  one two three four five six\n${'x'.repeat(30)} y`;
  expect(await drawn(20, { content })).toEqual([
    '  │   one two three',
    '  │ four five six',
    `  │ ${'x'.repeat(30)}`,
    '  │ y',
  ]);
});

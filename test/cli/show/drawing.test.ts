import { expect, test } from 'vitest';
import { paintOf } from '../../../src/cli/show/faces.ts';
import { drawMessage } from '../../../src/cli/show/report.ts';

test('buttons that do not fit go on in the next line, and a row of their own begins at the edge', async () => {
  const button = (label: string) => ({ type: 'button', label, custom_id: label });
  const row = (...labels: string[]) => ({ type: 'action_row', components: labels.map(button) });
  const components = [row('one', 'two', 'three'), row('four')];
  const drawn = drawMessage(
    { content: 'x', components },
    { paint: await paintOf(0), columns: 32, own: String },
  );
  expect(drawn.split('\n')).toEqual([
    '  │ x',
    '  │ ',
    '  │ [ one ] one  [ two ] two',
    '  │   [ three ] three',
    '  │ [ four ] four',
    '',
  ]);
});

test('a message is broken between words, and a word that is too long is left whole', async () => {
  const content = `  one two three four five six\n${'x'.repeat(30)} y`;
  const drawn = drawMessage({ content }, { paint: await paintOf(0), columns: 20, own: String });
  expect(drawn.split('\n')).toEqual([
    '  │   one two three',
    '  │ four five six',
    `  │ ${'x'.repeat(30)}`,
    '  │ y',
    '',
  ]);
});

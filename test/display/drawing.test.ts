import { expect, test } from 'vitest';
import { drawMessage } from '../../src/display/drawing.ts';
import { paintOf } from '../../src/display/paint.ts';

test('a message is broken between words, and a word that is too long is left whole', async () => {
  const content = `  one two three four five six\n${'x'.repeat(30)} y`;
  const drawn = drawMessage({ content }, { paint: await paintOf(0), columns: 20 });
  expect(drawn.split('\n')).toEqual([
    '  │   one two three',
    '  │ four five six',
    `  │ ${'x'.repeat(30)}`,
    '  │ y',
    '',
  ]);
});

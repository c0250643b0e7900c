import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wholeText } from '../../src/batch/readRows.ts';
import { failureOf } from '../../testing/failure.ts';

async function* cutAt(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function textOf(bytes: Buffer, length: number): Promise<string> {
  let text = '';
  for await (const piece of wholeText(cutAt(bytes, length), 'rows.csv')) text += piece;
  return text;
}

test('text is the same wherever its bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      async (text, length) => {
        expect(await textOf(Buffer.from(`x${text}`), length)).toBe(`x${text}`);
      },
    ),
  );
});

test('a byte order mark is not part of the text', async () => {
  expect(await textOf(Buffer.from('\ufeffid,content'), 2)).toBe('id,content');
});

test.each([1, 3, 64])('bytes that are not UTF-8 are refused with their line (cut at %d)', async (length) => {
  const bytes = Buffer.concat([
    Buffer.from('id\nä\n'),
    Buffer.from([0xe2, 0x28, 0xa1]),
    Buffer.from('\nrest'),
  ]);
  const failure = await failureOf(() => textOf(bytes, length));
  expect(failure.code).toBe('bad-file');
  expect(failure.message).toContain('rows.csv, line 3: the bytes are not valid UTF-8');
});

test('a character that the end cuts off is refused', async () => {
  const failure = await failureOf(() => textOf(Buffer.from('ä').subarray(0, 1), 8));
  expect(failure.message).toContain('line 1');
});

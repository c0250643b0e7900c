import { expect, test } from 'vitest';
import { conflictWords } from '../../../src/once/wire/conflict.ts';
import { processorMs } from '../../support/processorTime.ts';

const said = (body: string, key = 'k') => conflictWords({ body: Buffer.from(body), headers: {} }, key);

test('a reply nested deeper than any stack is read whole', () => {
  const nested = (inner: string) => `{"a":${'['.repeat(100_000)}${inner}${']'.repeat(100_000)}}`;
  expect(said(nested('"duplicate key"'))).toBe('repetition');
  expect(said(nested(''))).toBe('none');
});

test('a long reply is read in a time that grows with its length', async () => {
  const pieces = [
    'a',
    '-',
    '- ',
    '\n',
    ' ',
    '<',
    'aB',
    'not ',
    'other a a a again ',
    'modif',
    'k',
    '/',
    '_',
    'a1',
  ];
  const tookMs = await processorMs(() => {
    for (const piece of pieces) {
      const long = piece.repeat(Math.floor(100_000 / piece.length));
      said(long, 'k'.repeat(255));
      said(JSON.stringify({ message: long }));
    }
    said(JSON.stringify(Array(25_000).fill('a')));
  });
  expect(tookMs).toBeLessThan(5000);
});

test('a key is taken out as a word, whatever signs it has, and no letters of words', () => {
  expect(said('{"message":"Duplicate key (other)."}', '(other).')).toBe('repetition');
  expect(said('{"message":"Duplicate key: used by another bot"}', 'r')).toBe('other');
  expect(said('{"message":"Duplicate key: not posted"}', 'ot')).toBe('other');
});

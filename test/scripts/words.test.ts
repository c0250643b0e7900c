import { describe, expect, test } from 'vitest';
import { type Counts, countsOf, hitsOn, marks, partNames, textOf } from '../../scripts/wording.ts';
import { helpTopics } from '../../src/cli/parse/help.ts';

const parts = partNames.map((part) => ({ part, pages: textOf(part) }));

describe.each(parts)('the words of $part', ({ part, pages }) => {
  const counts = countsOf(pages);

  test.each(Object.entries(marks[part]))('stay within their mark: %s', (name, most) => {
    const found = name === 'forbidden' ? pages.flatMap(hitsOn) : counts;
    expect(counts[name as keyof Counts], JSON.stringify(found, null, 1)).toBeLessThanOrEqual(most);
  });

  test('are all there to be counted', () => {
    expect(counts.words).toBeGreaterThan(part === 'messages' || part === 'docs' ? 10_000 : 600);
  });
});

test('every topic and every command is a page of the help', () => {
  const names = textOf('help').map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['help', 'help transfer', 'help batch status']));
  for (const { name } of helpTopics) expect(names).toContain(`help ${name}`);
});

test('a forbidden word is found wherever it stands, except in code', () => {
  const hitsIn = (prose: string) => hitsOn({ name: 'x.md', text: prose, prose });
  expect(hitsIn('Whoever pays: a tainted\nintent is to be left behind. Of two, one.')).toHaveLength(6);
  expect(hitsIn('The payment was made once. no-such-intent; often.')).toEqual([]);
  expect(hitsOn({ name: 'docs/json.md', text: '', prose: 'a tainted intent' })).toEqual([]);
  expect(hitsOn({ name: 'docs/architecture.md', text: '', prose: 'a tainted intent, anew' })).toHaveLength(1);
  for (const page of textOf('docs')) expect(page.prose).not.toContain('```');
});

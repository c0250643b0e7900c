import { expect, test } from 'vitest';
import { onceTwice } from '../../scripts/onceTwice.ts';
import { drawn, wordsIn } from '../../scripts/terminalPicture.ts';
import { pageText } from '../support/pages.ts';

const readme = pageText('README.md');

/** What is another in each run: signatures, ids and times. */
function lasting(words: readonly string[]): string[] {
  return words
    .join('\n')
    .replaceAll(/(?<=^Signature\n)\w{44}\n\w{42,44}$/gmu, '<signature>')
    .replaceAll(/\btr_[\da-f]{20}\b/gu, '<transfer>')
    .replaceAll(/\b[\da-f]{12}\b/gu, '<id>')
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/gu, '<time>')
    .split('\n');
}

test('README’s picture has the words that its commands print today (npm run pictures draws it)', async () => {
  const { path, title, columns, rows } = await onceTwice(readme);
  const svg = pageText(path);
  expect(lasting(wordsIn(svg))).toEqual(lasting(wordsIn(drawn(title, columns, rows))));
  expect(lasting(wordsIn(svg)).filter((word) => /^<.*>$/u.test(word))).toHaveLength(6);
  expect(readme).toContain(`![${title}](https://raw.githubusercontent.com/botctl/botctl/main/${path})`);
  for (const [, said = ''] of title.matchAll(/“([^”]+)”/gu)) expect(wordsIn(svg).join('\n')).toContain(said);
});

test('each piece of a picture has its place and its length, and what XML would read is escaped', () => {
  const svg = drawn('A & B', 60, [[{ column: 2, text: 'a <b>', look: 'dim' }], []]);
  expect(svg).toContain('<text x="34.8" y="28" textLength="42" class="dim">a &lt;b&gt;</text>');
  expect(svg).toContain('<title id="title">A &amp; B</title>');
  expect(svg).toContain('viewBox="0 0 540 66" role="img"');
  expect(svg).toContain('@media(prefers-color-scheme:dark){rect{');
});

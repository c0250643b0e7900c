import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { commandTree } from '../../../src/tree.ts';

const src = resolve(import.meta.dirname, '../../../src');

/** Where a command is no advice: the builder, the help and what it is drawn from, and headings. */
const elsewhere =
  /^cli\/say\/|(^|\/)spec\.ts$|^cli\/parse\/help\.ts|^cli\/commands\/(completion|help|sandbox)\/|^sandbox\/page\//u;

const names = commandTree.map(({ name }) => name).join('|');
const suggestion = new RegExp(
  `botctl (?:\\$\\{[^}]*\\} )?(?:(?:${names})\\b|--[a-z])|\\b(?:chmod|mv|npx|chown) [-/\\w$]`,
  'u',
);

function sourceFiles(): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => relative(src, join(src, file)));
}

/** The strings of a file, without comments; a string that is a command and nothing else is none of a sentence. */
function stringsIn(file: string): string[] {
  return readFileSync(join(src, file), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\/?\*)/u.test(line))
    .flatMap((line) => line.match(/'(?:[^'\\]|\\.)*'|`[^`]*`?|"(?:[^"\\]|\\.)*"/gu) ?? [])
    .filter((string) => !/^'botctl [a-z]+'$/u.test(string));
}

test('no sentence names a command to run: commands stand in `next`, where they are made whole', () => {
  const found = sourceFiles()
    .filter((file) => !elsewhere.test(file))
    .flatMap((file) =>
      stringsIn(file)
        .filter((string) => suggestion.test(string))
        .map((string) => `${file}: ${string}`),
    );
  expect(found).toEqual([]);
});

test('that is seen where it stands', () => {
  expect(suggestion.test('Run botctl history.')).toBe(true);
  expect(suggestion.test('Fix it with: chmod 600 /x')).toBe(true);
});

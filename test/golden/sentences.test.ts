// Rules for every sentence that the golden files keep, whoever made it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandTree } from '../../src/tree.ts';
import { root } from '../../testing/root.ts';

type Said = {
  readonly where: string;
  readonly exit: number;
  readonly text: string;
  readonly isMessage: boolean;
};

/** What the program says on stderr to people: messages (`botctl: …`) and what follows them, but for commands to paste. */
function saidIn(name: string): Said[] {
  const said: Said[] = [];
  let exit = 0;
  for (const [at, line] of readFileSync(join(root, 'golden', name), 'utf8')
    .split('\n')
    .entries()) {
    exit = Number(/^ {2}(?:\[[^\]]+\] )?exit (\d+)$/u.exec(line)?.[1] ?? exit);
    const [, message, hint] =
      /^ {2}! (?:botctl: (.*)|(?:(?:warning|note): | {8})(?! {2})(.*))$/u.exec(line) ?? [];
    const text = message ?? hint;
    if (text !== undefined)
      said.push({ where: `${name}:${at + 1}`, exit, text, isMessage: hint === undefined });
  }
  return said;
}

const names = readdirSync(join(root, 'golden')).filter(
  (name) => name.endsWith('.txt') && name !== 'documents.txt',
);
const all = names.flatMap(saidIn);
const found = (wrong: (said: Said) => boolean): string[] =>
  all.filter(wrong).map(({ where, text }) => `${where}: ${text}`);

const notDone = /\bNothing (?:more )?was (?:sent|changed|decided)/gu;

test('there are hundreds of them', () => {
  expect(all.filter(({ isMessage }) => isMessage).length).toBeGreaterThan(500);
});

test('what was not done is said once', () => {
  expect(found(({ text }) => (text.match(notDone) ?? []).length > 1)).toEqual([]);
});

test('what may have happened is never said not to have been sent', () => {
  expect(found(({ text, exit }) => exit === 9 && /\bNothing was sent\./u.test(text))).toEqual([]);
});

test('no sentence has a command in it: commands stand on lines of their own, where they are whole', () => {
  const command = new RegExp(
    `\\bbotctl (?:${commandTree.map(({ name }) => name).join('|')}|--[a-z])\\b|\\b(?:chmod|mv|chown) [-/~]`,
    'u',
  );
  expect(found(({ text }) => command.test(text))).toEqual([]);
});

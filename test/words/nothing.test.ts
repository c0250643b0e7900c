import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { thisTime, unsent, unsentBecause, untouched, withoutEnd } from '../../src/words/nothing.ts';

const src = resolve(import.meta.dirname, '../../src');

const tail =
  /nothing (?:more )?(?:was|is) (?:sent|changed|decided)|nothing was (?:sent|changed) or|was not sent now/iu;

/** What is no sentence about one command: tables and help. */
const elsewhere = ['words/nothing.ts', 'errors.ts', 'engine/planKinds.ts', 'commands/doctorSpec.ts'];

function linesOf(file: string): string[] {
  return readFileSync(resolve(src, file), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/u.test(line));
}

test('that nothing was sent, changed or decided is said by one piece', () => {
  const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => !elsewhere.some((place) => file.startsWith(place)))
    .flatMap((file) =>
      linesOf(file)
        .filter((line) => tail.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});

test('that is seen where it stands', () => {
  expect(tail.test('It is empty; nothing was sent.')).toBe(true);
  expect(tail.test('Nothing more was sent.')).toBe(true);
});

test('a sentence is ended once before it is said', () => {
  expect(unsent('The payload is not a JSON object')).toBe(
    'The payload is not a JSON object. Nothing was sent.',
  );
  expect(unsent('It was left as it is.')).toBe('It was left as it is. Nothing was sent.');
  expect(unsentBecause('this was done already')).toBe('Nothing was sent now: this was done already.');
});

test('the end is taken off where nothing was going to be sent', () => {
  expect(withoutEnd(unsent('There is no token'))).toBe('There is no token.');
  expect(withoutEnd(untouched('There is no terminal'))).toBe('There is no terminal.');
  expect(withoutEnd('It is damaged.')).toBe('It is damaged.');
});

test('before an earlier run is spoken of, the end speaks of this one', () => {
  expect(thisTime(unsent('There is no token'))).toBe('There is no token. Nothing was sent now.');
  expect(thisTime('The journal is damaged.')).toBe('The journal is damaged.');
});

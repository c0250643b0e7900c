import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keptAs, readKept, removeOld, writeKept } from '../../src/machine/compiled.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'botctl-kept-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const source = Buffer.from('exports.one = 1;');

test('another text, another release of Node and other flags look for another file', () => {
  const names = [
    keptAs(folder, source, 'v20.20.2 x64'),
    keptAs(folder, Buffer.from('exports.one = 2;'), 'v20.20.2 x64'),
    keptAs(folder, source, 'v22.1.0 x64'),
    keptAs(folder, source, 'v20.20.2 x64 --jitless'),
  ];
  expect(new Set(names).size).toBe(4);
});

test('what is written is read again, and nothing half-written stays', () => {
  const path = keptAs(folder, source, 'v20');
  const kept = { runs: ['a b', 'a c'], code: Buffer.from([1, 10, 13, 0]) };
  writeKept(path, kept);
  expect(readKept(path)).toEqual(kept);
  expect(readdirSync(folder)).toHaveLength(1);
});

test('the oldest is removed where all of it is too much, and what has not been written for two months', () => {
  const daysAgo = (name: string, days: number, bytes: number): void => {
    const path = join(folder, name);
    writeFileSync(path, Buffer.alloc(bytes));
    const at = Date.now() / 1000 - days * 86_400;
    utimesSync(path, at, at);
  };
  daysAgo('new', 0, 9_000_000);
  daysAgo('newer', 1, 7_000_000);
  daysAgo('oldest', 59, 1_000_000);
  removeOld(folder);
  expect(readdirSync(folder).sort()).toEqual(['new', 'newer']);
  daysAgo('forgotten', 61, 10);
  removeOld(folder);
  expect(readdirSync(folder).sort()).toEqual(['new', 'newer']);
});

import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../../../src');

/** Where failures are made: their sentences, and what is thrown by mistake. */
const homes = ['cli/say/', 'once/failures.ts'];

test('a failure in words is made by cli/say alone', () => {
  const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !homes.some((home) => file.startsWith(home)))
    .filter((file) => /\bnew Failure\(/u.test(readFileSync(resolve(src, file), 'utf8')));
  expect(found).toEqual([]);
});

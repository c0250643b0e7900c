import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../../../src');

/** Where failures are made of a sentence. A room makes its own of the rows of its table. */
const homes = ['cli/', 'once/failures.ts'];

test('no room makes a failure of a bare sentence', () => {
  const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !homes.some((home) => file.startsWith(home)))
    .filter((file) => /\bnew Failure\(/u.test(readFileSync(resolve(src, file), 'utf8')));
  expect(found).toEqual([]);
});

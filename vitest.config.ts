import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { leaveTerminal } from './scripts/ownSession.mjs';
import { onMemoryDisk } from './test/support/memoryDisk.ts';

// What tests start must not ask whoever started them.
await leaveTerminal();

/** The test files of `folder`, without those of packages. */
function testFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return testFiles(path);
      return entry.name.endsWith('.test.ts') ? [path] : [];
    });
}

// Who replaces modules or loads them anew would do so for others, too.
const mocking = testFiles(join(import.meta.dirname, 'test'))
  .filter((path) => /\bvi\.(?:mock|doMock|resetModules)\(/u.test(readFileSync(path, 'utf8')))
  .map((path) => relative(import.meta.dirname, path));
const alone = ['test/proof/**/*.test.ts', ...mocking];

export default defineConfig({
  test: {
    reporters: ['default', './test/support/closingLine.ts'],
    setupFiles: ['./test/fixedSeed.ts'],
    // An event that never comes ends its test; a machine that is busy does not.
    expect: { requireAssertions: true, poll: { timeout: 50_000, interval: 10 } },
    env: onMemoryDisk(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // A third of what runs waits for a process, a server or a moment.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        // Modules are loaded once for all files that a worker runs: a third of what they cost.
        test: {
          name: 'together',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...alone],
        },
      },
    ],
  },
});

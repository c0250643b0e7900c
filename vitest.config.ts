import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { leaveTerminal } from './scripts/ownSession.mjs';
import { onMemoryDisk } from './testing/memoryDisk.ts';
import { SlowFirst } from './testing/slowFirst.ts';

// What tests start must not ask whoever started them.
await leaveTerminal();

// Who replaces modules or loads them anew would do so for others, too.
const mocking = readdirSync(join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name}`)
  .filter((path) => path.endsWith('.test.ts'))
  .filter((path) =>
    /\bvi\.(?:mock|doMock|resetModules)\(/u.test(readFileSync(join(import.meta.dirname, path), 'utf8')),
  );
const alone = ['test/proof/**/*.test.ts', ...mocking];

export default defineConfig({
  test: {
    reporters: ['default', './testing/closingLine.ts'],
    setupFiles: ['./testing/fixedSeed.ts'],
    // An event that never comes ends its test; a machine that is busy does not.
    expect: { requireAssertions: true, poll: { timeout: 50_000, interval: 10 } },
    env: onMemoryDisk(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // A third of what runs waits for a process, a server or a moment.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    sequence: { sequencer: SlowFirst },
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        // Modules are loaded once for all files that a worker runs: a third of what they cost.
        test: { name: 'together', isolate: false, include: ['test/**/*.test.ts'], exclude: alone },
      },
    ],
  },
});

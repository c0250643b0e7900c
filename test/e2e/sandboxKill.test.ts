import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killRound } from '../../testing/killRounds.ts';

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'botctl-kill-'));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

// The long form is `npm run bench -- sandboxKills`: 50 rounds.
test.each([1, 2, 3])('kill -9 under load loses and invents nothing, round %i', async (round) => {
  const report = await killRound({
    dataDir,
    seed: 'slice',
    round,
    clients: 8,
    processes: round === 3 ? 2 : 1,
  });
  expect(report.problems).toEqual([]);
  expect(report.answered).toBeGreaterThan(0);
});

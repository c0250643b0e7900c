import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killRound } from '../support/killRounds.ts';

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'botctl-kill-'));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

// The long form: BOTCTL_ROUNDS=50.
const rounds = Array.from({ length: Number(process.env.BOTCTL_ROUNDS ?? 3) }, (_, at) => at + 1);

test.each(rounds)('kill -9 under load loses and invents nothing, round %i', async (round) => {
  const report = await killRound({ dataDir, round, processes: round % 3 === 0 ? 2 : 1 });
  expect(report.problems).toEqual([]);
  expect(report.answered).toBeGreaterThan(0);
});

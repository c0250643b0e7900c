// npm run bench -- sandboxKills [ROUNDS] [SEED]: kill -9 under load, with conservation checked after each.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killRound } from '../testing/killRounds.ts';

const rounds = Number(process.argv[2] ?? 50);
const seed = process.argv[3] ?? 'long';
const dataDir = mkdtempSync(join(tmpdir(), 'botctl-kills-'));
let problems = 0;
for (let round = 1; round <= rounds; round += 1) {
  const report = await killRound({ dataDir, seed, round, clients: 16, processes: 1 + (round % 3) });
  problems += report.problems.length;
  const { requests, answered, lost, lostButDone } = report;
  console.log(
    `round ${round}: ${requests} requests, ${answered} answered, ${lost} lost (${lostButDone} of them done)`,
  );
  for (const problem of report.problems) console.log(`  ${problem}`);
}
console.log(`${rounds} rounds, ${problems} problems`);
rmSync(dataDir, { recursive: true, force: true });
process.exitCode = problems === 0 ? 0 : 1;

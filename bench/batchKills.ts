// npm run bench -- batchKills [ROWS] [SEED]: faults and three kill -9 under a batch, then a re-run of what is left.
import { batchThroughKills } from '../testing/batchKills.ts';

const rows = Number(process.argv[2] ?? 20_000);
const seed = process.argv[3] ?? 'long';
let problems = 0;
for (const kind of ['send', 'transfer'] as const) {
  const begun = performance.now();
  console.log(`batch ${kind}: ${rows} rows`);
  const report = await batchThroughKills({ kind, rows, seed, kills: 3, faultRate: 0.05, say: console.log });
  problems += report.problems.length;
  for (const problem of report.problems) console.log(`  ${problem}`);
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  console.log(`batch ${kind}: ${report.problems.length} problems, ${seconds} s`);
}
process.exitCode = problems === 0 ? 0 : 1;

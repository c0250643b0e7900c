// npm run bench -- [NAME] [OPTION]…: see bench/README.md, or `npm run bench -- --help`.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { withMarked } from '../scripts/marked.ts';
import { refusing } from '../scripts/refusal.ts';
import { root } from '../testing/root.ts';
import { readWords } from './asked.ts';
import type { BenchName } from './benches.ts';
import { help } from './help.ts';
import { runtime } from './measure/programs.ts';
import { drawTable, type Measure, markdownTable, misses } from './measure/table.ts';

const measures: Readonly<Record<BenchName, () => Promise<{ readonly measure: Measure }>>> = {
  single: () => import('./single.ts'),
  latency: () => import('./latency.ts'),
  batch: () => import('./batch.ts'),
  shared: () => import('./shared.ts'),
  history: () => import('./history.ts'),
  policy: () => import('./policy.ts'),
  verify: () => import('./verify.ts'),
  sandbox: () => import('./sandbox.ts'),
};

function load(): string {
  return loadavg()[0]?.toFixed(1) ?? '?';
}

export async function main(argv: readonly string[]): Promise<number> {
  const asked = readWords(argv);
  if (asked.is === 'help') {
    console.log(help(asked.benches));
    return 0;
  }
  const { bench, given, isChecked, page } = asked;
  const loadBefore = load();
  const { measure } = await measures[bench.name]();
  const measured = await measure(given);
  if ('skipped' in measured) {
    console.log(`Skipped: ${measured.skipped}`);
    // Nothing was measured: a check of the marks has not passed.
    return isChecked ? 1 : 0;
  }
  const ranBy = measured.columns.includes(runtime()) ? '' : `; ${runtime()}`;
  const machine = `load ${loadBefore} before and ${load()} after, on ${cpus().length} processors`;
  const figures = { ...measured, about: `${measured.about}${ranBy}; ${machine}.` };
  console.log(drawTable(figures, bench.marks));
  const missed = misses(figures, bench.marks);
  for (const one of missed) console.log(one);
  if (page !== undefined) {
    const path = join(root, 'docs/performance.md');
    const table = markdownTable(figures, bench.marks);
    writeFileSync(path, withMarked(readFileSync(path, 'utf8'), page, table));
  }
  return isChecked && missed.length > 0 ? 1 : 0;
}

process.exitCode = await refusing('`npm run bench -- --help` lists what there is.', () =>
  main(process.argv.slice(2)),
);

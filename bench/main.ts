// npm run bench -- [NAME] [--OPTION N]…: see bench/README.md.
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { Refusal, refusing } from '../scripts/refusal.ts';
import { benches } from './benches.ts';
import { drawTable, type Measure, misses } from './measure/table.ts';

const measures: Readonly<Record<string, () => Promise<{ readonly measure: Measure }>>> = {
  single: () => import('./single.ts'),
  batch: () => import('./batch.ts'),
  shared: () => import('./shared.ts'),
  history: () => import('./history.ts'),
  policy: () => import('./policy.ts'),
};

async function main(argv: readonly string[]): Promise<number> {
  const [name = '', ...words] = argv[0]?.startsWith('-') === false ? argv : ['single', ...argv];
  const bench = benches[name];
  const load = measures[name];
  if (bench === undefined || load === undefined) throw new Refusal(`No bench is called “${name}”`);
  const known = Object.entries(bench.numbers);
  const { values } = parseArgs({
    args: words,
    options: Object.fromEntries(known.map(([option]) => [option, { type: 'string' as const }])),
  });
  const numbers = new Map(known.map(([option, usual]) => [option, Number(values[option] ?? usual)]));
  const before = loadavg()[0]?.toFixed(1);
  const { measure } = await load();
  const figures = await measure((option) => numbers.get(option) ?? Number.NaN);
  const machine = `load ${before} before and ${loadavg()[0]?.toFixed(1)} after, on ${cpus().length} processors`;
  console.log(drawTable({ ...figures, about: `${figures.about}; ${machine}.` }));
  const missed = misses(figures, bench.marks);
  for (const one of missed) console.log(one);
  return missed.length > 0 ? 1 : 0;
}

// What the caller's environment adds to each Node, and to each connection: NODE_EXTRA_CA_CERTS is 30 to 55 ms a start.
for (const name of Object.keys(process.env)) if (/^(NODE_|SSL_CERT_)/u.test(name)) delete process.env[name];

const hint = `There are ${Object.keys(benches).join(', ')}; bench/README.md has their options.`;
process.exitCode = await refusing(hint, () => main(process.argv.slice(2)));

// npm run mutate -- PATH… [--tests PATH…] [--since COMMIT] [--json FILE]
// Changes the sources at PATH in every small way, one change at a time, and says which changes no test notices. With
// --since, only lines that changed since that commit are tried.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createVitest, type TestSpecification, type Vitest } from 'vitest/node';
import { type Mutable, type Mutant, mutable, withMutants } from './mutate/mutants.ts';
import type { Coverage, Pass, Targets } from './mutate/passes.ts';

type Source = {
  readonly path: string;
  readonly text: string;
  readonly found: Mutable;
  readonly first: number;
};
type Fate = 'killed' | 'survived' | 'not reached';
type Judged = Mutant & {
  readonly path: string;
  readonly line: number;
  readonly was: string;
  readonly fate: Fate;
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tests: {
      type: 'string',
      multiple: true,
      default: ['test/once', 'test/batch', 'test/machine', 'test/errors.test.ts'],
    },
    since: { type: 'string' },
    json: { type: 'string' },
  },
});

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(path, name))
    .sort();
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** The numbers of the lines that git shows as changed. */
function changedLines(path: string, since: string): Set<number> {
  const diff = execFileSync('git', ['diff', '--unified=0', since, '--', path], { encoding: 'utf8' });
  const lines = new Set<number>();
  for (const [, from = '', count = '1'] of diff.matchAll(/^@@ .* \+(\d+)(?:,(\d+))? @@/gmu))
    for (let line = Number(from); line < Number(from) + Number(count); line++) lines.add(line);
  return lines;
}

function readSources(): Source[] {
  let first = 0;
  return positionals.flatMap(filesIn).map((path) => {
    const text = readFileSync(path, 'utf8');
    const all = mutable(text, path);
    const lines = values.since === undefined ? undefined : changedLines(path, values.since);
    const mutants = all.mutants.filter(({ start }) => lines?.has(lineOf(text, start)) ?? true);
    const source = { path: resolve(path), text, found: { ...all, mutants }, first };
    first += mutants.length;
    return source;
  });
}

async function openVitest(sources: readonly Source[], rank: Map<string, number>): Promise<Vitest> {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  return createVitest(
    'test',
    {
      config: false,
      watch: false,
      reporters: [{}],
      // A project of its own: the suite's settings share modules between files.
      include: ['test/**/*.test.ts'],
      exclude: ['**/node_modules/**'],
      setupFiles: [resolve('test/fixedSeed.ts')],
      runner: resolve('scripts/mutate/runner.ts'),
      related: sources.map(({ path }) => path),
      pool: 'forks',
      // A test that is repeated adds its listeners each time.
      execArgv: ['--no-warnings'],
      isolate: true,
      maxWorkers: 2,
      testTimeout: 20_000,
      hookTimeout: 20_000,
      sequence: {
        sequencer: class {
          shard(files: TestSpecification[]): Promise<TestSpecification[]> {
            return Promise.resolve(files);
          }
          /** The cheapest first: what they kill, no dearer test must try. */
          sort(files: TestSpecification[]): Promise<TestSpecification[]> {
            const costOf = ({ moduleId }: TestSpecification): number => rank.get(moduleId) ?? 0;
            return Promise.resolve([...files].sort((one, other) => costOf(one) - costOf(other)));
          }
        } as never,
      },
    },
    {
      plugins: [
        {
          name: 'mutants',
          enforce: 'pre',
          transform(_code, id) {
            const source = byPath.get(id);
            return source && { code: withMutants(source.text, source.found, source.first), map: null };
          },
        },
      ],
    },
  );
}

const folder = mkdtempSync(join(tmpdir(), 'botctl-mutate-'));
const killedFile = join(folder, 'killed.txt');
writeFileSync(killedFile, '');

const killed = (): Set<number> =>
  new Set(
    readFileSync(killedFile, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => Number.parseInt(line, 10)),
  );

async function play(
  vitest: Vitest,
  pass: Pass,
  specs: readonly TestSpecification[],
  alive = -1,
): Promise<boolean> {
  Object.assign(process.env, { MUTATE_PASS: pass, MUTATE_FOLDER: folder, MUTATE_ALIVE: String(alive) });
  const { testModules } = await vitest.runTestSpecifications([...specs], false);
  return testModules.every((one) => one.ok());
}

function readCoverage(): Coverage[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith('reached-'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage);
}

const sources = readSources();
const count = sources.reduce((sum, { found }) => sum + found.mutants.length, 0);
const rank = new Map<string, number>();
const vitest = await openVitest(sources, rank);
const began = performance.now();
const seconds = (): string => `${Math.round((performance.now() - began) / 1000)} s`;
try {
  const specs = await vitest.getRelevantTestSpecifications(values.tests);
  await play(vitest, 'reach', specs);
  const coverage = readCoverage();
  const targets: Record<string, readonly number[]> = {};
  for (const { file, tests } of coverage) {
    rank.set(file, tests.reduce((sum, { ms }) => sum + ms, 0) / tests.length);
    for (const { id, isPassed, reached } of tests) if (isPassed) targets[id] = reached;
  }
  writeFileSync(join(folder, 'targets.json'), JSON.stringify(targets satisfies Targets));
  const files = new Set(
    coverage.filter(({ tests }) => tests.some(({ reached }) => reached.length > 0)).map(({ file }) => file),
  );
  console.error(`${count} mutants, ${coverage.length} test files, ${files.size} reach some (${seconds()})`);
  await play(
    vitest,
    'kill',
    specs.filter(({ moduleId }) => files.has(moduleId)),
  );
  console.error(`${killed().size} killed by tests (${seconds()})`);
  const loadedBy = new Map<number, string[]>();
  for (const { file, loaded } of coverage)
    for (const number of loaded) loadedBy.set(number, [...(loadedBy.get(number) ?? []), file]);
  const dead = killed();
  for (const [number, by] of loadedBy) {
    if (dead.has(number)) continue;
    const cheapest = specs
      .filter(({ moduleId }) => by.includes(moduleId))
      .sort((one, other) => (rank.get(one.moduleId) ?? 0) - (rank.get(other.moduleId) ?? 0));
    for (const spec of cheapest) {
      if (await play(vitest, 'load', [spec], number)) continue;
      dead.add(number);
      break;
    }
  }
  const reached = new Set(
    coverage.flatMap(({ loaded, tests }) => [...loaded, ...tests.flatMap((one) => one.reached)]),
  );
  const judged: Judged[] = sources.flatMap(({ path, text, found, first }) =>
    found.mutants.map((mutant, index) => {
      const number = first + index;
      const alive = reached.has(number) ? 'survived' : 'not reached';
      const was = text.slice(mutant.start, mutant.end);
      const line = lineOf(text, mutant.start);
      return { ...mutant, path: relative('.', path), line, was, fate: dead.has(number) ? 'killed' : alive };
    }),
  );
  report(judged);
} finally {
  await vitest.close();
  rmSync(folder, { recursive: true });
}

function report(judged: readonly Judged[]): void {
  const short = (code: string): string => code.replaceAll(/\s+/gu, ' ').slice(0, 90);
  for (const { path, line, was, by, fate } of judged)
    if (fate !== 'killed') console.log(`${path}:${line} ${fate}: ${short(was)} → ${short(by)}`);
  for (const path of [...new Set(judged.map((one) => one.path)), '']) {
    const own = judged.filter((one) => path === '' || one.path === path);
    const dead = own.filter(({ fate }) => fate === 'killed').length;
    console.log(
      `${path || 'all'}: ${dead} of ${own.length} killed (${Math.round((100 * dead) / (own.length || 1))} %)`,
    );
  }
  console.error(`in ${seconds()}`);
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(judged, undefined, 1));
  if (judged.some(({ fate }) => fate !== 'killed')) process.exitCode = 1;
}

// npm run mutate -- PATH… [--tests PATH…] [--since COMMIT] [--left FILE] [--json FILE]
// Changes the sources at PATH in every small way, one change at a time, and says which changes no test notices. With
// --since, only lines that changed since that commit are tried; with --left, only what an earlier run, whose --json FILE
// is, left alive: so dear tests try what the cheap ones missed. Changes that no test can notice are listed, with reasons,
// in mutate/equivalent.txt; any other survivor, and a listed one that is gone or that its first tests kill, makes it
// exit 1.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createVitest, type TestSpecification, type Vitest } from 'vitest/node';
import { onMemoryDisk } from '../testing/memoryDisk.ts';
import {
  type Change,
  changeOf,
  judge,
  keyOf,
  listed,
  readEquivalent,
  readList,
} from './mutate/equivalent.ts';
import { type Mutable, mutable, withMutants } from './mutate/mutants.ts';
import type { Coverage, Pass, Targets } from './mutate/passes.ts';

type Source = {
  readonly path: string;
  readonly text: string;
  readonly found: Mutable;
  readonly first: number;
};
type Fate = 'killed' | 'survived' | 'not reached';
type Judged = Change & { readonly line: number; readonly fate: Fate };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tests: {
      type: 'string',
      multiple: true,
      default: ['once', 'batch', 'machine', 'cli', 'errors', 'main'].map((name) => `test/${name}`),
    },
    since: { type: 'string' },
    left: { type: 'string' },
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

/** What an earlier run left alive; undefined if everything is to be tried. */
function leftAlive(): ReadonlySet<string> | undefined {
  if (values.left === undefined) return undefined;
  const all = JSON.parse(readFileSync(values.left, 'utf8')) as Judged[];
  return new Set(all.filter(({ fate }) => fate !== 'killed').map(keyOf));
}

function readSources(): Source[] {
  const left = leftAlive();
  let first = 0;
  const sources = positionals.flatMap(filesIn).map((path) => {
    const text = readFileSync(path, 'utf8');
    const all = mutable(text, path);
    const lines = values.since === undefined ? undefined : changedLines(path, values.since);
    const mutants = all.mutants
      .filter(({ start }) => lines?.has(lineOf(text, start)) ?? true)
      .filter((mutant) => left?.has(keyOf(changeOf(relative('.', resolve(path)), text, mutant))) ?? true);
    const source = { path: resolve(path), text, found: { ...all, mutants }, first };
    first += mutants.length;
    return source;
  });
  return sources.filter(({ found }) => found.mutants.length > 0);
}

async function openVitest(sources: readonly Source[], rank: Map<string, number>, bail = 0): Promise<Vitest> {
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
      env: onMemoryDisk(),
      runner: resolve('scripts/mutate/runner.ts'),
      related: sources.map(({ path }) => path),
      pool: 'forks',
      // A test that is repeated adds its listeners each time.
      execArgv: ['--no-warnings'],
      isolate: true,
      maxWorkers: 2,
      bail,
      testTimeout: 10_000,
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

const endedFile = join(folder, 'ended.txt');
const doneFile = join(folder, 'done.txt');
const failedFile = join(folder, 'failed.txt');
writeFileSync(failedFile, '');
const spoilingFile = join(folder, 'spoiling.txt');
writeFileSync(spoilingFile, '');

const killed = (): Set<number> =>
  new Set(
    readFileSync(killedFile, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => Number.parseInt(line, 10)),
  );

/** Plays the tests, and returns the files of those that failed. */
async function play(
  vitest: Vitest,
  pass: Pass,
  specs: readonly TestSpecification[],
  alive = -1,
): Promise<TestSpecification[]> {
  Object.assign(process.env, { MUTATE_PASS: pass, MUTATE_FOLDER: folder, MUTATE_ALIVE: String(alive) });
  const { testModules } = await vitest.runTestSpecifications([...specs], false);
  const failed = new Set(testModules.filter((one) => !one.ok()).map(({ moduleId }) => moduleId));
  return specs.filter(({ moduleId }) => failed.has(moduleId));
}

/** Which file of tests noticed each change that is alive while it loads. */
const noticedBy = new Map<number, TestSpecification>();
/** Whether a file of tests passes with the code as it is. */
const passesAsItIs = new Map<string, boolean>();

/** Twice with the mutant, and not without it: a test that fails once in many runs is no witness. */
async function isNoticedAtLoad(
  loading: Vitest,
  number: number,
  specs: readonly TestSpecification[],
): Promise<boolean> {
  let left = specs.filter(({ moduleId }) => passesAsItIs.get(moduleId) !== false);
  while (left.length > 0) {
    // The first failure cuts short what runs beside it and after it.
    const failed = await play(loading, 'load', left, number);
    for (const spec of failed) {
      if ((await play(loading, 'load', [spec], number)).length === 0) continue;
      const passes = passesAsItIs.get(spec.moduleId) ?? (await play(loading, 'load', [spec])).length === 0;
      passesAsItIs.set(spec.moduleId, passes);
      if (!passes) continue;
      noticedBy.set(number, spec);
      return true;
    }
    left = failed.length === 0 ? [] : left.filter((spec) => !failed.includes(spec));
  }
  return false;
}

/** Files that passed without a change at first may have stopped doing so: what they noticed since counts for nothing. */
async function noticedAfterAll(loading: Vitest): Promise<number[]> {
  const files = new Map([...noticedBy.values()].map((spec) => [spec.moduleId, spec]));
  for (const [moduleId, spec] of files)
    if ((await play(loading, 'load', [spec])).length === 0) files.delete(moduleId);
  for (const moduleId of files.keys()) console.error(`${relative('.', moduleId)} no longer passes as it is`);
  return [...noticedBy].filter(([, { moduleId }]) => !files.has(moduleId)).map(([number]) => number);
}

/**
 * A mutant that never ends kills its process, and with it the rest of that file's tests; so does a test that fails with
 * the code as it is. Both are left to a new process.
 */
async function playToTheEnd(specs: readonly TestSpecification[]): Promise<void> {
  const progress = (): number =>
    [killedFile, doneFile, failedFile, spoilingFile].reduce((sum, file) => sum + statSync(file).size, 0);
  writeFileSync(doneFile, '');
  let left = specs;
  while (left.length > 0) {
    const before = progress();
    writeFileSync(endedFile, '');
    await play(vitest, 'kill', left);
    const ended = readFileSync(endedFile, 'utf8').split('\n');
    left = left.filter(({ moduleId }) => !ended.includes(moduleId));
    if (progress() === before) break;
  }
  for (const { moduleId } of left) console.error(`${relative('.', moduleId)} did not end`);
}

function readCoverage(): Coverage[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith('reached-'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage);
}

/**
 * What loading a file reaches is alive in each of its tests: each file is played with each such change, until a test
 * notices it, and those first whose tests reach the most in the least time.
 */
async function noticedAtLoad(coverage: readonly Coverage[], dead: ReadonlySet<number>): Promise<number[]> {
  const loadedBy = new Map<number, string[]>();
  for (const { file, loaded } of coverage)
    for (const number of loaded)
      if (!dead.has(number)) loadedBy.set(number, [...(loadedBy.get(number) ?? []), file]);
  if (loadedBy.size === 0) return [];
  const costs = new Map(
    coverage.map(({ file, tests }) => [
      file,
      tests.reduce((sum, { ms }) => sum + ms, 1000) / new Set(tests.flatMap((one) => one.reached)).size,
    ]),
  );
  const costOf = ({ moduleId }: TestSpecification): number => costs.get(moduleId) ?? Number.MAX_SAFE_INTEGER;
  const loading = await openVitest(sources, costs, 1);
  try {
    const specs = await loading.getRelevantTestSpecifications(values.tests);
    specs.sort((one, other) => costOf(one) - costOf(other));
    for (const [number, by] of loadedBy) {
      const rest = specs.filter(({ moduleId }) => by.includes(moduleId));
      if (await isNoticedAtLoad(loading, number, rest.splice(0, 6))) continue;
      if (!judgedBefore.has(changes[number])) await isNoticedAtLoad(loading, number, rest);
    }
    return await noticedAfterAll(loading);
  } finally {
    await loading.close();
  }
}

type Test = { readonly id: string; readonly file: string; readonly ms: number };

/**
 * For each change the tests that reach it, in the order in which they try it: the cheapest of each file, then the next
 * of each file. Tests of one file tend to notice the same changes.
 */
function queuesOf(coverage: readonly Coverage[]): Map<number, Test[]> {
  const queues = new Map<number, (Test & { turn: number })[]>();
  for (const { file, tests } of coverage) {
    const turns = new Map<number, number>();
    for (const { id, ms, isPassed, reached } of [...tests].sort((one, other) => one.ms - other.ms))
      for (const number of isPassed ? reached : []) {
        const turn = turns.get(number) ?? 0;
        turns.set(number, turn + 1);
        queues.set(number, [...(queues.get(number) ?? []), { id, file, ms, turn }]);
      }
  }
  for (const queue of queues.values()) queue.sort((one, other) => one.turn - other.turn || one.ms - other.ms);
  return queues;
}

const sources = readSources();
if (sources.length === 0) {
  console.error('Nothing to change there.');
  process.exit();
}
const changes = sources.flatMap(({ path, text, found }) =>
  found.mutants.map((mutant) => ({
    ...changeOf(relative('.', path), text, mutant),
    line: lineOf(text, mutant.start),
  })),
);
const paths = new Set(changes.map(({ path }) => path));
const equivalent = readEquivalent(readList()).changes.filter(({ path }) => paths.has(path));
const judgedBefore = new Set<Change | undefined>(judge(changes, equivalent).excused);
const rank = new Map<string, number>();
const vitest = await openVitest(sources, rank);
const began = performance.now();
const seconds = (): string => `${Math.round((performance.now() - began) / 1000)} s`;
try {
  const specs = await vitest.getRelevantTestSpecifications(values.tests);
  await play(vitest, 'reach', specs);
  const coverage = readCoverage();
  for (const { file, tests } of coverage)
    rank.set(file, tests.reduce((sum, { ms }) => sum + ms, 0) / tests.length);
  const queues = queuesOf(coverage);
  console.error(
    `${changes.length} changes, ${coverage.length} test files reach ${queues.size} in tests (${seconds()})`,
  );
  // The first tests are enough to notice a wrong judgement; all of them would take longest here.
  for (const most of [8, 64, Number.POSITIVE_INFINITY]) {
    const targets: Record<string, number[]> = {};
    const files = new Set<string>();
    const dead = killed();
    for (const [number, queue] of queues) {
      if (dead.has(number) || (!Number.isFinite(most) && judgedBefore.has(changes[number]))) continue;
      for (const { id, file } of queue.splice(0, most)) {
        targets[id] = [...(targets[id] ?? []), number];
        files.add(file);
      }
    }
    writeFileSync(join(folder, 'targets.json'), JSON.stringify(targets satisfies Targets));
    await playToTheEnd(specs.filter(({ moduleId }) => files.has(moduleId)));
    console.error(`${killed().size} killed (${seconds()})`);
  }
  const noticed = await noticedAtLoad(coverage, killed());
  const dead = new Set([...killed(), ...noticed]);
  console.error(`${dead.size} killed (${seconds()})`);
  const reached = new Set(
    coverage.flatMap(({ loaded, tests }) => [...loaded, ...tests.flatMap((one) => one.reached)]),
  );
  report(
    changes.map((change, number) => {
      const alive = reached.has(number) ? 'survived' : 'not reached';
      return { ...change, fate: dead.has(number) ? 'killed' : alive };
    }),
  );
} finally {
  await vitest.close();
  rmSync(folder, { recursive: true });
}

function report(all: readonly Judged[]): void {
  const survivors = all.filter(({ fate }) => fate !== 'killed');
  const { excused, idle } = judge(survivors, equivalent);
  const open = survivors.filter((one) => !excused.includes(one));
  process.stdout.write(listed(open.map((one) => ({ ...one, label: one.fate }))));
  // Where not everything is tried, that says nothing about what is listed.
  const stale = values.since === undefined && values.left === undefined ? idle : [];
  if (stale.length > 0) console.log('listed in equivalent.txt, but killed or gone:');
  process.stdout.write(listed(stale.map((one) => ({ ...one, label: one.reason }))));
  for (const path of [...paths, 'all']) {
    const of = (some: readonly Judged[]): number =>
      some.filter((one) => path === 'all' || one.path === path).length;
    const killed = of(all) - of(survivors);
    console.log(
      `${path}: ${of(all)} changes, ${killed} killed, ${of(excused)} equivalent, ${of(open)} open (${Math.floor((100 * killed) / (of(all) || 1))} %)`,
    );
  }
  console.error(`in ${seconds()}`);
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(all, undefined, 1));
  // Vitest has set it where a change was noticed.
  process.exitCode = open.length > 0 || stale.length > 0 ? 1 : 0;
}

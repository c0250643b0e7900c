// Vitest's runner for `npm run mutate`: in the first pass it notes which mutants each test reaches; in the second it
// repeats each test, hooks included, once for each mutant that it reaches and that nothing has killed yet.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { RunnerTask, RunnerTestCase, RunnerTestFile } from 'vitest';
import { TestRunner } from 'vitest';
import type { Coverage, Pass, Targets } from './passes.ts';

const pass = process.env.MUTATE_PASS as Pass;
const folder = process.env.MUTATE_FOLDER ?? '';

/** A mutant may turn a loop into one that never ends, and no timer ends that. */
const leastPatienceMs = 5_000;

class Mutants {
  alive = pass === 'load' ? Number(process.env.MUTATE_ALIVE) : -1;
  reached = new Set<number>();
  patienceMs = pass === 'load' ? 12 * leastPatienceMs : leastPatienceMs;
  #steps = 0;
  #bornMs = performance.now();

  readonly at = (number: number): boolean => {
    if (pass === 'reach') this.reached.add(number);
    this.#step();
    return number === this.alive;
  };

  readonly loop = (): void => this.#step();

  #step(): void {
    if (this.alive < 0 || ++this.#steps % 64 > 0) return;
    if (performance.now() - this.#bornMs > this.patienceMs) throw new Error('a loop that does not end');
  }

  become(number: number): void {
    this.alive = number;
    this.#bornMs = performance.now();
    watched[0] = number;
    // Four times as long as any other try took.
    watched[1] = Date.now() + 4 * this.patienceMs;
  }

  takeReached(): number[] {
    const reached = [...this.reached];
    this.reached = new Set();
    return reached;
  }
}

/** Which mutant is alive, and until when. */
const watched = new Float64Array(new SharedArrayBuffer(16));
watched[0] = -1;

/** A loop may catch what is thrown at it, or go round in a database: a thread of its own ends its process. */
const watching = `
  const { workerData: { watched, file } } = require('node:worker_threads');
  setInterval(() => {
    if (watched[0] < 0 || Date.now() < watched[1]) return;
    require('node:fs').appendFileSync(file, watched[0] + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }, 500);`;

const mutants = new Mutants();
Object.assign(globalThis, { __mutant: mutants });

/** Nobody waited for what failed. A test does not see that, but a command ends with it. */
let isRejectionUnhandled = false;
process.on('unhandledRejection', () => {
  isRejectionUnhandled = true;
});

const killedFile = join(folder, 'killed.txt');
/** Tests that have tried all that they were to try. */
const doneFile = join(folder, 'done.txt');
/** Tests that failed with the code as it is, although they passed at first. */
const failedFile = join(folder, 'failed.txt');

/** Mutants with which a test failed twice, and after which it passed no more in that process, not even as it is. */
const spoilingFile = join(folder, 'spoiling.txt');

if (pass !== 'reach') {
  const workerData = { watched, file: killedFile };
  new Worker(watching, { eval: true, workerData }).unref();
}

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n');

function killed(): Set<number> {
  return new Set(linesOf(killedFile).map((line) => Number.parseInt(line, 10)));
}

/** What ran out of its time may still run beside those after it. If the test fails there as well, it is left out. */
function leaveToAnotherProcess(id: string): void {
  if (linesOf(failedFile).includes(id)) return;
  appendFileSync(failedFile, `${id}\n`);
  process.kill(process.pid, 'SIGKILL');
}

export default class MutantRunner extends TestRunner {
  readonly #coverage = new Map<string, Coverage['tests'][number]>();
  #loaded: number[] = [];
  #startedMs = 0;
  #file = '';
  #todo: readonly number[] = [];
  /** What spoiled this test in another process. */
  #spoiled: readonly number[] = [];
  #passedAsItIs = false;
  /** One failed test of the file is enough where all have the same change. */
  #isNoticed = false;

  override onCollectStart(file: RunnerTestFile): void {
    super.onCollectStart(file);
    this.#file = file.filepath;
  }

  onCollected(): void {
    this.#loaded = mutants.takeReached();
  }

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    await super.onBeforeRunTask(test);
    // What hooks of a whole suite reached is not repeated for each of its tests.
    this.#loaded.push(...mutants.takeReached());
    if (this.#isNoticed) test.mode = 'skip';
    if (pass !== 'kill') return;
    const targets = JSON.parse(readFileSync(join(folder, 'targets.json'), 'utf8')) as Targets;
    const dead = killed();
    const isDone = linesOf(doneFile).includes(test.id);
    const left = isDone ? [] : (targets[test.id] ?? []).filter((number) => !dead.has(number));
    const spoiling = linesOf(spoilingFile);
    this.#spoiled = left.filter((number) => spoiling.includes(`${number}\t${test.id}`));
    this.#todo = left.filter((number) => !this.#spoiled.includes(number));
    if (left.length === 0) test.mode = 'skip';
    else Object.assign(test, { repeats: this.#todo.length, retry: 2 });
  }

  override onBeforeTryTask(test: RunnerTask): void {
    super.onBeforeTryTask(test);
    this.#startedMs = performance.now();
    // Alive since the process began: what loading took is not a loop's.
    if (pass === 'load') mutants.become(mutants.alive);
  }

  async onAfterRetryTask(
    test: RunnerTestCase,
    { retry, repeats }: { retry: number; repeats: number },
  ): Promise<void> {
    const ms = performance.now() - this.#startedMs;
    // Node tells of unhandled rejections once all that is due now has run.
    await setImmediate();
    const isPassed = test.result?.state === 'pass' && !isRejectionUnhandled;
    isRejectionUnhandled = false;
    if (pass === 'reach')
      this.#coverage.set(test.id, { id: test.id, ms, isPassed, reached: mutants.takeReached() });
    if (pass === 'load' && !isPassed && test.result !== undefined && test.result.state !== 'skip') {
      test.result.state = 'fail';
      this.#isNoticed = true;
    }
    if (pass !== 'kill') return;
    if (repeats === 0) mutants.patienceMs = Math.max(leastPatienceMs, 10 * ms);
    if (repeats === 0 && !isPassed) leaveToAnotherProcess(test.id);
    // As it is, the test passes in a process of its own: it was the mutant.
    if (repeats === 0 && isPassed)
      for (const number of this.#spoiled) appendFileSync(killedFile, `${number}\t${test.id}\n`);
    const isTriedAgain = this.#judge(test, isPassed, retry, repeats);
    if (!isTriedAgain && repeats === this.#todo.length) appendFileSync(doneFile, `${test.id}\n`);
    // Vitest tries again only where there is an error.
    if (test.result !== undefined)
      Object.assign(
        test.result,
        isTriedAgain ? { state: 'run', errors: [{}] } : { state: 'pass', errors: undefined },
      );
  }

  /**
   * The first try is of the code as it is: a test that fails with it says nothing about mutants. What a mutant leaves
   * behind may make the next one's try fail, so a mutant is killed only if its test fails twice, and then passes with
   * the code as it is, here or in another process. Returns whether to try once more.
   */
  #judge(test: RunnerTestCase, isPassed: boolean, retry: number, repeats: number): boolean {
    const number = this.#todo[repeats - 1];
    const isAsItIs = mutants.alive < 0;
    if (isAsItIs) this.#passedAsItIs = isPassed;
    if (retry < 2 && !isPassed && this.#passedAsItIs) {
      mutants.become(retry === 0 ? (number ?? -1) : -1);
      return true;
    }
    if (retry === 2 && isPassed) appendFileSync(killedFile, `${number}\t${test.id}\n`);
    if (retry === 2 && !isPassed) {
      appendFileSync(spoilingFile, `${number}\t${test.id}\n`);
      process.kill(process.pid, 'SIGKILL');
    }
    mutants.become(this.#passedAsItIs ? (this.#todo[repeats] ?? -1) : -1);
    return false;
  }

  override onAfterRunFiles(): void {
    super.onAfterRunFiles();
    if (pass === 'kill') appendFileSync(join(folder, 'ended.txt'), `${this.#file}\n`);
    if (pass !== 'reach') return;
    const coverage: Coverage = {
      file: this.#file,
      loaded: this.#loaded,
      tests: [...this.#coverage.values()],
    };
    writeFileSync(
      join(folder, `reached-${this.#file.replaceAll(/[^\w.]/gu, '-')}.json`),
      JSON.stringify(coverage),
    );
  }
}

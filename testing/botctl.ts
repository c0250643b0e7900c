import { type SpawnOptions, spawn } from 'node:child_process';
import { refuseUndocumented } from './jsonOutput.ts';
import { program, programInShell, programWords } from './program.ts';

export type Ran = { code: number | null; signal: string | null; stdout: string; stderr: string };

export type Start = {
  /** The whole environment: nothing of the machine's user gets in. */
  env: Readonly<Record<string, string | undefined>>;
  stdin?: string;
  cwd?: string;
  /** Interrupts the program after its first output: for one that serves until interrupted. */
  interruptAtOutput?: boolean;
};

/** Runs the built program to its end. Its `--json` output is checked against the schema. */
export async function botctl(argv: readonly string[], start: Start): Promise<Ran> {
  const ran = await ended(program, [...programWords, ...argv], start);
  if (ran.signal === null) refuseUndocumented(argv, ran.stdout);
  return ran;
}

/** Runs a shell line in which `botctl` is the built program. */
export function shell(line: string, start: Start): Promise<Ran> {
  const definition = `botctl() { ${programInShell} "$@"; }`;
  return ended('bash', ['-c', `${definition}\n${line}`], start);
}

export function ended(program: string, words: readonly string[], start: Start): Promise<Ran> {
  const options: SpawnOptions = {
    env: start.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(start.cwd === undefined ? {} : { cwd: start.cwd }),
  };
  return new Promise((resolvePromise, reject) => {
    const child = spawn(program, words, options);
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      if (stdout === '' && start.interruptAtOutput === true) child.kill('SIGINT');
      stdout += chunk;
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code, signal) => resolvePromise({ code, signal, stdout, stderr }));
    // A program that refuses its arguments does not wait for its input.
    child.stdin?.on('error', () => {});
    child.stdin?.end(start.stdin ?? '');
  });
}

/** Processes all items, a few at a time: a process for each at once would starve a small machine. */
export async function fewAtATime<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  few = 4,
): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: few }, worker));
}

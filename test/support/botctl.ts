import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
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

export type Started = { readonly child: ChildProcess; readonly ended: Promise<Ran> };

/** Starts the built program; the test controls the process. */
export function started(
  argv: readonly string[],
  env: Start['env'],
  stdin: 'ignore' | 'pipe' = 'ignore',
): Started {
  const child = spawn(program, [...programWords, ...argv], { env, stdio: [stdin, 'pipe', 'pipe'] });
  return { child, ended: ranOf(child) };
}

export function ended(program: string, words: readonly string[], start: Start): Promise<Ran> {
  const child = spawn(program, words, {
    env: start.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(start.cwd === undefined ? {} : { cwd: start.cwd }),
  });
  if (start.interruptAtOutput === true) child.stdout.once('data', () => child.kill('SIGINT'));
  // A program that refuses its arguments does not wait for its input.
  child.stdin.on('error', () => {});
  child.stdin.end(start.stdin ?? '');
  return ranOf(child);
}

async function ranOf(child: ChildProcess): Promise<Ran> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, stdout, stderr };
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

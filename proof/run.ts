import { type ChildProcess, spawn } from 'node:child_process';
import { startOf } from '../test/support/program.ts';

export type Ran = {
  readonly argv: readonly string[];
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It had to be ended, because it did not end by itself. */
  readonly hung: boolean;
  readonly tookMs: number;
};

export type Start = {
  /** The whole environment: nothing of the machine's user gets in. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Buffer | undefined;
  readonly limitMs?: number;
  /** What goes before the program on the line: strace with its options, for one. */
  readonly under?: readonly string[];
  /** Told of the process once it runs. */
  readonly started?: (child: ChildProcess) => void;
};

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** It cannot outlive the proof. */
export function endWithProof(child: ChildProcess): void {
  children.add(child);
  child.once('close', () => children.delete(child));
}

const outputLimit = 4 * 1024 * 1024;
/** Above every patience that a command has by itself: 60 s of tries after an attempt of 30 s. */
const usualLimitMs = 180_000;

/** Runs a botctl to its end. */
export function run(bin: string, argv: readonly string[], start: Start): Promise<Ran> {
  const [program = '', ...words] = [...(start.under ?? []), ...startOf(bin), ...argv];
  const child = spawn(program, words, { env: start.env, stdio: ['pipe', 'pipe', 'pipe'] });
  endWithProof(child);
  // A program that refuses its arguments does not wait for its input.
  child.stdin.on('error', () => {});
  start.started?.(child);
  const startedMs = performance.now();
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    child.kill('SIGKILL');
  }, start.limitMs ?? usualLimitMs);
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  child.stdin.end(start.stdin ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const tookMs = performance.now() - startedMs;
      resolve({ argv, code, signal, stdout: stdout(), stderr: stderr(), hung, tookMs });
    });
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= outputLimit) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

/** The objects on stdout, one per line; undefined if a line is not an object. */
export function objectsOf({ stdout }: Pick<Ran, 'stdout'>): Record<string, unknown>[] | undefined {
  try {
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  } catch {
    return undefined;
  }
}

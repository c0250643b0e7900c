import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { main } from '../../../src/main.ts';
import { nobody } from '../../../testing/nobody.ts';
import type { Ran } from '../../run.ts';

type Inside = {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Buffer | undefined;
  readonly limitMs: number;
};

function sink(): { stream: NodeJS.WriteStream; text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk));
      done();
    },
  });
  return {
    stream: Object.assign(stream, { isTTY: false, columns: 80 }) as unknown as NodeJS.WriteStream,
    text: () => chunks.join(''),
  };
}

/** Runs the program's own main in this process: the same code without a process start. Waiting takes no time. */
export async function runInside({ argv, env, stdin, limitMs }: Inside): Promise<Ran> {
  const [stdout, stderr] = [sink(), sink()];
  const interrupt = new AbortController();
  const startedMs = performance.now();
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    interrupt.abort();
  }, limitMs);
  const code = await main({
    argv,
    env,
    stdin: Readable.from(stdin === undefined || stdin.length === 0 ? [] : [stdin]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    interrupts: { first: interrupt.signal, second: interrupt.signal },
    clock: { now: Date.now, sleep: () => new Promise((resolve) => setImmediate(resolve)) },
    chance: { fraction: Math.random, uuid: () => randomUUID() },
    terminal: nobody,
  });
  clearTimeout(timer);
  return {
    argv,
    code,
    signal: null,
    stdout: stdout.text(),
    stderr: stderr.text(),
    hung,
    tookMs: performance.now() - startedMs,
  };
}

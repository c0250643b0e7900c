import { type ChildProcess, spawn } from 'node:child_process';
import type { Env } from '../context.ts';
import { Failure } from '../errors.ts';
import { commandWords } from './commandWords.ts';
import { interruptedFailure } from './tokenInput.ts';

const limitMs = 30_000;
const graceMs = 1000;
const lastOutputMs = 500;
const mostBytes = 65_536;

export type CommandWorld = {
  readonly env: Env;
  readonly interrupted: AbortSignal;
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  /** For tests; a person has half a minute to unlock a vault. */
  readonly limitMs?: number;
};

type Ending =
  | {
      readonly kind: 'ended';
      readonly code: number | null;
      readonly signal: string | null;
      readonly output: Buffer;
    }
  | { readonly kind: 'not-started'; readonly reason: string }
  | { readonly kind: 'too-slow' }
  | { readonly kind: 'too-much' }
  | { readonly kind: 'interrupted' };

const noShell = 'No shell runs it: no pipes, no variables, no ~.';

/** Runs a token command and returns the first line of its stdout. No shell, and nothing of it is echoed. */
export async function runTokenCommand(command: string, world: CommandWorld): Promise<string> {
  const [program] = commandWords(command);
  const ending = await run(command, world);
  const failed = (what: string, hint: string): Failure =>
    new Failure('no-token', `The token command (${program}) ${what}; nothing was sent.`, { hint });
  switch (ending.kind) {
    case 'interrupted':
      throw interruptedFailure();
    case 'not-started':
      throw failed(`could not be started: ${ending.reason}`, `Is it installed and on PATH? ${noShell}`);
    case 'too-slow':
      throw failed(
        `was stopped after ${(world.limitMs ?? limitMs) / 1000} s`,
        'Run it by hand: is it waiting for a password or a network?',
      );
    case 'too-much':
      throw failed('printed far more than a token', 'Run it by hand: its first line must be the token.');
    case 'ended': {
      if (ending.code !== 0) {
        const how = ending.code === null ? `was ended by ${ending.signal}` : `exited ${ending.code}`;
        throw failed(
          how,
          /[|<>$`~&;]/u.test(command)
            ? `What it said is above. ${noShell} Where one is needed: sh -c '…'.`
            : 'What it said is above. Run it by hand until it prints the token, then run the same command again.',
        );
      }
      const [line = ''] = ending.output.toString('latin1').split(/\r?\n/u);
      if (line === '')
        throw failed('printed nothing', 'Its first line must be the token. Run it by hand to see.');
      return line;
    }
  }
}

function start(command: string, world: CommandWorld): ChildProcess {
  const [program, ...words] = commandWords(command);
  // It needs a person's answer perhaps, but never what is piped to botctl, and not another bot's token.
  const { BOTCTL_TOKEN: _withheld, ...env } = world.env;
  return spawn(program, words, {
    env,
    shell: false,
    stdio: [world.stdin.isTTY === true ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    windowsHide: true,
  });
}

function run(command: string, world: CommandWorld): Promise<Ending> {
  return new Promise((resolve) => {
    if (world.interrupted.aborted) {
      resolve({ kind: 'interrupted' });
      return;
    }
    const child = start(command, world);
    const chunks: Buffer[] = [];
    let size = 0;
    let draining: NodeJS.Timeout | undefined;
    const settle = (ending: Ending): void => {
      clearTimeout(timer);
      clearTimeout(draining);
      world.interrupted.removeEventListener('abort', onInterrupt);
      resolve(ending);
    };
    const stop = (ending: Ending): void => {
      clearTimeout(timer);
      child.removeAllListeners('exit');
      stopChild(child, () => settle(ending));
    };
    const onInterrupt = (): void => stop({ kind: 'interrupted' });
    const timer = setTimeout(() => stop({ kind: 'too-slow' }), world.limitMs ?? limitMs);
    world.interrupted.addEventListener('abort', onInterrupt, { once: true });
    child.stdout?.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > mostBytes) stop({ kind: 'too-much' });
    });
    child.once('error', (error) => settle({ kind: 'not-started', reason: error.message }));
    child.once('exit', (code, signal) => {
      const end = (): void => {
        child.stdout?.destroy();
        settle({ kind: 'ended', code, signal, output: Buffer.concat(chunks) });
      };
      // An agent that it left running may hold the pipe open for ever.
      draining = setTimeout(end, lastOutputMs);
      child.once('close', end);
    });
  });
}

/** Asks it to end, then ends it. What it started itself may keep the pipe: nobody waits for that. */
function stopChild(child: ChildProcess, stopped: () => void): void {
  child.stdout?.destroy();
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  child.once('exit', () => {
    clearTimeout(timer);
    stopped();
  });
  child.kill('SIGTERM');
}

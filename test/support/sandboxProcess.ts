import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { botctlPath, startOf } from './program.ts';

export type Greeting = {
  base_url: string;
  tokens: { full: string; no_send: string; no_wallet: string };
  conversations: string[];
  wallet: { address: string; balances: { asset: string; amount: string }[] };
  rpc_url: string;
  genesis_hash: string;
  assets: Record<string, string>;
};

export type SandboxProcess = {
  greeting: Greeting;
  child: ChildProcess;
  /** Lines of stdout after the first, as they arrive. */
  lines: Record<string, unknown>[];
  /** Sends a signal and returns the exit code, or the name of the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | string | null>;
};

/** The built program's `botctl sandbox --json` in a separate process. */
export async function startSandboxProcess(
  args: string[],
  env: NodeJS.ProcessEnv = {},
  bin: string = botctlPath,
): Promise<SandboxProcess> {
  const [command, ...words] = startOf(bin);
  const child = spawn(command, [...words, 'sandbox', '--json', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: Record<string, unknown>[] = [];
  const greeting = await new Promise<Greeting>((resolve, reject) => {
    let errors = '';
    let rest = '';
    let greeted = false;
    const take = (line: Record<string, unknown>): void => {
      if (greeted) lines.push(line);
      else if ('error' in line) reject(new Error(`botctl sandbox says ${JSON.stringify(line)}: ${errors}`));
      else resolve(line as unknown as Greeting);
      greeted = true;
    };
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      errors += chunk;
    });
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) take(JSON.parse(part));
    });
    child.once('exit', (code) => reject(new Error(`botctl sandbox ended with ${code}: ${errors}`)));
  });
  const end = async (signal: NodeJS.Signals): Promise<number | string | null> => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'close');
      child.kill(signal);
      await gone;
    }
    return child.exitCode ?? child.signalCode;
  };
  return { greeting, child, lines, end };
}

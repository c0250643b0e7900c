import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { botctl, botctlPath, type Ended, shell } from './botctl.ts';
import { Home } from './home.ts';
import { startTestSandbox, type TestSandbox } from './sandbox.ts';

export type Said = {
  schema: string;
  command: string;
  outcome?: string;
  replayed?: boolean;
  duplicate?: boolean;
  verified?: boolean;
  intent?: {
    id: string;
    key: string;
    name?: string;
    state: string;
    attempts: number;
    request: Record<string, unknown>;
  };
  message?: Record<string, unknown>;
  transfer?: Record<string, unknown>;
  request_id?: string;
  warnings?: string[];
  error?: { code: string; message: string; hint?: string; status?: number; retry: string };
};

/** The one JSON object that a command printed. */
export function said({ stdout }: Pick<Ended, 'stdout'>): Said {
  const lines = stdout.trimEnd().split('\n');
  if (lines.length !== 1 || lines[0] === undefined) throw new Error(`not one line: ${stdout}`);
  return JSON.parse(lines[0]) as Said;
}

/** An operator's desk: a home of its own, the built program, and a service that can be had for real. */
export class Desk {
  readonly home = new Home();
  readonly sandbox: TestSandbox;
  readonly env: Record<string, string>;

  private constructor(sandbox: TestSandbox) {
    this.sandbox = sandbox;
    this.env = { ...this.home.env, BOTCTL_TOKEN: sandbox.tokens.full, BOTCTL_BASE_URL: sandbox.baseUrl };
  }

  static async open(): Promise<Desk> {
    return new Desk(await startTestSandbox());
  }

  get journal(): string {
    return join(this.home.path, 'data', 'botctl', 'journal.db');
  }

  /** Runs a command to its end. Unless it says otherwise it tries once and waits for nothing. */
  run(argv: readonly string[], more: { env?: Record<string, string>; stdin?: string } = {}): Promise<Ended> {
    const { env = {}, ...rest } = more;
    return botctl(this.#withLimits(argv), { env: { ...this.env, ...env }, ...rest });
  }

  async json(
    argv: readonly string[],
    more: { env?: Record<string, string>; stdin?: string } = {},
  ): Promise<Said & { exit: number | null }> {
    const ended = await this.run([...argv, '--json'], more);
    return { ...said(ended), exit: ended.code };
  }

  shell(line: string): Promise<Ended> {
    return shell(line, { env: this.env });
  }

  /** Starts a command and leaves it to the test. */
  start(
    argv: readonly string[],
    stdin: 'ignore' | 'pipe' = 'ignore',
  ): { child: ChildProcess; ended: Promise<Ended> } {
    const child = spawn(process.execPath, [botctlPath, ...this.#withLimits(argv)], {
      env: this.env,
      stdio: [stdin, 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, stdout, stderr }));
    return { child, ended };
  }

  #withLimits(argv: readonly string[]): string[] {
    if (!/^(send|transfer|resume)$/u.test(argv[0] ?? '') || argv.includes('--retries')) return [...argv];
    return [...argv, '--retries', '0', '--max-wait', '20s'];
  }

  /** Waits until the service has done something `count` times in all, whether its reply has come or not. */
  async effects(count: number): Promise<void> {
    for (let look = 0; look < 400; look += 1) {
      if ((await this.sandbox.ledger()).length >= count) return;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    throw new Error(`the service did not do ${count} things`);
  }

  async close(): Promise<void> {
    await this.sandbox.close();
    this.home.remove();
  }
}

export const sendHello = ['send', '--conversation', 'conv_demo', '--content', 'Hello'] as const;
export const payAda = [
  'transfer',
  '--to',
  '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  '--asset',
  'SOL',
  '--amount',
  '0.5',
] as const;

import { join } from 'node:path';
import type { Clock } from '../../src/machine/process.ts';
import { botctl, type Ran, type Start, type Started, shell, started } from './botctl.ts';
import { botctlHere } from './builtHere.ts';
import { type Gate, startGate } from './gate.ts';
import { Home } from './home.ts';
import { startTestSandbox, type TestSandbox } from './sandbox.ts';

export type Said = {
  schema: string;
  command: string;
  outcome?: string;
  replayed?: boolean;
  duplicate?: boolean;
  entry?: {
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
  error?: {
    code: string;
    message: string;
    hint?: string;
    next?: string[];
    free_at?: string;
    status?: number;
    retry: string;
  };
};

export type Exited = Said & { exit: number | null };

type More = { env?: Record<string, string>; stdin?: string };

/** The one JSON object that a command printed. */
export function said({ stdout }: Pick<Ran, 'stdout'>): Said {
  const lines = stdout.trimEnd().split('\n');
  if (lines.length !== 1 || lines[0] === undefined) throw new Error(`not one line: ${stdout}`);
  return JSON.parse(lines[0]) as Said;
}

/** An operator's surroundings: a home, the built program, and a real service. */
export class SandboxHome {
  readonly home = new Home();
  readonly sandbox: TestSandbox;
  readonly env: Record<string, string>;

  readonly #clock: { clock?: Clock };
  #gate: Gate | undefined;

  private constructor(sandbox: TestSandbox, clock?: Clock) {
    this.sandbox = sandbox;
    this.#clock = clock === undefined ? {} : { clock };
    this.env = { ...this.home.env, BOTCTL_TOKEN: sandbox.tokens.full, BOTCTL_BASE_URL: sandbox.baseUrl };
  }

  static async open(clock?: Clock): Promise<SandboxHome> {
    return new SandboxHome(await startTestSandbox(), clock);
  }

  /** Opens one whose profile `payer` has a node and is in use. */
  static async openWithNode(clock?: Clock): Promise<SandboxHome> {
    const operator = await SandboxHome.open(clock);
    const { node, tokens } = operator.sandbox;
    Object.assign(operator.env, { PAYER: tokens.full, NODE: node.rpcUrl });
    operator.useProfiles({ payer: operator.chainProfile() }, 'payer');
    return operator;
  }

  get journal(): string {
    return join(this.home.path, 'data', 'botctl', 'journal.db');
  }

  /** A profile of the service and its node. It reads its token from PAYER and the node's URL from NODE. */
  chainProfile(baseUrl: string = this.sandbox.baseUrl): Record<string, unknown> {
    const { genesisHash: cluster, assets, wallet } = this.sandbox.node;
    return {
      'base-url': baseUrl,
      token: { kind: 'env', variable: 'PAYER' },
      'rpc-url': { kind: 'env', variable: 'NODE' },
      ...{ cluster, assets, wallet },
    };
  }

  /**
   * Writes these profiles. Each is at the sandbox, with its full token, unless it says otherwise. Takes the bot out of
   * the environment.
   */
  useProfiles(profiles: Record<string, object>, inUse?: string): void {
    const token = { kind: 'stored', secret: this.sandbox.tokens.full };
    const whole = Object.entries(profiles).map(([name, more]) => {
      return [name, { 'base-url': this.sandbox.baseUrl, token, ...more }];
    });
    this.home.writeConfig({ version: 1, 'in-use': inUse, profiles: Object.fromEntries(whole) });
    for (const name of ['BOTCTL_TOKEN', 'BOTCTL_BASE_URL']) Reflect.deleteProperty(this.env, name);
  }

  /** Runs a command to its end, in this process. By default it tries once and never waits. */
  run(argv: readonly string[], more: More = {}): Promise<Ran> {
    return botctlHere(this.#withLimits(argv), { ...this.#started(more), ...this.#clock });
  }

  /** The same in a separate process. */
  apart(argv: readonly string[], more: More = {}): Promise<Ran> {
    return botctl(this.#withLimits(argv), this.#started(more));
  }

  async json(argv: readonly string[], more: More = {}): Promise<Exited> {
    const ended = await this.run([...argv, '--json'], more);
    return { ...said(ended), exit: ended.code };
  }

  async jsonApart(argv: readonly string[], more: More = {}): Promise<Exited> {
    const ended = await this.apart([...argv, '--json'], more);
    return { ...said(ended), exit: ended.code };
  }

  shell(line: string): Promise<Ran> {
    return shell(line, { env: this.env });
  }

  /** Starts a command; the test controls the process. */
  start(argv: readonly string[], stdin: 'ignore' | 'pipe' = 'ignore'): Started {
    return started(this.#withLimits(argv), this.env, stdin);
  }

  #started({ env = {}, ...rest }: More): Start {
    return { env: { ...this.env, ...env }, ...rest };
  }

  #withLimits(argv: readonly string[]): string[] {
    if (!/^(send|transfer|resume|approve)$/u.test(argv[0] ?? '') || argv.includes('--max-wait'))
      return [...argv];
    return [...argv, '--max-wait', '0s'];
  }

  /** Puts a gate in front of the service that can hold a request or a reply. */
  async gate(): Promise<Gate> {
    this.#gate = await startGate(this.sandbox.baseUrl);
    this.env.BOTCTL_BASE_URL = this.#gate.baseUrl;
    return this.#gate;
  }

  /** Waits until the service has done `count` things in all, whether or not their replies have arrived. */
  async effects(count: number): Promise<void> {
    for (let look = 0; look < 4000; look += 1) {
      if ((await this.sandbox.ledger()).length >= count) return;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    throw new Error(`the service did not do ${count} things`);
  }

  async close(): Promise<void> {
    await this.#gate?.close();
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

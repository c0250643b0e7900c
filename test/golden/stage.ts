import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ended } from '../support/botctl.ts';
import { freePort } from '../support/postgres/freePort.ts';
import { type PostgresServer, sharedServer } from '../support/postgres/server.ts';
import { programInShell } from '../support/program.ts';
import { root } from '../support/root.ts';
import { type SandboxProcess, startSandboxProcess } from '../support/sandboxProcess.ts';
import { type Answer, type Run, runAtTerminal, runBotctl, skipping } from './run.ts';
import {
  isWhole,
  type Played,
  parseScript,
  printDump,
  printScript,
  type Result,
  type Scenario,
  type Store,
  stores,
  storesOf,
} from './script.ts';
import { Steady } from './steady.ts';
import { folded, startTrace, stopTrace } from './trace.ts';
import { simpleLine } from './words.ts';

/** What all scenarios share: a sandbox, a PostgreSQL, and an empty shared journal to be copied. */
export class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), 'botctl-golden-'));
  readonly #sandbox: SandboxProcess;
  readonly #port: number;
  #journals: Promise<Journals> | undefined;
  #homes = 0;

  private constructor(sandbox: SandboxProcess, port: number) {
    this.#sandbox = sandbox;
    this.#port = port;
  }

  static async open(): Promise<Stage> {
    const port = await freePort();
    return new Stage(await startSandboxProcess(['--ephemeral', '--port', `${port}`]), port);
  }

  get greeting(): SandboxProcess['greeting'] {
    return this.#sandbox.greeting;
  }

  /** Plays every scenario of that text, and gives back the text with what came of it. */
  async play(text: string): Promise<string> {
    const script = parseScript(text);
    return printScript(script, await this.#playAll(script.scenarios, false));
  }

  /** Plays it twice, and gives back all that was printed: by the journal, and by whether `--json` was added. */
  async dump(text: string): Promise<ReadonlyMap<string, string>> {
    const { scenarios } = parseScript(text);
    const faced = scenarios.filter((scenario) => !isWhole(scenario));
    const [asTyped, json] = [await this.#playAll(scenarios, true), await this.#playAll(faced, false)];
    return new Map(
      stores.flatMap((store) => [
        [store, printDump(scenarios, asTyped, store)],
        [`${store}.json`, printDump(faced, json, store)],
      ]),
    );
  }

  async #playAll(scenarios: readonly Scenario[], isAsTyped: boolean): Promise<Played[][]> {
    const played: Played[][] = [];
    for (const scenario of scenarios) {
      const all: Played[] = [];
      for (const store of storesOf(scenario))
        all.push({ store, results: await this.#playIn(scenario, store, isAsTyped) });
      played.push(all);
    }
    return played;
  }

  /** The scenarios that ended early, because something could not be prepared. */
  readonly broken: string[] = [];

  async #playIn(scenario: Scenario, store: Store, isAsTyped: boolean): Promise<readonly Result[]> {
    this.#homes += 1;
    const home = join(this.folder, `home-${String(this.#homes).padStart(4, '0')}`);
    const world = await this.#worldOf(home, store);
    const scene = new Scene(this.greeting.base_url, home, world, isAsTyped || isWhole(scenario));
    try {
      await scene.control('POST', '/reset', {});
      for (const { kind, text } of scenario.lines) {
        if (kind === '%') await scene.prepare(text);
        if (kind === '$') await scene.run(text);
      }
    } catch (error) {
      this.broken.push(`${scenario.title} (${store}): ${error instanceof Error ? error.message : error}`);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
    return scene.results;
  }

  async #worldOf(home: string, store: Store): Promise<World> {
    const { base_url, tokens, wallet, rpc_url, genesis_hash, assets } = this.greeting;
    const env: Record<string, string> = {
      HOME: home,
      LANG: 'C.UTF-8',
      PATH: `${join(home, 'bin')}:${process.env.PATH}`,
      BOTCTL_TOKEN: tokens.full,
      BOTCTL_BASE_URL: base_url,
    };
    const file = join(home, '.local/share/botctl/journal.db');
    const names = { home, service: `127.0.0.1:${this.#port}`, port: `${this.#port}`, token: tokens.full };
    const more = {
      'token without the send permission': tokens.no_send,
      'token without the wallet scope': tokens.no_wallet,
      wallet: wallet.address,
      genesis: genesis_hash,
      mint: assets.USDC ?? '',
    };
    const wallets = {
      ROOT: root,
      SERVICE: base_url,
      ADA: ada,
      BOB: bob,
      WALLET: wallet.address,
      RPC: rpc_url,
      GENESIS: genesis_hash,
      MINT: assets.USDC ?? '',
    };
    const others = { NO_SEND: tokens.no_send, NO_WALLET: tokens.no_wallet };
    if (store === 'file')
      return { env: { ...env, ...wallets, ...others }, names: { journal: file, ...names, ...more } };
    this.#journals ??= Journals.open(env);
    const journals = await this.#journals;
    const journal = await journals.next();
    const { host, pathname } = new URL(journal);
    const database = pathname.slice(1);
    const place = `postgres://postgres@${host}/${database}`;
    return {
      env: {
        ...env,
        ...wallets,
        ...others,
        BOTCTL_JOURNAL: journal,
        RUNNER_JOURNAL: asRunner(journal),
        NO_PASSWORD: asRunner(journal, ''),
      },
      names: { journal: place, ...names, ...more, server: host, database },
      server: journals.server,
      journal,
    };
  }

  async close(): Promise<void> {
    await this.#sandbox.end('SIGKILL');
    await (await this.#journals)?.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Empty shared journals, copies of one. */
class Journals {
  readonly server: PostgresServer;
  #made = 0;

  private constructor(server: PostgresServer) {
    this.server = server;
  }

  static async open(env: Readonly<Record<string, string>>): Promise<Journals> {
    const server = await sharedServer();
    await server.query('CREATE DATABASE first');
    const migrated = await ended('bash', ['-c', `exec ${programInShell} journal migrate`], {
      env: { ...env, HOME: tmpdir(), BOTCTL_JOURNAL: server.urlOf('first') },
    });
    if (migrated.code !== 0) throw new Error(migrated.stderr);
    return new Journals(server);
  }

  async next(): Promise<string> {
    this.#made += 1;
    const name = `bots${String(this.#made).padStart(4, '0')}`;
    await this.server.query(`CREATE DATABASE ${name} TEMPLATE first`);
    return this.server.urlOf(name);
  }
}

type World = {
  env: Record<string, string>;
  readonly names: Readonly<Record<string, string>>;
  readonly server?: PostgresServer;
  /** The shared journal, whatever a scenario makes of BOTCTL_JOURNAL. */
  readonly journal?: string;
};

/** The same journal, for a role that a scenario makes. */
function asRunner(journal: string, password = 'secret'): string {
  const url = new URL(journal);
  url.username = 'golden_runner';
  url.password = password;
  return url.href;
}

/** Addresses that some key controls. */
const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const bob = '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z';

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** One scenario in one variant. */
class Scene {
  readonly results: Result[] = [];
  readonly #baseUrl: string;
  readonly #home: string;
  readonly #isWhole: boolean;
  readonly #world: World;
  readonly #steady: Steady;
  #laterMs = 0;
  #isApart = false;
  #answers: Answer[] = [];
  #isInterrupted = false;
  #trace: 'in order' | 'as a set' | undefined;

  constructor(baseUrl: string, home: string, world: World, isWhole: boolean) {
    this.#baseUrl = baseUrl;
    this.#home = home;
    this.#isWhole = isWhole;
    this.#world = world;
    this.#steady = new Steady(world.names);
    mkdirSync(join(home, 'bin'), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, 'bin/botctl'), `#!/bin/sh\nexec ${programInShell} "$@"\n`, { mode: 0o700 });
  }

  /** What `% …` does. */
  async prepare(text: string): Promise<void> {
    const [verb = '', ...words] = this.#steady.meant(text).split(' ');
    const rest = words.join(' ');
    if (verb === 'only' || verb === 'whole') return;
    if (verb === 'apart') this.#isApart = true;
    else if (verb === 'answer') this.#answers.push({ typed: rest });
    else if (verb === 'meanwhile')
      this.#answers.push({ typed: this.#answers.pop()?.typed ?? '', meanwhile: rest });
    else if (verb === 'interrupt') this.#isInterrupted = true;
    else if (verb === 'trace') this.#trace = rest === '' ? 'in order' : 'as a set';
    else if (verb === 'keys') this.#steady.keepsKeys = true;
    else if (verb === 'env') this.#setEnv(rest);
    else if (verb === 'run') await this.#mustRun(rest);
    else if (verb === 'profile') await this.#addProfile(rest);
    else if (verb === 'file') this.#write(words[0] ?? '', words.slice(1).join(' '));
    else if (verb === 'fault') await this.#fault(rest);
    else if (verb === 'readings') await this.control('POST', '/readings', JSON.parse(rest));
    else if (verb === 'POST')
      await this.control('POST', words[0] ?? '', JSON.parse(words.slice(1).join(' ')));
    else if (verb === 'later') await this.#later(rest);
    else if (verb === 'sql') await this.#sql(rest);
    else if (verb === 'sh') await this.#sh(rest);
    else throw new Error(`% ${verb} is not known`);
  }

  async run(text: string): Promise<void> {
    const line = this.#steady.meant(text);
    const simple = simpleLine(line, this.#world.env);
    const result = simple === undefined ? await this.#inShell(line) : await this.#directly(simple);
    const steady = (shown: string): string => this.#steady.text(shown);
    const { exit, stdout, stderr, trace } = result;
    this.results.push({
      exit,
      stdout: steady(stdout),
      stderr: steady(stderr),
      ...(trace === undefined ? {} : { trace: this.#told(steady(trace)) }),
    });
  }

  #told(trace: string): string {
    const lines = trace.split('\n');
    const told = this.#trace === 'in order' ? folded(lines) : [...new Set(lines)].sort();
    return `${told.join('\n')}\n`;
  }

  async #directly({ env, argv, stdin }: NonNullable<ReturnType<typeof simpleLine>>): Promise<Result> {
    const text = stdin === undefined || 'text' in stdin ? stdin?.text : await this.#read(stdin.file);
    const run: Run = {
      env: { ...this.#world.env, ...env },
      cwd: this.#home,
      stdin: text ?? '',
      laterMs: this.#laterMs,
      isInterrupted: this.#isInterrupted,
    };
    this.#isInterrupted = false;
    if (this.#answers.length > 0) return runAtTerminal(this.#faced(argv), run, this.#answers.splice(0));
    if (this.#trace === undefined) return runBotctl(this.#faced(argv), run, this.#isApart);
    const { BOTCTL_BASE_URL = '', BOTCTL_JOURNAL } = this.#world.env;
    const events = startTrace({
      home: this.#home,
      servicePort: Number(new URL(BOTCTL_BASE_URL).port),
      ...(BOTCTL_JOURNAL === undefined ? {} : { serverPort: Number(new URL(BOTCTL_JOURNAL).port) }),
    });
    const result = await runBotctl(this.#faced(argv), run, false);
    stopTrace();
    return { ...result, trace: events.join('\n') };
  }

  #faced(argv: readonly string[]): readonly string[] {
    if (this.#isWhole || argv.includes('--json')) return argv;
    const end = argv.indexOf('--');
    return end < 0 ? [...argv, '--json'] : [...argv.slice(0, end), '--json', ...argv.slice(end)];
  }

  async #inShell(line: string): Promise<Result> {
    const env = { ...this.#world.env, ...skipping(this.#laterMs) };
    const { code, stdout, stderr } = await ended('bash', ['-c', line], { env, cwd: this.#home });
    return { exit: code ?? 'none', stdout, stderr };
  }

  async #mustRun(line: string): Promise<void> {
    const simple = simpleLine(line, this.#world.env);
    if (simple === undefined) throw new Error(`% run ${line}: this takes a shell`);
    const { exit, stdout, stderr } = await this.#directly(simple);
    if (exit !== 0) throw new Error(`% run ${line}: ${exit}: ${stdout}${stderr}`);
  }

  /** A profile for the service, in use from now on; its token stands in BOT_TOKEN. */
  async #addProfile(name: string): Promise<void> {
    const { env } = this.#world;
    const { BOTCTL_TOKEN = '', BOTCTL_BASE_URL = '', ...rest } = env;
    this.#world.env = { ...rest, BOT_TOKEN: BOTCTL_TOKEN };
    await this.#mustRun(
      `botctl config add ${name} --base-url ${BOTCTL_BASE_URL} --token-env BOT_TOKEN --use`,
    );
  }

  async #sh(line: string): Promise<void> {
    const { exit, stderr } = await this.#inShell(`set -e; ${line}`);
    if (exit !== 0) throw new Error(`% sh ${line}: ${exit}: ${stderr}`);
  }

  async #read(name: string): Promise<string> {
    return (await this.#inShell(`cat '${name}'`)).stdout;
  }

  #setEnv(rest: string): void {
    const { env } = this.#world;
    const [name = '', ...value] = rest.split('=');
    if (value.length === 0) delete env[name];
    else env[name] = value.join('=').replace(/\$(\w+)/gu, (_, other) => env[other] ?? '');
  }

  #write(name: string, text: string): void {
    const { env } = this.#world;
    const path = join(this.#home, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const filled = text.replaceAll('\\n', '\n').replace(/\$([A-Z]\w*)/gu, (_, known) => env[known] ?? '');
    writeFileSync(path, filled);
    chmodSync(path, 0o600);
  }

  async #fault(rest: string): Promise<void> {
    const [, kind = '', when, json = '{}'] = /^(\S+)(?: (before|after|unread))? ?(\{.*)?$/su.exec(rest) ?? [];
    const status = kind === 'reply' ? { status: 200 } : {};
    const fault = { kind, ...status, ...(when === undefined ? {} : { when }), ...JSON.parse(json) };
    await this.control('POST', '/faults', { faults: [fault] });
  }

  /** For botctl's own clock, and for the server's. */
  async #later(rest: string): Promise<void> {
    const [, count = '', unit = ''] = /^(-?\d+)([smhd])$/u.exec(rest) ?? [];
    this.#laterMs += Number(count) * (unitMs[unit] ?? Number.NaN);
    if (this.#world.server === undefined) return;
    await this.#sql(`CREATE SCHEMA IF NOT EXISTS pretended`);
    await this.#sql(`CREATE OR REPLACE FUNCTION pretended.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT pg_catalog.clock_timestamp() + interval ''${this.#laterMs} ms'''`);
    await this.#sql(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = pretended, "$user", public, pg_catalog',
      current_database()); END $$`);
  }

  async #sql(statement: string): Promise<void> {
    const { server, journal } = this.#world;
    if (server !== undefined) await server.query(statement, [], journal);
    else
      await this.#sh(`node -e '
      const { DatabaseSync } = require("@photostructure/sqlite");
      new DatabaseSync(process.env.HOME + "/.local/share/botctl/journal.db").exec(process.argv[1]);' "${statement}"`);
  }

  async control(method: string, path: string, body: unknown): Promise<void> {
    const response = await fetch(`${this.#baseUrl}/control${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  }
}

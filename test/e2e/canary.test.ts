import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandSpec } from '../../src/cli/parse/command.ts';
import { commandTree } from '../../src/commands.ts';
import { botctl, ended, fewAtATime, type Ran, type Start } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { Home } from '../support/home.ts';
import { type PostgresServer, sharedServer } from '../support/postgres/server.ts';
import { type SandboxProcess, startSandboxProcess } from '../support/sandboxProcess.ts';
import { type Drive, drives, theToken } from './canaryDrives.ts';
import { withLastId } from './lastId.mjs';

const manyRuns = fileURLToPath(new URL('./inOneProcess.mjs', import.meta.url));

let sandbox: SandboxProcess;
/** A token that a service takes, so that commands also succeed with it. */
let token: string;
/** A server on which whoever owns the journals has the canary for a password. */
let server: PostgresServer;
beforeAll(async () => {
  [sandbox, server] = await Promise.all([startSandboxProcess(['--ephemeral']), sharedServer()]);
  token = sandbox.greeting.tokens.full;
  await server.query(`CREATE ROLE canary LOGIN PASSWORD '${journalPassword}'`);
  await server.query('CREATE DATABASE canary OWNER canary');
});
afterAll(() => sandbox.end('SIGTERM'));

/** That of a shared journal. */
const journalPassword = `journal-${randomBytes(16).toString('hex')}`;

/** The random part of the token but its last four characters: as text, and as dumps and headers have it. */
function shapesOf(whole: string): string[] {
  const hidden = whole.slice(-20, -4);
  const hex = Buffer.from(hidden).toString('hex');
  const base64 = [0, 1, 2].map((shift) => Buffer.from(whole.slice(-20 - shift, -4)).toString('base64'));
  return [
    hidden,
    hex,
    (hex.match(/../gu) ?? []).join(' '),
    [...Buffer.from(hidden)].join(','),
    ...base64.map((text) => text.slice(4, 20)),
  ];
}

function leaves(tree: readonly CommandSpec[], path: readonly string[] = []): string[] {
  return tree.flatMap((spec) =>
    'children' in spec ? leaves(spec.children, [...path, spec.name]) : [[...path, spec.name].join(' ')],
  );
}

/** A home in which every source of a token holds the canary. */
function plant(): Home {
  const home = new Home();
  const tokenFile = join(home.path, 'planted-token');
  writeFileSync(tokenFile, `${token}\n`);
  const profile = (source: Record<string, string>, baseUrl = sandbox.greeting.base_url) => ({
    'base-url': baseUrl,
    token: source,
    'max-wait': '0s',
  });
  home.writeConfig({
    version: 1,
    'in-use': 'stored',
    profiles: {
      stored: profile({ kind: 'stored', secret: token }),
      variable: profile({ kind: 'env', variable: 'BOT_TOKEN' }),
      file: profile({ kind: 'file', path: tokenFile }),
      command: profile({ kind: 'command', command: `cat '${tokenFile}'` }),
      lost: profile({ kind: 'stored', secret: token }, 'https://127.0.0.1:9'),
    },
  });
  writeFileSync(join(home.path, '.pgpass'), `*:*:*:*:${journalPassword}\n`, { mode: 0o600 });
  mkdirSync(join(home.path, 'tmp'));
  mkdirSync(join(home.path, 'cwd'), { mode: 0o700 });
  const policy = { schema: 'botctl-policy/1', limits: { SOL: { day: '20' } } };
  writeFileSync(join(home.path, 'cwd', 'policy.json'), JSON.stringify(policy), { mode: 0o600 });
  return home;
}

/** Every file that was written, but the profiles' own and the planted ones. */
function filesWritten(home: Home): string[] {
  return readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path !== home.configFile && !/(?:planted-token|\.pgpass)$/u.test(path));
}

type Planted = {
  readonly label: string;
  /** Left out where it is not asked how it ends. */
  readonly code: number | undefined;
  readonly home: Home;
  readonly runs: readonly { argv: readonly string[]; env: Start['env']; cwd: string; stdin: string }[];
};

let schemas = 0;

function newSharedJournal(): string {
  schemas += 1;
  return `postgres://canary:${journalPassword}@127.0.0.1:${server.port}/canary?schema=canary_${schemas}`;
}

/** What is run, and where: the command after what comes before it, with the token in every place. */
function planted(
  command: string,
  driven: Drive,
  mode: readonly string[],
  journal: Start['env'] = driven.shared === true ? { BOTCTL_JOURNAL: newSharedJournal() } : {},
): Planted {
  const home = plant();
  const run = (words: readonly string[], stdin = '') => ({
    argv: [...words, ...mode, '--verbose'],
    env: {
      ...home.env,
      TMPDIR: join(home.path, 'tmp'),
      BOT_TOKEN: token,
      BOTCTL_TOKEN: token,
      ...(words.includes('lost') ? {} : { BOTCTL_BASE_URL: sandbox.greeting.base_url }),
      ...journal,
    },
    stdin: stdin.replaceAll(theToken, token),
    cwd: join(home.path, 'cwd'),
  });
  const before = (driven.before ?? []).map((words) => run(words, driven.stdin));
  return {
    label: `${command} ${[...driven.line, ...mode].join(' ')}`,
    code: driven.code,
    home,
    runs: [...before, run([...command.split(' '), ...driven.line], driven.stdin)],
  };
}

/** It ended as it should, and nothing that was printed or written has the token or the journal's password. */
function check({ label, code, home }: Planted, ended: readonly Ran[]): void {
  const ran = ended.at(-1);
  const ending = `${label}\n${ran?.stdout}\n${ran?.stderr.slice(-800)}`;
  if (code !== undefined) expect(ran?.code, ending).toBe(code);
  const files = filesWritten(home).map((path) => `${path}\n${readFileSync(path, 'latin1')}`);
  const texts = [...ended.flatMap(({ stdout, stderr }) => [stdout, stderr]), ...files];
  const shown = [token, journalPassword].flatMap(shapesOf).flatMap((shape) => {
    const text = texts.find((one) => one.includes(shape));
    return text === undefined ? [] : [`${shape} in: ${text.slice(0, 2000)}`];
  });
  expect(shown, label).toEqual([]);
}

async function drive(one: Planted, run: (argv: readonly string[], start: Start) => Promise<Ran>) {
  try {
    const ended: Ran[] = [];
    for (const { argv, ...start } of one.runs)
      ended.push(await run(withLastId(argv, start.env ?? {}), start));
    check(one, ended);
  } finally {
    one.home.remove();
  }
}

const nodeDebug: { NODE_DEBUG: string } = { NODE_DEBUG: '*' };

/** With all that Node can be made to say of what it does. */
function debugged(argv: readonly string[], { env, ...start }: Start): Promise<Ran> {
  return botctl(argv, { ...start, env: { ...env, ...nodeDebug } });
}

/** All runs of all of them in one process, which Node comments on as it is told when it starts. */
async function driveInOne(all: readonly Planted[]): Promise<void> {
  const jobs = join(mkdtempSync(join(tmpdir(), 'botctl-canary-')), 'jobs.json');
  writeFileSync(jobs, JSON.stringify(all.flatMap(({ runs }) => runs)));
  try {
    const one = await ended(process.execPath, [manyRuns, jobs], {
      env: { PATH: process.env.PATH, ...nodeDebug },
    });
    expect(one.code, one.stderr.slice(-800)).toBe(0);
    const stdouts = one.stdout.split(/\n<ended (\d+)>\n/u);
    const stderrs = one.stderr.split('\n<ended>\n');
    let nth = 0;
    for (const each of all) {
      const outcomes = each.runs.map(() => {
        const [stdout = '', code] = stdouts.slice(2 * nth);
        nth += 1;
        return { code: Number(code), signal: null, stdout, stderr: stderrs[nth - 1] ?? '' };
      });
      check(each, outcomes);
    }
    expect(stderrs).toHaveLength(nth + 1);
  } finally {
    rmSync(dirname(jobs), { recursive: true });
    for (const { home } of all) home.remove();
  }
}

/** How a journal's URL and its password are given. */
type Way = { readonly words: readonly string[]; readonly env: Start['env'] };

const modes: readonly { readonly mode: readonly string[] }[] = [
  { mode: [] },
  { mode: ['--json'] },
  { mode: ['--quiet'] },
];
/** Each drive has another mode in each of three tests. */
const modeOf = (nth: number): readonly string[] => modes[nth % modes.length]?.mode ?? [];

const everywhere: readonly Drive[] = [
  { line: ['--nope'], code: 2 },
  { line: ['--help'], code: 0 },
];
const served = { command: 'sandbox', line: drives.sandbox?.[0] as Drive };

/** Each line of each command but the one that serves until it is told to stop. */
const driven = leaves(commandTree).flatMap((command) =>
  (drives[command] ?? []).filter(({ serves }) => serves !== true).map((line) => ({ command, line })),
);
/** What all commands take or refuse alike: each in one mode. */
const alike = leaves(commandTree).flatMap((command) => everywhere.map((line) => ({ command, line })));

describe('the token is seen nowhere', () => {
  test('every command is driven, and no other', () => {
    expect(Object.keys(drives).sort()).toEqual(leaves(commandTree).sort());
    for (const lines of Object.values(drives)) {
      expect(lines.some(({ code }) => code === 0)).toBe(true);
      expect(lines.some(({ code }) => code !== 0)).toBe(true);
    }
  });

  test('with --verbose, each in one of the output modes', { timeout: 120_000 }, async () => {
    for (const [nth, { command, line }] of [...driven, ...alike].entries())
      await drive(planted(command, line, modeOf(nth)), botctlHere);
  });

  test('with NODE_DEBUG=* too, whatever is run in one process', { timeout: 120_000 }, async () => {
    await driveInOne(
      [...driven, ...alike].map(({ command, line }, nth) => planted(command, line, modeOf(nth + 1))),
    );
  });

  test('with NODE_DEBUG=* too, from wherever the token comes', { timeout: 120_000 }, async () => {
    const sends = (drives.send ?? []).filter(({ code }) => code === 0);
    await fewAtATime(sends, (line) => drive(planted('send', line, []), debugged), 2);
  });

  test('nor is the password of a shared journal, from wherever it comes', { timeout: 120_000 }, async () => {
    const nowhere = '127.0.0.1:9/ledger';
    const withPassword = `postgres://bots:${journalPassword}@${nowhere}`;
    const ways: readonly Way[] = [
      { words: [], env: { BOTCTL_JOURNAL: withPassword } },
      { words: [], env: { BOTCTL_JOURNAL: withPassword.replace('@', '@@') } },
      { words: [], env: { BOTCTL_JOURNAL: `postgres://${nowhere}`, PGPASSWORD: journalPassword } },
      // A file's password is read only when a server asks for one.
      { words: ['--journal', `postgres://canary@127.0.0.1:${server.port}/canary`], env: {} },
    ];
    const refused: Way = { words: ['--journal', withPassword], env: {} };
    for (const [nth, { command, line }] of driven.entries()) {
      for (const { words, env } of [ways[nth % ways.length] ?? refused, refused]) {
        const mode = [...words, ...modeOf(nth + 2)];
        await drive({ ...planted(command, line, mode, env), code: undefined }, botctlHere);
      }
    }
  });

  test.each(modes)('with NODE_DEBUG=* too, while the sandbox serves: $mode', async ({ mode }) => {
    await drive(planted(served.command, served.line, mode), (argv, start) =>
      debugged(argv, { ...start, interruptAtOutput: true }),
    );
  });
});

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandSpec } from '../../src/cli/spec.ts';
import { commandTree } from '../../src/commands/tree.ts';
import { botctl, fewAtATime } from '../helpers/botctl.ts';
import { Home } from '../helpers/home.ts';
import { type SandboxProcess, startSandboxProcess } from '../helpers/sandboxProcess.ts';
import { type Drive, drives, theToken } from './canaryDrives.ts';

let sandbox: SandboxProcess;
/** A token that a service takes, so that commands also succeed with it. */
let token: string;
beforeAll(async () => {
  sandbox = await startSandboxProcess(['--ephemeral']);
  token = sandbox.greeting.tokens.full;
});
afterAll(() => sandbox.end('SIGTERM'));

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
    retries: '0',
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
  mkdirSync(join(home.path, 'tmp'));
  mkdirSync(join(home.path, 'cwd'));
  return home;
}

/** Every file that was written, but the profiles' own and the planted one. */
function filesWritten(home: Home): string[] {
  return readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path !== home.configFile && !path.endsWith('planted-token'));
}

async function drive(command: string, driven: Drive, mode: readonly string[]): Promise<void> {
  const home = plant();
  const run = (words: readonly string[], { stdin = '', serves }: Partial<Drive>) =>
    botctl([...words, ...mode, '--verbose'], {
      env: {
        ...home.env,
        TMPDIR: join(home.path, 'tmp'),
        NODE_DEBUG: '*',
        BOT_TOKEN: token,
        BOTCTL_TOKEN: token,
        ...(words.includes('lost') ? {} : { BOTCTL_BASE_URL: sandbox.greeting.base_url }),
      },
      stdin: stdin.replaceAll(theToken, token),
      cwd: join(home.path, 'cwd'),
      interruptAtOutput: serves === true,
    });
  try {
    const before = [];
    for (const words of driven.before ?? []) before.push(await run(words, {}));
    const ran = await run([...command.split(' '), ...driven.line], driven);
    const label = `${command} ${[...driven.line, ...mode].join(' ')}`;
    expect(ran.code, `${label}\n${ran.stdout}\n${ran.stderr.slice(-800)}`).toBe(driven.code);
    const files = filesWritten(home).map((path) => `${path}\n${readFileSync(path, 'latin1')}`);
    for (const text of [...[...before, ran].flatMap(({ stdout, stderr }) => [stdout, stderr]), ...files]) {
      const shape = shapesOf(token).find((one) => text.includes(one));
      if (shape !== undefined)
        throw new Error(`${label} shows the token as ${shape} in: ${text.slice(0, 2000)}`);
    }
  } finally {
    home.remove();
  }
}

const modes = [[], ['--json'], ['--quiet']] as const;

describe('the token is seen nowhere, with --verbose and NODE_DEBUG=* too', () => {
  test('every command is driven, and no other', () => {
    expect(Object.keys(drives).sort()).toEqual(leaves(commandTree).sort());
  });

  for (const command of leaves(commandTree)) {
    test(command, { timeout: 120_000 }, async () => {
      const lines = drives[command] ?? [];
      expect(lines.some(({ code }) => code === 0)).toBe(true);
      expect(lines.some(({ code }) => code !== 0)).toBe(true);
      const all: Drive[] = [...lines, { line: ['--nope'], code: 2 }, { line: ['--help'], code: 0 }];
      await fewAtATime(
        all.flatMap((one) => modes.map((mode) => ({ one, mode }))),
        ({ one, mode }) => drive(command, one, mode),
      );
    });
  }
});

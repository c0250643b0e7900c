import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandSpec } from '../../src/cli/spec.ts';
import { commandTree } from '../../src/commands/tree.ts';
import { botctl, fewAtATime } from '../helpers/botctl.ts';
import { type EchoingService, startEchoingService } from '../helpers/echoingService.ts';
import { Home } from '../helpers/home.ts';
import { type Drive, drives, tokenOnStdin, unreachable } from './canaryDrives.ts';

// Long enough that its last four characters, which may be shown, hold nothing of the canary.
const token = 'cnry7Qx9-never-to-be-seen-anywhere-ZZZZ';
const hidden = token.slice(0, 12);

/** The canary as text, and as what a dump or a header would make of it. */
const shapes = [
  hidden,
  Buffer.from(hidden).toString('hex'),
  (Buffer.from(hidden).toString('hex').match(/../gu) ?? []).join(' '),
  Buffer.from(hidden).toString('base64'),
  Buffer.from(`Bot ${hidden}`).toString('base64').slice(0, 16),
  [...Buffer.from(hidden)].join(','),
  [...hidden].reverse().join(''),
];

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
  const profile = (source: Record<string, string>) => ({
    'base-url': unreachable,
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

async function drive(command: string, { line, stdin, code }: Drive, mode: readonly string[]): Promise<void> {
  const home = plant();
  const words = [...command.split(' '), ...line, ...mode, '--verbose'];
  const label = words.join(' ');
  try {
    const ran = await botctl(words, {
      env: {
        ...home.env,
        TMPDIR: join(home.path, 'tmp'),
        NODE_DEBUG: '*',
        BOT_TOKEN: token,
        BOTCTL_TOKEN: token,
        BOTCTL_BASE_URL: service.baseUrl,
      },
      stdin: (stdin ?? '').replaceAll(tokenOnStdin.trim(), token),
      cwd: join(home.path, 'cwd'),
    });
    expect(ran.code, `${label}\n${ran.stderr.slice(-500)}`).toBe(code);
    const written = filesWritten(home).map((path) => `${path}\n${readFileSync(path, 'latin1')}`);
    for (const text of [ran.stdout, ran.stderr, ...written]) {
      for (const shape of shapes) {
        if (text.includes(shape)) {
          throw new Error(`${label} shows the token as ${shape} in: ${text.slice(0, 2000)}`);
        }
      }
    }
  } finally {
    home.remove();
  }
}

let service: EchoingService;
beforeAll(async () => {
  service = await startEchoingService();
});
afterAll(() => service.close());

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

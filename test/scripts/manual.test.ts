import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { quoted, roff } from '../../scripts/roff.ts';
import { globalOptions } from '../../src/cli/parse/args.ts';
import type { CommandSpec, LeafSpec } from '../../src/cli/parse/command.ts';
import { commandTree } from '../../src/commands.ts';
import { exitTable } from '../../src/once/failures.ts';
import { hasTool } from '../support/tools.ts';

const path = resolve(import.meta.dirname, '../../dist/man/botctl.1');
const page = readFileSync(path, 'utf8');

function leaves(spec: CommandSpec, before = ''): { command: string; spec: LeafSpec }[] {
  const command = `${before} ${spec.name}`.trim();
  return 'children' in spec ? spec.children.flatMap((child) => leaves(child, command)) : [{ command, spec }];
}

describe('the man page', () => {
  test('has every command, option and exit code', () => {
    for (const { command, spec } of commandTree.flatMap((one) => leaves(one))) {
      expect(page).toContain(`.SS "botctl ${roff(command)}"`);
      for (const { flags } of [...(spec.options ?? []), ...globalOptions])
        for (const name of flags.match(/(?<=^|\s)--?[a-z][a-z-]*/gu) ?? [])
          expect(page).toContain(roff(name));
    }
    for (const { exit } of exitTable) expect(page).toMatch(new RegExp(`^ +${exit}  `, 'mu'));
  });

  test('says of which day it is', () => {
    expect(page).toMatch(/^\.TH BOTCTL 1 20\d\d-\d\d-\d\d "botctl /u);
  });

  test.skipIf(!hasTool('mandoc'))('is sound for mandoc', () => {
    const { stdout } = spawnSync('mandoc', ['-Tlint', path], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });

  test.skipIf(!hasTool('man'))('reads well with man', () => {
    const env = { ...process.env, MANWIDTH: '80', MANPAGER: 'cat', LC_ALL: 'C.UTF-8' };
    const shown = spawnSync('man', ['--warnings', '-l', path], { encoding: 'utf8', env });
    expect(shown.stderr).toBe('');
    expect(shown.stdout).toContain('botctl - send each bot message and each wallet transfer once');
  });
});

test('text cannot be taken for a request', () => {
  expect(roff('.SH x')).toBe('\\&.SH x');
  expect(roff("'tis")).toBe("\\&'tis");
  expect(roff('a \\fB --b')).toBe('a \\efB \\-\\-b');
  expect(quoted('say "x"')).toBe('"say \\(dqx\\(dq"');
});

describe('the package', () => {
  const root = resolve(import.meta.dirname, '../..');
  const { man } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as { man: string };

  test('brings the man page and the licence of every library in the bundle', () => {
    const words = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const output = execFileSync('npm', words, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(output).toContain(`"${man}"`);
    expect(output).toContain('"dist/THIRD-PARTY-NOTICES.txt"');
    const notices = readFileSync(resolve(root, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of ['commander', 'undici', 'zod', 'chalk', 'conf', 'ora', 'jsonc-parser', '@scure/base'])
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'mu'));
    expect(notices.match(/Permission is hereby granted/gu)?.length).toBeGreaterThan(20);
  });
});

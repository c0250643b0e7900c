import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { botctl, ended } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { Home } from '../support/home.ts';

const setMany = resolve(import.meta.dirname, './setMany.mjs');
const secret = 'canary-token-0123456789-abcdefgh';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

function profilesNamed(names: readonly string[]) {
  const profile = { 'base-url': 'https://x.example.com', token: { kind: 'stored', secret } };
  return { version: 1, profiles: Object.fromEntries(names.map((name) => [name, profile])) };
}

describe('many writers at once', () => {
  test('forty settings from four processes: nothing is lost', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `bot-${index}`);
    home.writeConfig(profilesNamed(names));
    const keys = ['timeout', 'max-wait'];
    const settingOf = (index: number) => `${index + 1}m`;
    const lines = names.flatMap((name, index) =>
      keys.map((key) => `config set ${name} ${key} ${settingOf(index)}`),
    );
    const shares = Array.from({ length: 4 }, (_, worker) =>
      lines.filter((_line, index) => index % 4 === worker),
    );
    const runs = await Promise.all(
      shares.map((share) => ended(process.execPath, [setMany, share.join('\n')], { env: home.env })),
    );
    for (const { code, stderr } of runs) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { profiles } = home.readConfig() as { profiles: Record<string, Record<string, unknown>> };
    const expected = Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          'base-url': 'https://x.example.com',
          token: { kind: 'stored', secret },
          ...Object.fromEntries(keys.map((key) => [key, settingOf(index)])),
        },
      ]),
    );
    expect(profiles).toEqual(expected);
    expect(statSync(home.configFile).mode & 0o777).toBe(0o600);
    expect(readdirSync(home.configFolder).sort()).toEqual(['config.json', 'config.lock']);
  });

  test('killed at any moment, the file is whole and the next writer is not kept waiting', async () => {
    home.writeConfig(profilesNamed(['prod']));
    const share = Array.from({ length: 400 }, (_, index) => `config set prod timeout ${index + 1}s`).join(
      '\n',
    );
    for (const afterMs of [150, 250]) {
      const child = spawn(process.execPath, [setMany, share], { env: home.env, stdio: 'ignore' });
      await sleep(afterMs);
      child.kill('SIGKILL');
      await new Promise((done) => child.once('close', done));
      expect(home.readConfig()).toMatchObject({ version: 1, profiles: { prod: { token: { secret } } } });
    }
    expect(await botctl(['config', 'set', 'prod', 'timeout', '5s'], { env: home.env })).toMatchObject({
      code: 0,
    });
  });
});

test.each(['__proto__', 'constructor', 'toString'])(
  '%s is no profile where none is called so',
  async (name) => {
    home.writeConfig(profilesNamed(['bot']));
    for (const words of [
      ['unset', name, 'timeout'],
      ['use', name],
      ['set', name, 'timeout', '3s'],
      ['remove', name],
    ]) {
      const { code, stderr } = await botctlHere(['config', ...words], { env: home.env });
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining(`There is no profile ${name}`),
      });
    }
    const { stderr } = await botctlHere(['doctor', '--profile', name], { env: home.env });
    expect(stderr).not.toContain('botctl itself failed');
  },
);

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeProfiles } from '../../../src/cli/bot/changeProfiles.ts';
import { type ProfilesFile, profilesPaths, readProfiles } from '../../../src/cli/bot/profiles.ts';
import type { Failure } from '../../../src/once/failures.ts';
import { failureOf, linesOf, wordsOf } from '../../support/failure.ts';
import { Home } from '../../support/home.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const secret = 'canary-token-of-alpha';
const alpha: ProfilesFile = {
  version: 1,
  'in-use': 'alpha',
  profiles: { alpha: { 'base-url': 'https://a.example.com', token: { kind: 'stored', secret } } },
};

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

function change(edit: (file: ProfilesFile) => ProfilesFile): Promise<ProfilesFile> {
  return changeProfiles(profilesPaths(home.env), edit);
}

/** What the failure tells the operator to type, typed. */
function mendWith(failure: Failure): void {
  const [command] = linesOf(failure);
  if (command === undefined) throw new Error(`no command in: ${wordsOf(failure)}`);
  execFileSync('sh', ['-c', command]);
}

describe('the profiles’ file', () => {
  test('that is not there is no profiles, and reading does not make it', () => {
    expect(readProfiles(profilesPaths(home.env)).profiles).toEqual({});
    expect(existsSync(home.configFolder)).toBe(false);
  });

  test('is 0600 in a 0700 folder, whatever the umask, and stays so', async () => {
    const umask = process.umask(0);
    try {
      await change(() => alpha);
      expect(modeOf(home.configFolder)).toBe(0o700);
      expect(modeOf(home.configFile)).toBe(0o600);
      await change((file) => ({ ...file, 'in-use': undefined }));
      expect(modeOf(home.configFile)).toBe(0o600);
    } finally {
      process.umask(umask);
    }
    for (const name of readdirSync(home.configFolder)) {
      expect(modeOf(join(home.configFolder, name))).toBe(0o600);
    }
  });
});

describe('a damaged file is refused and never emptied', () => {
  test.each([
    ['', 'is not JSON'],
    ['{', 'is not JSON'],
    [`{\n  "profiles": {"a": {"token": ${secret}}}}`, 'is not JSON'],
    [`{\n  "profiles": {\n    "${secret}": 1 1}}`, 'is not JSON'],
    ['[]', 'at its top'],
    ['null', 'at its top'],
    ['{"version":2,"profiles":{}}', 'at version'],
    ['{"version":1,"profiles":[]}', 'at profiles'],
    [
      `{"version":1,"profiles":{"a":{"base-url":1,"token":{"kind":"stored","secret":"${secret}"}}}}`,
      'at profiles.a.base-url',
    ],
    [
      `{"version":1,"profiles":{"a":{"base-url":"https://x","token":{"kind":"${secret}"}}}}`,
      'at profiles.a.token',
    ],
    [
      '{"version":1,"profiles":{"a":{"base-url":"https://x","token":{"kind":"stored","secret":5}}}}',
      'profiles.a.token.secret',
    ],
    [Buffer.from([0xff, 0xfe, 0x00]).toString('latin1'), 'is not JSON'],
  ])('%j', async (content, problem) => {
    home.writeConfig(content);
    for (const attempt of [() => readProfiles(profilesPaths(home.env)), () => change(() => alpha)]) {
      const failure = await failureOf(attempt);
      expect(failure.code).toBe('config-damaged');
      expect(failure.message).toContain(problem);
      expect(wordsOf(failure)).not.toContain('canary');
      expect(readFileSync(home.configFile, 'utf8')).toBe(content);
    }
    mendWith(await failureOf(() => readProfiles(profilesPaths(home.env))));
    expect((await change(() => alpha))['in-use']).toBe('alpha');
  });
});

describe('an unsafe file or folder is refused with the command that mends it', () => {
  const unsafe: [string, () => void][] = [
    ['file 0644', () => chmodSync(home.configFile, 0o644)],
    ['file 0620', () => chmodSync(home.configFile, 0o620)],
    ['folder 0755', () => chmodSync(home.configFolder, 0o755)],
    ['folder 0701', () => chmodSync(home.configFolder, 0o701)],
  ];

  test.each(unsafe)('%s', async (_name, markInvalid) => {
    await change(() => alpha);
    markInvalid();
    for (const attempt of [
      () => readProfiles(profilesPaths(home.env)),
      () => change((file) => ({ ...file, 'in-use': 'beta' })),
    ]) {
      const failure = await failureOf(attempt);
      expect(failure.code).toBe('config-unsafe');
    }
    mendWith(await failureOf(() => readProfiles(profilesPaths(home.env))));
    const file = readProfiles(profilesPaths(home.env));
    expect(file.profiles).toEqual(alpha.profiles);
  });

  test.each([
    ['a folder', () => mkdirSync(home.configFile, { mode: 0o700 })],
    ['a pipe', () => execFileSync('mkfifo', ['-m', '600', home.configFile])],
  ])('%s in its place is not read', async (_name, occupy) => {
    mkdirSync(home.configFolder, { mode: 0o700, recursive: true });
    occupy();
    for (const attempt of [() => readProfiles(profilesPaths(home.env)), () => change(() => alpha)])
      expect((await failureOf(attempt)).code).toBe('config-unsafe');
  });

  test('a link is followed, and what it leads to is changed', async () => {
    await change(() => alpha);
    const elsewhere = join(home.path, 'elsewhere.json');
    renameSync(home.configFile, elsewhere);
    symlinkSync(elsewhere, home.configFile);
    await change((file) => ({ ...file, 'in-use': undefined }));
    expect(readProfiles(profilesPaths(home.env))).toEqual({ version: 1, profiles: alpha.profiles });
    expect([modeOf(elsewhere), lstatSync(home.configFile).isSymbolicLink()]).toEqual([0o600, true]);
  });

  test.skipIf(process.getuid?.() !== 0)('owned by somebody else (needs root to set up)', async () => {
    await change(() => alpha);
    for (const path of [home.configFile, home.configFolder]) {
      chownSync(path, 12_345, 12_345);
      const failure = await failureOf(() => readProfiles(profilesPaths(home.env)));
      expect(failure.code).toBe('config-unsafe');
      expect(failure.message).toContain('uid 12345');
      mendWith(failure);
      expect(readProfiles(profilesPaths(home.env))).toEqual(alpha);
    }
  });
});

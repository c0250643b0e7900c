import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { Home } from '../support/home.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const send = ['send', '--conversation', 'c', '--content', 'x'];
const toNobody = ['--base-url', 'http://127.0.0.1:1', '--max-wait', '0s'];
const bot = { BOTCTL_TOKEN: 'a-token-of-the-bot' };
const addProfile = ['config', 'add', 'main', '--base-url', 'https://bots.test', '--token-env', 'TOKEN'];

/** A place that takes no changes, or undefined where this machine does not let us have one. */
function readOnlyPlace(): { path: string; remove(): void } | undefined {
  const path = join(home.path, 'read-only');
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', path], { stdio: 'ignore' });
    return { path, remove: () => execFileSync('umount', [path]) };
  } catch {
    return undefined;
  }
}

test('a read-only file system is called that wherever something is to be written', async ({ skip }) => {
  const place = readOnlyPlace();
  if (place === undefined) return skip('nothing can be mounted here');
  const below = join(place.path, 'x');
  const old = join(place.path, 'old');
  try {
    execFileSync('mount', ['-o', 'remount,rw', place.path]);
    mkdirSync(old, { mode: 0o700 });
    writeFileSync(join(old, 'sandbox.db'), '');
    execFileSync('mount', ['-o', 'remount,ro', place.path]);
    const drives: [readonly string[], Record<string, string>][] = [
      [[...send, ...toNobody], { ...bot, XDG_DATA_HOME: below }],
      [[...send, ...toNobody, '--journal', join(place.path, 'journal.db')], bot],
      [[...send, '--sandbox'], { XDG_DATA_HOME: below }],
      [['sandbox', '--data', below], {}],
      [['sandbox', '--data', old], {}],
      [addProfile, { XDG_CONFIG_HOME: below }],
      [['batch', 'send', '-', '--once', 'b', '--report', join(place.path, 'r.csv'), ...toNobody], bot],
    ];
    for (const [words, env] of drives) {
      const ran = await botctl(words, { env: { ...home.env, ...env } });
      expect(ran.code, words.join(' ')).toBe(1);
      expect(ran.stderr).toContain('the file system is read-only');
      expect(ran.stderr).not.toMatch(/EROFS|Free some space/u);
    }
  } finally {
    place.remove();
  }
});

/** A device of our own, like /dev/null; a named pipe where none can be made. */
function oddFile(path: string): void {
  try {
    execFileSync('mknod', [path, 'c', '1', '3'], { stdio: 'ignore' });
    chmodSync(path, 0o666);
  } catch {
    execFileSync('mkfifo', ['-m', '666', path]);
  }
}

const allowed = { ...bot, BOTCTL_BASE_URL: 'http://127.0.0.1:1' };

describe('what is not a regular file is refused, and left unchanged:', () => {
  test.each<[string, (path: string) => readonly string[], (path: string) => Record<string, string>]>([
    ['as the report', (path) => ['batch', 'send', '-', '--once', 'b', '--report', path], () => allowed],
    ['as the data folder', (path) => ['sandbox', '--data', path], () => ({})],
    ['as the folder of the data', () => [...send, '--sandbox'], (path) => ({ XDG_DATA_HOME: path })],
    ['as the folder of the profiles', () => addProfile, (path) => ({ XDG_CONFIG_HOME: path })],
  ])('%s', async (_what, wordsOf, envOf) => {
    const path = join(home.path, 'odd.csv');
    oddFile(path);
    const before = statSync(path);
    const ran = await botctlHere(wordsOf(path), { env: { ...home.env, ...envOf(path) } });
    expect(ran.code).toBeGreaterThan(0);
    expect(ran.stderr).toMatch(/is not a (folder|regular file)|is there, and is not a regular file/u);
    const { mode, ino, rdev, uid } = statSync(path);
    expect({ mode, ino, rdev, uid }).toEqual({
      mode: before.mode,
      ino: before.ino,
      rdev: before.rdev,
      uid: before.uid,
    });
  });

  test.each(['sandbox.db'])('as %s in the data folder, by a link too', async (name) => {
    const data = join(home.path, 'data-of-mine');
    mkdirSync(data, { mode: 0o755 });
    oddFile(join(home.path, 'odd'));
    symlinkSync(join(home.path, 'odd'), join(data, name));
    const before = statSync(join(data, name)).mode;
    const ran = await botctlHere(['sandbox', '--data', data], { env: home.env });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('is not a regular file, and was left unchanged');
    expect(statSync(join(data, name)).mode).toBe(before);
    expect(statSync(data).mode & 0o777).toBe(0o755);
  });

  test.each(['config.json', ''])('as the profiles (botctl/%s)', async (name) => {
    const folder = join(home.path, 'config');
    mkdirSync(name === '' ? folder : join(folder, 'botctl'), { recursive: true, mode: 0o700 });
    const path = join(folder, 'botctl', name);
    oddFile(path);
    const before = statSync(path).mode;
    const ran = await botctlHere(addProfile, { env: home.env });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('Nothing was changed');
    expect(statSync(path).mode).toBe(before);
  });
});

describe('a link beside a journal is refused, and nothing is written where it leads:', () => {
  const beside = ['.note', '.setup', '.owners', '-wal', '-shm', '-journal'];
  const journals = ['a new one', 'one that is there'] as const;
  test.each(journals.flatMap((journal) => beside.map((end) => [end, journal] as const)))(
    '%s of %s',
    async (end, of) => {
      const journal = join(home.path, 'journal.db');
      const words = [...send, ...toNobody, '--journal', journal];
      const env = { ...home.env, ...bot };
      if (of === 'one that is there') await botctlHere(words, { env });
      const theirs = join(home.path, 'theirs');
      mkdirSync(theirs);
      const target = end === '.owners' ? theirs : home.file('theirs/bashrc', '# mine\n');
      rmSync(`${journal}${end}`, { recursive: true, force: true });
      symlinkSync(target, `${journal}${end}`);
      const looks = of === 'a new one' ? [] : ['history', 'doctor', 'journal accept-loss --yes'];
      for (const line of [words, ...looks.map((look) => [...look.split(' '), '--journal', journal])]) {
        const ran = await botctlHere(line, { env });
        expect(`${ran.stdout}${ran.stderr}`).toContain(`${journal}${end} is a symbolic link`);
        expect(ran.code).toBe(line[0] === 'doctor' ? 1 : 2);
      }
      expect(readdirSync(theirs)).toEqual(end === '.owners' ? [] : ['bashrc']);
      if (end !== '.owners') expect(readFileSync(target, 'utf8')).toBe('# mine\n');
      expect(statSync(target).mode & 0o777).toBe(end === '.owners' ? 0o755 : 0o644);
    },
  );
});

describe('a data folder that was there before', () => {
  test('keeps its mode', async () => {
    const data = join(home.path, 'shared');
    mkdirSync(data);
    chmodSync(data, 0o777);
    const ran = await botctl(['sandbox', '--data', data], { env: home.env, interruptAtOutput: true });
    expect(ran.code).toBe(0);
    expect(statSync(data).mode & 0o777).toBe(0o777);
    expect(statSync(join(data, 'sandbox.db')).mode & 0o777).toBe(0o600);
  });

  test('and that has another program’s sandbox.db is left unchanged', async () => {
    const data = join(home.path, 'other');
    mkdirSync(data);
    const path = join(data, 'sandbox.db');
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE theirs (a)');
    database.close();
    chmodSync(path, 0o644);
    const ran = await botctl(['sandbox', '--data', data], { env: home.env });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('was made by another version of botctl, or by another program');
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });
});

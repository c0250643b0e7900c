import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sharedServer } from '../support/postgres/server.ts';
import { payAda, SandboxHome, sendHello } from '../support/sandboxHome.ts';

let operator: SandboxHome;
let own: string;
beforeEach(async () => {
  operator = await SandboxHome.open();
  own = join(operator.home.path, 'team.db');
});
afterEach(() => operator.close());

const url = 'postgres://bots@127.0.0.1:1/ledger';
const use = (...words: string[]) => operator.run(['config', 'journal', ...words]);

describe('the journal of a machine', () => {
  test('is used by every command that names no other', async () => {
    expect(await use(own)).toMatchObject({ code: 0, stdout: expect.stringContaining(own) });
    expect((await operator.run([...sendHello, '--once', 'a'])).code).toBe(0);
    expect([existsSync(own), existsSync(operator.journal)]).toEqual([true, false]);
    expect((await operator.json(['history'])).entry?.name).toBe('a');
    const other = { BOTCTL_JOURNAL: join(operator.home.path, 'other.db') };
    expect((await operator.run(['history'], { env: other })).stdout).toBe('');
    const named = ['history', '--journal', join(operator.home.path, 'third.db')];
    expect((await operator.run(named)).stdout).toBe('');
  });

  test('may be a server, named without its password, that has a journal', async () => {
    const whole = new URL(await (await sharedServer()).newDatabase());
    operator.env.PGPASSWORD = whole.password;
    whole.password = '';
    expect(await use(whole.href)).toMatchObject({ code: 1, stderr: expect.stringContaining('migrate') });
    await operator.run(['journal', 'migrate', '--journal', whole.href]);
    expect((await use(whole.href)).code).toBe(0);
    expect((await operator.run([...sendHello, '--once', 'a'])).code).toBe(0);
    expect((await use()).stdout).toContain(`${whole.host}${whole.pathname}`);
    expect((await operator.json(['history', '--journal', whole.href])).entry?.name).toBe('a');
    expect((await use('--unset')).code).toBe(0);
  });

  test('that cannot be asked is not set, and not given up', async () => {
    expect((await use(url)).code).toBe(8);
    operator.home.writeConfig({ version: 1, profiles: {}, journal: url });
    const left = await use('--unset');
    expect(left).toMatchObject({ code: 8, stderr: expect.stringContaining('remove "journal" from') });
  });

  test.each(['before', 'after'] as const)(
    'stays while a payment of the one in use is unknown (%s)',
    async (when) => {
      if (when === 'after') await use(own);
      await operator.sandbox.faults({ kind: 'drop', when: 'after' });
      await operator.run([...payAda, '--once', 'a']);
      const left = await (when === 'after' ? use('--unset') : use(own));
      expect(left).toMatchObject({ code: 2, stderr: expect.stringContaining('not settled') });
      expect((await operator.run([...payAda, '--once', 'a'])).code).toBe(0);
      expect((await (when === 'after' ? use('--unset') : use(own))).code).toBe(0);
    },
  );

  test('is left by what never left, and not by what is approved', async () => {
    const nowhere = ['--base-url', 'http://127.0.0.1:1', '--max-wait', '0s'];
    expect((await operator.run([...sendHello, '--once', 'a', ...nowhere])).code).toBe(8);
    expect((await use(own)).code).toBe(0);
    const proposed = await operator.json([...payAda, '--once', 'b', '--propose']);
    await operator.run(['approve', proposed.entry?.id ?? '', '--yes']);
    expect((await use('--unset')).code).toBe(2);
  });

  test('does not hold for the sandbox inside a command', async () => {
    await use(own);
    await operator.run([...sendHello, '--sandbox', '--once', 'a']);
    expect(existsSync(own)).toBe(false);
  });
});

describe('a new journal', () => {
  const send = [...sendHello, '--sandbox', '--once', 'one'];
  const path = () => join(operator.home.path, 'new.db');
  const told = () =>
    `warning: ${path()} is a new journal, so botctl cannot tell what was sent before. If you expected an earlier one, check this path.\n`;

  test('that an option names is told once, whatever the face', async () => {
    for (const face of [[], ['--quiet'], ['--json']]) {
      const words = [...send, ...face, '--journal', path()];
      expect((await operator.run(words)).stderr).toContain(told());
      expect((await operator.run(words)).stderr).not.toContain('new journal');
      for (const end of ['', '.note', '-wal', '-shm']) rmSync(`${path()}${end}`, { force: true });
      rmSync(`${path()}.owners`, { recursive: true, force: true });
    }
  });

  test('that nobody named, or that was only looked for, is not', async () => {
    expect((await operator.run(send)).stderr).not.toContain('new journal');
    expect((await operator.run(['history', '--journal', path()])).stderr).not.toContain('new journal');
    expect(existsSync(path())).toBe(false);
  });
});

test('a password file that others can read is not used, and that is said', async () => {
  const path = join(operator.home.path, '.pgpass');
  writeFileSync(path, '*:*:*:*:canary\n', { mode: 0o644 });
  const { url } = await sharedServer();
  const { code, stderr } = await operator.apart(['history'], {
    env: { BOTCTL_JOURNAL: url.replace(/:[^:@]+@/u, '@') },
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining('asks for a password')]);
  expect(stderr).toContain(`warning: The password file "${path}" has group or world access`);
});

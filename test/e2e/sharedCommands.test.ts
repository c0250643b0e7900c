import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openJournal } from '../../src/once/journal/file/openJournal.ts';
import { schemaVersion } from '../../src/once/journal/schema.ts';
import { botctlHere } from '../../testing/builtHere.ts';
import { Home } from '../../testing/home.ts';
import { done } from '../../testing/journals.ts';
import { pageText } from '../../testing/pages.ts';
import { asRole } from '../../testing/postgres/asRole.ts';
import { type PostgresServer, sharedServer, startServer } from '../../testing/postgres/server.ts';
import { program, programWords } from '../../testing/program.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await sharedServer();
});

let home: Home;
let url: string;
beforeEach(async () => {
  home = new Home();
  url = await server.newDatabase();
});
afterEach(() => home.remove());

/** Runs a command whose journal is the shared one, and sees that nothing of its password gets out. */
async function run(
  words: readonly string[],
  env: Record<string, string> = {},
  journal: 'shared' | 'own' = 'shared',
) {
  const named = journal === 'own' ? {} : { BOTCTL_JOURNAL: url };
  const ran = await botctlHere(words, { env: { ...home.env, ...named, ...env }, cwd: home.path });
  expect(`${ran.stdout}${ran.stderr}`).not.toContain(new URL(url).password);
  return ran;
}

/** The URL as an argument: without its password. */
function placeOf(whole: string): string {
  const { username, host, pathname } = new URL(whole);
  return `postgres://${username}@${host}${pathname}`;
}

/** The same, of the journal that stands as an argument: its password is in the environment. */
const runAt = (words: readonly string[], place = placeOf(url)) =>
  run([...words, '--journal', place], { PGPASSWORD: new URL(url).password });

const send = (name: string): string[] => [
  ...['--sandbox', 'send', '--conversation', 'conv_demo', '--content', 'x', '--once', name],
];

const roleUrl = (name: string): string => asRole(url, name, `${name}-canary`);

const makeRole = (name: string): Promise<unknown> =>
  server.query(`DROP ROLE IF EXISTS ${name}; CREATE ROLE ${name} LOGIN PASSWORD '${name}-canary'`);

/** The suggested lines of a failure: what stands indented by more than its sentences. */
function suggestedIn(stderr: string): string[] {
  return stderr.split('\n').flatMap((line) => /^ {10}botctl (.*)$/u.exec(line)?.[1] ?? []);
}

describe('journal migrate', () => {
  test('makes what the refusal of a missing journal asks for, once', async () => {
    const refused = await run(['history']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('There is no journal in')]);
    const [suggestion = ''] = suggestedIn(refused.stderr);
    expect(suggestion).toBe('journal migrate');
    const made = await run(suggestion.split(' '));
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(made.stdout).toMatch(
      /^The journal postgres:\/\/\S+\?schema=botctl was created \(version \d+\)\.\n$/u,
    );
    expect((await run(['journal', 'migrate', '--quiet'])).stdout).toBe(`${schemaVersion}\n`);
    expect((await run(['journal', 'migrate'])).stdout).toContain('is up to date');
    expect((await run(['history'])).code).toBe(0);
  });

  test('carries the --journal of the command that was refused', async () => {
    const journal = `${placeOf(url)}?schema=payroll`;
    const [suggestion = ''] = suggestedIn((await runAt(['history'], journal)).stderr);
    expect(suggestion).toBe(`journal migrate --journal '${journal}'`);
    const made = await runAt(['journal', 'migrate'], journal);
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('schema=payroll was created')]);
  });

  test('is refused to a role that owns nothing', async () => {
    await makeRole('poor');
    const refused = await run(['journal', 'migrate'], { BOTCTL_JOURNAL: roleUrl('poor') });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('may not create or change')]);
    expect(refused.stderr).not.toContain('canary');
    const runs = await run(['history'], { BOTCTL_JOURNAL: roleUrl('poor') });
    const owners = `${placeOf(url)}?schema=botctl`;
    expect(suggestedIn(runs.stderr)).toEqual([`journal migrate --journal '${owners}'`]);
  });

  test('says of what it refuses that nothing was changed', async () => {
    await run(['journal', 'migrate']);
    await server.query(`UPDATE botctl.meta SET value = '99' WHERE name = 'journal-version'`, [], url);
    const refused = await run(['journal', 'migrate']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('by a newer botctl')]);
    expect(refused.stderr).toContain('Nothing was changed.');
    const away = await run(['journal', 'migrate'], { BOTCTL_JOURNAL: 'postgres://nobody@127.0.0.1:1/none' });
    expect([away.code, away.stderr]).toEqual([8, expect.stringContaining('Nothing was changed.')]);
  });
});

/** The doctor's checks of the shared journal, by their names. */
async function checked(
  env: Record<string, string> = {},
): Promise<Record<string, { level: string; says: string }>> {
  const { stdout } = await run(['doctor', '--json'], env);
  const { checks } = JSON.parse(stdout) as { checks: { check: string; level: string; says: string }[] };
  return Object.fromEntries(checks.map(({ check, level, says }) => [check, { level, says }]));
}

describe('doctor', () => {
  test('serves an auditor', async () => {
    await run(['journal', 'migrate']);
    await makeRole('doctors_auditor');
    const { stdout } = await run(['journal', 'grants', '--role', 'doctors_auditor', '--read-only']);
    await server.query(stdout, [], url);
    const checks = await checked({ BOTCTL_JOURNAL: roleUrl('doctors_auditor') });
    expect(checks.role).toEqual({ level: 'ok', says: 'doctors_auditor, which may only read' });
    expect(checks.journal?.level).toBe('ok');
    await server.query('DROP OWNED BY doctors_auditor', [], url);
  });

  test('says what to check where nobody answers', async () => {
    const { journal } = await checked({ BOTCTL_JOURNAL: 'postgres://x@127.0.0.1:9/bots' });
    expect(journal).toMatchObject({ level: 'fail', says: expect.stringContaining('cannot be reached') });
  });
});

describe('journal accept-loss', () => {
  test('records who goes on with what on which server', async () => {
    await run(['journal', 'migrate']);
    await server.query(`INSERT INTO botctl.servers VALUES ('another', 1, 1)`, [], url);
    expect((await checked()).notes).toMatchObject({
      level: 'fail',
      says: expect.stringContaining('a different server'),
    });
    const asked = await run(['journal', 'accept-loss']);
    expect([asked.code, suggestedIn(asked.stderr)]).toEqual([2, ['journal accept-loss --yes']]);
    const accepted = await run(['journal', 'accept-loss', '--yes']);
    expect([accepted.code, accepted.stdout]).toEqual([0, expect.stringContaining('on a different server')]);
    expect(await server.query('SELECT what FROM botctl.losses', [], url)).toEqual([{ what: 'server' }]);
    expect((await checked()).notes?.level).toBe('ok');
    const again = await run(['journal', 'accept-loss', '--yes']);
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringContaining('has everything that it acknowledged'),
    ]);
  });

  test('forgets what this machine noted and the journal does not have', async () => {
    await run(['journal', 'migrate']);
    expect((await runAt(send('kept'))).code).toBe(0);
    const sameTables =
      'ALTER TABLE botctl.attempts DISABLE TRIGGER ALL; UPDATE botctl.attempts SET number = 7;';
    await server.query(`${sameTables} ALTER TABLE botctl.attempts ENABLE TRIGGER ALL`, [], url);
    const refused = await runAt(send('next'));
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is no longer in it')]);
    expect(refused.stderr).toContain('What is missing may have been sent. Nothing was sent this time.');
    expect(refused.stderr).not.toContain('warning');
    for (const looking of [['history'], [...send('next'), '--dry-run']]) {
      const shown = await runAt(looking);
      expect([shown.code, shown.stderr]).toEqual([
        0,
        expect.stringMatching(/^warning: .*has lost something/u),
      ]);
    }
    const [suggestion = ''] = suggestedIn(refused.stderr);
    expect(suggestion).toContain('journal accept-loss --sandbox --journal');
    const accepted = await run(['journal', 'accept-loss', '--yes', '--json']);
    expect(JSON.parse(accepted.stdout)).toMatchObject({ missing: [{ attempt: 1 }] });
    expect((await runAt(send('next'))).code).toBe(0);
  });
});

describe('journal copy', () => {
  const path = (): string => join(home.path, 'data', 'botctl', 'sandbox', 'journal.db');

  test('takes the work of a file over: what was sent is known, and the file sends nothing more', async () => {
    await run(['journal', 'migrate']);
    expect((await run(send('one'))).code).toBe(0);
    const asked = await run(['journal', 'copy', path()]);
    expect([asked.code, suggestedIn(asked.stderr)]).toEqual([2, [`journal copy ${path()} --yes`]]);
    const copied = await run(suggestedIn(asked.stderr)[0]?.split(' ') ?? []);
    expect([copied.code, copied.stdout]).toEqual([0, expect.stringContaining('1 entry added')]);
    const refused = await run(send('two'));
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('no longer sends anything itself'),
    ]);
    const looked = await run(['history', '--sandbox']);
    expect(looked.stdout).toContain('[one]');
    expect(looked.stderr).toContain('Anything done since then is shown there');
    const again = await runAt([...send('one'), '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ outcome: 'accepted', replayed: true });
    expect((await runAt(send('two'))).code).toBe(0);
    const doctor = await run(['doctor', '--sandbox']);
    expect([doctor.code, doctor.stdout]).toEqual([
      1,
      expect.stringContaining('no longer sends anything itself'),
    ]);
  });

  test('killed in the middle, is finished by the same command', async () => {
    await run(['journal', 'migrate']);
    await fill(path(), 3000);
    const child = spawn(program, [...programWords, 'journal', 'copy', path(), '--yes'], {
      env: { ...home.env, BOTCTL_JOURNAL: url },
      stdio: 'ignore',
    });
    const count = async (): Promise<number> =>
      Number((await server.query('SELECT count(*) FROM botctl.intents', [], url))[0]?.count);
    await expect.poll(count).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await once(child, 'close');
    const halfway = await run(send('two'));
    expect([halfway.code, halfway.stderr]).toEqual([1, expect.stringMatching(/not finished|was copied/u)]);
    expect((await run(['journal', 'copy', path()])).code).toBe(0);
    expect(await count()).toBe(3000);
  });

  test('copies nothing where the same name has another body', async () => {
    await run(['journal', 'migrate']);
    expect((await runAt(send('one').with(5, 'other'))).code).toBe(0);
    expect((await run(send('one'))).code).toBe(0);
    const refused = await run(['journal', 'copy', path(), '--yes', '--json']);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: { code: 'other-body', message: expect.stringContaining('one (') },
    });
    expect(refused.code).toBe(6);
    expect((await run(send('two'))).code).toBe(0);
  });

  test('needs a shared journal to copy into, and a file that is there', async () => {
    expect((await run(['journal', 'copy', './x.db'], {}, 'own')).stderr).toContain('is a file');
    await run(['journal', 'migrate']);
    expect((await run(['journal', 'copy', './x.db'])).stderr).toContain('There is no journal');
    expect((await run(['journal', 'backup', './x.db'])).stderr).toContain('is on a server');
  });
});

/** Makes a journal in a file with that many intents. */
async function fill(file: string, count: number): Promise<void> {
  const journal = openJournal(file);
  await journal.commit(async (tx) => {
    for (let nth = 0; nth < count; nth += 1) await done(tx, 'accepted');
  });
  await journal.close();
}

test('a team’s set-up, as the page says it: the owner makes it, a runner sends, an auditor looks', async () => {
  const [, sql = ''] = /<!-- shared set-up -->\s+```sql\n(.*?)```/su.exec(pageText('docs/team.md')) ?? [];
  for (const statement of sql.split(';').filter((one) => one.trim() !== '')) await server.query(statement);
  for (const role of ['botctl_owner', 'botctl_runner'])
    await server.query(`ALTER ROLE ${role} PASSWORD '${role}-canary'`);
  await makeRole('ada');
  url = server.urlOf('bots');
  const owner = { BOTCTL_JOURNAL: roleUrl('botctl_owner') };
  expect((await run(send('before'), {}, 'own')).code).toBe(0);
  expect((await run(['journal', 'migrate'], owner)).code).toBe(0);
  for (const words of [[], ['--read-only', '--role', 'ada']]) {
    const { stdout } = await run(['journal', 'grants', ...words], {}, 'own');
    await server.query(stdout, [], roleUrl('botctl_owner'));
  }
  const file = join(home.path, 'data', 'botctl', 'sandbox', 'journal.db');
  const runner = { BOTCTL_JOURNAL: roleUrl('botctl_runner') };
  const early = await run(['journal', 'copy', file, '--yes'], runner);
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('may not give it the salt')]);
  expect((await run(['journal', 'copy', file, '--yes'], owner)).stdout).toContain('1 entry added');
  const words = ['--journal', placeOf(url).replace('postgres@', 'botctl_runner@')];
  const env = { PGPASSWORD: 'botctl_runner-canary' };
  expect((await run([...send('after'), ...words], env)).code).toBe(0);
  const { stdout } = await run(['history'], { BOTCTL_JOURNAL: roleUrl('ada') });
  expect([stdout.includes('[before]'), stdout.includes('[after]')]).toEqual([true, true]);
  expect((await checked(runner)).role).toMatchObject({
    level: 'ok',
    says: expect.stringContaining('owns nothing'),
  });
});

test('a server restored to an earlier point is found out, and its loss accepted by name', async () => {
  const restored = await startServer();
  try {
    url = restored.url;
    await run(['journal', 'migrate']);
    expect((await runAt(send('kept'))).code).toBe(0);
    const snapshot = await restored.snapshot();
    expect((await runAt(send('lost'))).code).toBe(0);
    await restored.restore(snapshot);
    const refused = await runAt(send('next'));
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is no longer in it')]);
    expect((await checked()).notes).toMatchObject({ level: 'fail' });
    const accepted = await run(['journal', 'accept-loss', '--yes', '--json']);
    expect(JSON.parse(accepted.stdout)).toMatchObject({ missing: [{ attempt: 1 }] });
    const losses = await restored.query<{ what: string; who: string }>('SELECT what, who FROM botctl.losses');
    expect(losses).toEqual([{ what: 'notes', who: expect.stringContaining('@') }]);
    // Its name still stands for its key, which the service knows: it happened once all the same.
    expect((await runAt(send('lost'))).code).toBe(0);
    expect((await runAt(send('next'))).code).toBe(0);
  } finally {
    await restored.close();
  }
});

test('a standby is looked at, and nothing is done to it', async () => {
  const primary = await startServer();
  try {
    url = primary.url;
    await run(['journal', 'migrate']);
    expect((await runAt(send('one'))).code).toBe(0);
    const standby = await primary.standby();
    await standby.caughtUp();
    url = standby.url;
    expect((await run(['history'])).stdout).toContain('[one]');
    expect(await checked()).toMatchObject({
      journal: { level: 'ok' },
      standby: { level: 'warn', says: expect.stringContaining('is a standby') },
      notes: { level: 'ok', says: expect.stringContaining('1 note') },
    });
    for (const words of [
      ['journal', 'migrate'],
      ['journal', 'accept-loss', '--yes'],
      ['journal', 'accept-durability', '--yes'],
    ]) {
      const refused = await run(words);
      expect([refused.code, refused.stderr]).toEqual([8, expect.stringContaining('is a standby')]);
    }
    await standby.close();
  } finally {
    await primary.close();
  }
});

describe('journal accept-durability', () => {
  test('lets a server be used that has full_page_writes off', async () => {
    const weak = await startServer({ settings: { full_page_writes: 'off' } });
    try {
      url = weak.url;
      await run(['journal', 'migrate']);
      const resumed = await runAt(['resume', '--all', '--sandbox']);
      expect([resumed.code, resumed.stderr]).toEqual([1, expect.stringContaining('full_page_writes is off')]);
      expect((await checked()).durable?.level).toBe('fail');
      expect((await run(['journal', 'accept-durability'])).code).toBe(2);
      const accepted = await run(['journal', 'accept-durability', '--yes']);
      expect([accepted.code, accepted.stdout]).toEqual([
        0,
        expect.stringContaining('full_page_writes may be off'),
      ]);
      expect((await checked()).durable).toMatchObject({
        level: 'ok',
        says: expect.stringContaining('accepted'),
      });
      expect((await run(['journal', 'accept-durability', '--yes'])).stdout).toContain('already accepted');
    } finally {
      await weak.close();
    }
  });
});

describe('journal grants', () => {
  test('prints SQL that lets a role look, and nothing more', async () => {
    await run(['journal', 'migrate']);
    await makeRole('auditor');
    const { stdout, code } = await run(['journal', 'grants', '--role', 'auditor', '--read-only'], {
      // No connection is made.
      BOTCTL_JOURNAL: 'postgres://owner@192.0.2.1/bots',
    });
    expect(code).toBe(0);
    await server.query(stdout, [], url);
    const asAuditor = { BOTCTL_JOURNAL: roleUrl('auditor') };
    expect((await run(['history'], asAuditor)).code).toBe(0);
    const send = ['send', '--conversation', 'c', '--content', 'x', '--once', 'n'];
    const bot = { BOTCTL_TOKEN: 'token-token-token', BOTCTL_BASE_URL: 'http://127.0.0.1:9' };
    const refused = await run(send, { ...bot, ...asAuditor });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('This role may read')]);
  });

  test('needs no journal named, but says so of a file', async () => {
    expect((await run(['journal', 'grants'], {}, 'own')).stdout).toContain('GRANT USAGE ON SCHEMA "botctl"');
    const schema = await run(['journal', 'grants', '--journal', 'postgres://h/d?schema=payroll', '--quiet']);
    expect(schema.stdout).toMatch(/^BEGIN; [^\\]*GRANT USAGE ON SCHEMA "payroll"[^\\]* COMMIT;\n$/u);
    expect((await run(['journal', 'grants', '--journal', './x.db'], {}, 'own')).code).toBe(2);
  });

  test('refuses a role with a letter that nobody sees', async () => {
    const refused = await run(['journal', 'grants', '--role', 'bots\u200b']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('U+200B')]);
  });
});

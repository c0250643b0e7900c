import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openJournal } from '../../src/once/journal/file/openJournal.ts';
import { botctlHere } from '../support/builtHere.ts';
import { Home } from '../support/home.ts';
import { done, inHand, newPath } from '../support/journals.ts';
import { pageText } from '../support/pages.ts';
import { asRole } from '../support/postgres/asRole.ts';
import { type PostgresServer, sharedServer, startServer } from '../support/postgres/server.ts';

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
      /^The journal postgres:\/\/\S+ was created\.\n-- The rights of the role botctl_runner/u,
    );
    expect((await run(['journal', 'migrate', '--quiet'])).stdout).toMatch(
      /^BEGIN; [^\\]*GRANT USAGE ON SCHEMA "botctl" TO "botctl_runner"[^\\]* COMMIT;\n$/u,
    );
    expect((await run(['journal', 'migrate'])).stdout).toContain('already exists');
    expect((await run(['history'])).code).toBe(0);
  });

  test('that was made, and takes no file along that is unfinished, is not said to have changed nothing', async () => {
    const path = newPath();
    const file = inHand(openJournal(path));
    await done(file, 'unknown');
    await file.close();
    const refused = await run(['journal', 'migrate', '--import', path]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('unfinished')]);
    expect(refused.stderr).not.toContain('Nothing was changed');
    expect((await run(['history'])).code).toBe(0);
  });

  test('is refused to a role that owns nothing', async () => {
    await makeRole('poor');
    const refused = await run(['journal', 'migrate'], { BOTCTL_JOURNAL: roleUrl('poor') });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('may not create or change')]);
    expect(refused.stderr).not.toContain('canary');
    const runs = await run(['history'], { BOTCTL_JOURNAL: roleUrl('poor') });
    const owners = placeOf(url);
    expect(suggestedIn(runs.stderr)).toEqual([`journal migrate --journal ${owners}`]);
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

describe('journal accept-loss', () => {
  test('forgets what this machine noted and the journal does not have', async () => {
    await run(['journal', 'migrate']);
    expect((await runAt(send('kept'))).code).toBe(0);
    const sameTables =
      'ALTER TABLE botctl.attempts DISABLE TRIGGER ALL; UPDATE botctl.attempts SET number = 7;';
    await server.query(`${sameTables} ALTER TABLE botctl.attempts ENABLE TRIGGER ALL`, [], url);
    const refused = await runAt(send('next'));
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('has lost 1 request')]);
    expect(refused.stderr).toContain('What is missing may have been sent. Nothing was sent this time.');
    expect(refused.stderr).not.toContain('warning');
    for (const looking of [['history'], [...send('next'), '--dry-run']]) {
      const shown = await runAt(looking);
      expect([shown.code, shown.stderr]).toEqual([
        0,
        expect.stringMatching(/^warning: .*has lost 1 request/u),
      ]);
    }
    const [suggestion = ''] = suggestedIn(refused.stderr);
    expect(suggestion).toContain('doctor --sandbox --journal');
    const accepted = await run(['journal', 'accept-loss', '--yes', '--json']);
    expect(JSON.parse(accepted.stdout)).toMatchObject({ missing: [{ attempt: 1 }] });
    expect((await runAt(send('next'))).code).toBe(0);
  });
});

test('a team’s set-up, as the page says it: the owner makes it, and a runner sends', async () => {
  const [, sql = ''] = /<!-- shared set-up -->\s+```sql\n(.*?)```/su.exec(pageText('docs/team.md')) ?? [];
  for (const statement of sql.split(';').filter((one) => one.trim() !== '')) await server.query(statement);
  for (const role of ['botctl_owner', 'botctl_runner'])
    await server.query(`ALTER ROLE ${role} PASSWORD '${role}-canary'`);
  url = server.urlOf('bots');
  const owner = { BOTCTL_JOURNAL: roleUrl('botctl_owner') };
  const { stdout } = await run(['journal', 'migrate', '--quiet'], owner);
  await server.query(stdout, [], roleUrl('botctl_owner'));
  const words = ['--journal', placeOf(url).replace('postgres@', 'botctl_runner@')];
  const env = { PGPASSWORD: 'botctl_runner-canary' };
  expect((await run([...send('after'), ...words], env)).code).toBe(0);
  expect((await run(['history'], { BOTCTL_JOURNAL: roleUrl('botctl_runner') })).stdout).toContain('[after]');
});

test('of a server with full_page_writes off the doctor warns', async () => {
  const weak = await startServer({ settings: { full_page_writes: 'off' } });
  try {
    url = weak.url;
    await run(['journal', 'migrate']);
    expect((await runAt(send('one'))).code).toBe(0);
    expect((await checked()).durable?.level).toBe('warn');
  } finally {
    await weak.close();
  }
});

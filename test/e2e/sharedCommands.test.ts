import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { botctlHere } from '../support/builtHere.ts';
import { Home } from '../support/home.ts';
import { pageText } from '../support/pages.ts';
import { asRole } from '../support/postgres/asRole.ts';
import { type PostgresServer, sharedServer } from '../support/postgres/server.ts';

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
async function run(words: readonly string[], env: Record<string, string> = {}) {
  const ran = await botctlHere(words, { env: { ...home.env, BOTCTL_JOURNAL: url, ...env }, cwd: home.path });
  expect(`${ran.stdout}${ran.stderr}`).not.toContain(new URL(url).password);
  return ran;
}

/** The URL as an argument: without its password. */
function placeOf(whole: string): string {
  const { username, host, pathname } = new URL(whole);
  return `postgres://${username}@${host}${pathname}`;
}

const send = (name: string): string[] => [
  ...['--sandbox', 'send', '--conversation', 'conv_demo', '--content', 'x', '--once', name],
];

const roleUrl = (name: string): string => asRole(url, name, `${name}-canary`);

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

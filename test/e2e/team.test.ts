import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ended, type Ran } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { Home } from '../support/home.ts';
import { pageText } from '../support/pages.ts';
import { asRole } from '../support/postgres/asRole.ts';
import { type PostgresServer, sharedServer } from '../support/postgres/server.ts';

const page = pageText('docs/team.md');

let home: Home;
let server: PostgresServer;
let env: Record<string, string>;
beforeEach(async () => {
  home = new Home();
  server = await sharedServer(18);
  // Without XDG folders: what each runner keeps is under its own HOME.
  env = { HOME: home.path, PATH: home.pathWithBotctl(), BOTCTL_JOURNAL: await server.newDatabase() };
});
afterEach(() => home.remove());

function blocks(mark: string): string[] {
  return [...page.matchAll(new RegExp(`<!-- ${mark} -->\\n\\n\`\`\`console\\n([\\s\\S]*?)\`\`\``, 'gu'))].map(
    ([, block = '']) => block.replace(/^\$ /gmu, ''),
  );
}

function run(script: string) {
  return ended('bash', ['-c', script], { env, cwd: home.path });
}

test('two machines work on one payroll, one of them is killed, and everybody is paid once', async () => {
  const [setUp = ''] = blocks('team set-up');
  expect(await run(setUp)).toMatchObject({ code: 0 });
  // The page waits for half a minute.
  const shorter = `UPDATE botctl.meta SET value = convert_to('1000', 'UTF8') WHERE name = 'lease-ms'`;
  await server.query(shorter, [], env.BOTCTL_JOURNAL);
  const tour = blocks('team');
  expect(tour).toHaveLength(2);
  const { stdout } = await run(tour.join('echo @@@\n'));
  const [payroll = '', count = ''] = stdout.split('@@@\n');
  expect(payroll).toContain('exit 0\n');
  expect(payroll).toContain('60 of 60 done');
  expect(count.trim()).toBe('60');
  const [, ...report] = readFileSync(join(home.path, 'report.csv'), 'utf8').trim().split('\n');
  expect(report).toHaveLength(60);
  for (const line of report)
    expect(line).toMatch(/^emp-\d+,\w{32,},\w+,[\d.]+,.*done,[0-9a-f]{12},\w{80,},,/u);
});

test('a team’s set-up, as the page says it: the owner makes it, and a runner sends', async () => {
  const [, sql = ''] = /<!-- shared set-up -->\s+```sql\n(.*?)```/su.exec(page) ?? [];
  for (const statement of sql.split(';').filter((one) => one.trim() !== '')) await server.query(statement);
  for (const role of ['botctl_owner', 'botctl_runner'])
    await server.query(`ALTER ROLE ${role} PASSWORD '${role}-canary'`);
  const url = server.urlOf('bots');
  const roleUrl = (name: string): string => asRole(url, name, `${name}-canary`);
  const by = async (role: string, ...words: string[]): Promise<Ran> => {
    const ran = await botctlHere(words, { env: { ...env, BOTCTL_JOURNAL: roleUrl(role) } });
    expect(ran.stdout + ran.stderr).not.toContain('canary');
    return ran;
  };
  const { stdout } = await by('botctl_owner', 'journal', 'migrate', '--quiet');
  await server.query(stdout, [], roleUrl('botctl_owner'));
  const send = ['--sandbox', 'send', '--conversation', 'conv_demo', '--content', 'x', '--once', 'after'];
  const runner = new URL(roleUrl('botctl_runner'));
  const own = { ...env, PGPASSWORD: runner.password };
  runner.password = '';
  const sent = await botctlHere([...send, '--journal', runner.href], { env: own });
  expect([sent.code, `${sent.stdout}${sent.stderr}`]).toEqual([0, expect.not.stringContaining('canary')]);
  expect((await by('botctl_runner', 'history')).stdout).toContain('[after]');
});

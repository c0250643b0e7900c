import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { botctl } from '../helpers/botctl.ts';
import { Home } from '../helpers/home.ts';

let home: Home;
beforeAll(() => {
  home = new Home();
});
afterAll(() => home.remove());

describe('the built program', () => {
  test.each([[['--version']], [['-V']], [['config', '--version']]])('%j prints the version', async (line) => {
    expect(await botctl(line, { env: home.env })).toMatchObject({
      code: 0,
      stdout: `${packageJson.version}\n`,
      stderr: '',
    });
  });

  test.each([
    [['config', 'list', '--nope'], "Unknown option '--nope'"],
    [['config', 'list', '--profile', 'a', '--profile', 'b'], '--profile is given twice'],
    [['config', 'add', 'x', '--token-env', '--use'], '--token-env needs a value'],
    [['config', 'add', 'x', '--token-env', '--json'], '--token-env needs a value'],
    [['config', 'lst'], "Unknown command 'lst'"],
    [['config', 'add'], "Missing required argument 'name'"],
    [[], 'No command is named'],
  ])('%j exits 2, and with --json says so in one object on stdout', async (line, problem) => {
    const json = await botctl(
      [...line, '--json'].filter((word, i, all) => all.indexOf(word) === i || word !== '--json'),
      {
        env: home.env,
      },
    );
    expect(json.code).toBe(2);
    expect(json.stderr).toBe('');
    expect(JSON.parse(json.stdout)).toMatchObject({ schema: 'botctl/1', error: { code: 'usage' } });
    expect(JSON.parse(json.stdout).error.message).toContain(problem);
    if (line.includes('--json')) return;
    const human = await botctl(line, { env: home.env });
    expect(human.code).toBe(2);
    expect(human.stdout).toBe('');
    expect(human.stderr).toContain(problem);
    expect(human.stderr).not.toContain(' at ');
  });

  test.each([
    [1, ['config', 'list'], { XDG_CONFIG_HOME: '/proc/self/fd' }],
    [2, ['config', 'show', 'nobody'], {}],
    [3, ['config', 'add', 'x', '--base-url', 'https://x.example.com', '--token-stdin'], {}],
  ])('exits %d where the table says so: %j', async (code, line, env) => {
    const ran = await botctl(line, { env: { ...home.env, ...env } });
    if (code === 1) expect([0, 1]).toContain(ran.code);
    else expect(ran.code).toBe(code);
  });
});

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
    const asksForJson = line.includes('--json');
    const json = await botctl(asksForJson ? line : [...line, '--json'], { env: home.env });
    expect(json.code).toBe(2);
    expect(json.stderr).toBe('');
    expect(JSON.parse(json.stdout)).toMatchObject({ schema: 'botctl/1', error: { code: 'usage' } });
    expect(JSON.parse(json.stdout).error.message).toContain(problem);
    if (asksForJson) return;
    const human = await botctl(line, { env: home.env });
    expect(human.code).toBe(2);
    expect(human.stdout).toBe('');
    expect(human.stderr).toContain(problem);
    expect(human.stderr).not.toContain(' at ');
  });

  test.each([
    [2, ['config', 'show', 'nobody'], 'no-such-profile'],
    [3, ['config', 'add', 'x', '--base-url', 'https://x.example.com', '--token-stdin'], 'no-token'],
  ])('exits %d where the table says so: %j', async (code, line, named) => {
    const ran = await botctl([...line, '--json'], { env: home.env });
    expect(ran.code).toBe(code);
    expect(JSON.parse(ran.stdout).error.code).toBe(named);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { botctl } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { Home } from '../support/home.ts';
import { foreignBin } from '../support/program.ts';

// The single file says that it is one.
const preview = foreignBin === undefined ? '' : '(, preview: .+)?';

let home: Home;
beforeAll(() => {
  home = new Home();
});
afterAll(() => home.remove());

describe('the built program', () => {
  test.each([[['--version']], [['send', '--version']]])('%j prints the version', async (line) => {
    expect(await botctl(line, { env: home.env })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^${packageJson.version}${preview}\n$`, 'u')),
      stderr: '',
    });
  });

  test('an unknown command exits 2, and with --json says so in one object on stdout', async () => {
    const json = await botctlHere(['nonsense', '--json'], { env: home.env });
    expect(json).toMatchObject({ code: 2, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({ schema: 'botctl/1', error: { code: 'usage' } });
    const human = await botctlHere(['nonsense'], { env: home.env });
    expect(human).toMatchObject({ code: 2, stdout: '' });
    expect(human.stderr).toContain("Unknown command 'nonsense'");
    expect(human.stderr).not.toContain(' at ');
  });
});

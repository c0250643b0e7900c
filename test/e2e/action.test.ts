import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ended, type Ran } from '../support/botctl.ts';
import { Home } from '../support/home.ts';
import { root } from '../support/root.ts';

type Step = { readonly name: string; readonly env: Record<string, string>; readonly run: string };

/** The steps of the action, in order: a page that is laid out as it is here. */
function stepsOf(action: string): Step[] {
  const [, ...steps] = action.split(/^ {4}- name: /mu);
  return steps.map((step) => ({
    name: step.slice(0, step.indexOf('\n')),
    env: Object.fromEntries(
      [...step.matchAll(/^ {8}([A-Z_]+): \$\{\{ (\S+) \}\}$/gmu)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    ),
    run: step.slice(step.indexOf('run: |\n') + 7).replace(/^ {8}/gmu, ''),
  }));
}

const steps = stepsOf(readFileSync(join(root, 'action.yml'), 'utf8'));

let home: Home;
let folder: string;
beforeEach(() => {
  home = new Home();
  folder = mkdtempSync(join(tmpdir(), 'botctl-action-'));
  mkdirSync(join(folder, 'temp'));
});
afterEach(() => {
  home.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs one step as a runner would: by bash, with the values of its expressions in its environment. */
async function step(name: string, values: Record<string, string>): Promise<Ran> {
  const found = steps.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no step ${name}`);
  const file = join(folder, 'step.sh');
  writeFileSync(file, found.run);
  const given = Object.fromEntries(
    Object.entries(found.env).map(([variable, expression]) => [variable, values[expression] ?? '']),
  );
  const env = {
    ...home.env,
    RUNNER_TEMP: join(folder, 'temp'),
    GITHUB_PATH: join(folder, 'path'),
    GITHUB_ENV: join(folder, 'env'),
    GITHUB_OUTPUT: join(folder, 'output'),
    ...given,
  };
  return ended('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', file], { env, cwd: folder });
}

const values = {
  'github.action_path': root,
  'inputs.run': 'ada/bots/123456',
  'inputs.sandbox': 'false',
};

test('the steps pack, install and name, in this order, and cache nothing', () => {
  expect(steps.map(({ name }) => name)).toEqual(['Pack botctl', 'Install botctl', 'Name this run']);
  expect(readFileSync(join(root, 'action.yml'), 'utf8')).not.toMatch(/actions\/cache|secrets\./u);
});

test.each(['ci', 'release'])('the workflow %s runs each action at a commit that no tag can move', (name) => {
  const workflow = readFileSync(join(root, `.github/workflows/${name}.yml`), 'utf8');
  const used = workflow.match(/(?<=uses: ).+/gu) ?? [];
  expect(used.length).toBeGreaterThan(1);
  for (const action of used) expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/u);
  expect(workflow).not.toContain('NPM_TOKEN');
});

test('what they leave to the steps after them is botctl, and the name of the run', async () => {
  for (const { name } of steps) expect(await step(name, values)).toMatchObject({ code: 0 });
  const bin = readFileSync(join(folder, 'path'), 'utf8').trim();
  expect(readFileSync(join(folder, 'env'), 'utf8')).toBe('BOTCTL_RUN=ada/bots/123456\n');
  expect(readFileSync(join(folder, 'output'), 'utf8')).toBe(`path=${bin}\nrun=ada/bots/123456\n`);
  const version = await ended(join(bin, 'botctl'), ['--version'], { env: home.env });
  expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/u) });
});

test('a packed file that is not there, and a name that is no name, end the job', async () => {
  const noFile = await step('Install botctl', { ...values, 'inputs.package': './vendor/none.tgz' });
  expect(noFile).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('no packed file ./vendor/none.tgz'),
  });
  for (const run of ['', 'a\nGITHUB_TOKEN=x', 'a\rb'])
    expect(await step('Name this run', { ...values, 'inputs.run': run })).toMatchObject({ code: 1 });
});

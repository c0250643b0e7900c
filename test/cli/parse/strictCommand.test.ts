import { beforeEach, describe, expect, test } from 'vitest';
import type { Args } from '../../../src/cli/parse/args.ts';
import { runMain } from '../../support/inProcess.ts';
import { sampleTree } from '../../support/sampleTree.ts';

let seen: Args<string>[];
beforeEach(() => {
  seen = [];
});

function run(line: readonly string[]) {
  return runMain(line, { tree: sampleTree(seen) });
}

/** A refused line runs nothing, exits 2, and says what and what next: to a person, and as one JSON object. */
async function refused(line: readonly string[], problem: RegExp | string): Promise<void> {
  const human = await run(line);
  expect(human.code).toBe(2);
  expect(human.stdout).toBe('');
  expect(human.stderr).toMatch(problem);
  expect(human.stderr).toMatch(/^botctl: .+\n {8}.+\n( {10}botctl .+\n)?$/u);
  const json = await run(['--json', ...line]);
  expect(json.code).toBe(2);
  expect(json.stderr).toBe('');
  expect(json.stdout.split('\n')).toHaveLength(2);
  const whole = JSON.parse(json.stdout);
  expect(whole).toMatchObject({ schema: 'botctl/1', error: { code: 'usage', retry: 'after-fix' } });
  expect(whole.error.message).toMatch(problem);
  if (!/No command is given/u.test(whole.error.message))
    expect(whole.error.message).toMatch(/[Nn]othing was sent/u);
  expect(seen).toEqual([]);
}

describe('an option given twice', () => {
  test.each([
    [['send', '--content', 'a', '--content', 'b'], '--content is given twice'],
    [['send', '--content=a', '--content=a'], '--content is given twice'],
    [['send', '--yes', '-y'], '--yes is given twice'],
    [['send', '--profile', 'a', '--content', 'x', '--profile', 'b'], '--profile is given twice'],
    [['--timeout', '1s', 'send', '--timeout', '2s'], '--timeout is given twice'],
    [['send', '--quiet', '--quiet'], '--quiet is given twice'],
    [['send', '--no-color', '--no-color'], '--no-color is given twice'],
  ])('%j is refused', async (line, problem) => {
    await refused(line, problem);
  });

  test('is kept, in order, where it is declared repeatable', async () => {
    await run(['send', '--button', 'a', '--row', '--button', 'b', '--row', '--button=--c']);
    expect(seen[0]?.occurrences).toEqual([
      { name: 'button', value: 'a' },
      { name: 'row', value: true },
      { name: 'button', value: 'b' },
      { name: 'row', value: true },
      { name: 'button', value: '--c' },
    ]);
  });
});

describe('a value that looks like an option', () => {
  test.each([
    [['send', '--memo', '--yes'], /--memo needs a value, but --yes looks like an option/u],
    [['send', '--memo', '-y'], /--memo needs a value/u],
    [['send', '--memo', '-5'], /--memo needs a value/u],
    [['send', '--memo', '--sandbox', 'text'], /--memo needs a value, but --sandbox/u],
    [['send', '--memo', '--profile', 'prod'], /--memo needs a value, but --profile/u],
    [['send', '--memo', '--', 'x'], /--memo needs a value/u],
    [['send', '--button', '--row'], /--button needs a value/u],
    [['--profile', '--quiet', 'send'], /--profile needs a value/u],
    [['send', '--memo'], /'--memo <text>' argument missing/u],
  ])('%j is refused', async (line, problem) => {
    await refused(line, problem);
  });

  test('is taken when written with =, and - alone is a value', async () => {
    await run(['send', '--memo=--yes', '--content', '-']);
    expect(seen[0]?.text('memo')).toBe('--yes');
    expect(seen[0]?.text('content')).toBe('-');
    expect(seen[0]?.flag('yes')).toBe(false);
  });

  test('an empty value is a value', async () => {
    await run(['send', '--memo=', '--content', '']);
    expect(seen[0]?.text('memo')).toBe('');
    expect(seen[0]?.text('content')).toBe('');
  });
});

describe('a flag', () => {
  test.each([
    [['send', '--yes=no'], '--yes takes no value'],
    [['--json=1', 'send'], '--json takes no value'],
    [['send', '--row=', '--content', 'x'], '--row takes no value'],
  ])('%j is told that it takes no value', async (line, problem) => {
    await refused(line, problem);
    expect((await run(line)).stderr).not.toContain('after the command');
  });
});

describe('what is not known', () => {
  test.each([
    [['send', '--conten', 'x'], /Unknown option '--conten'\./u],
    [['send', '--con', 'x'], /Unknown option '--con'/u],
    [['send', '--CONTENT', 'x'], /Unknown option/u],
    [['send', '-x'], /Unknown option '-x'/u],
    [['send', '--use'], /Unknown option '--use'/u],
    [
      ['send', 'extra'],
      /Too many arguments for 'send'\. Expected 0 arguments but got 1\. Nothing was sent or changed\./u,
    ],
    [['config', 'add', 'a', 'b'], /Expected 1 argument but got 2/u],
    [['--sandbox'], /No command is given/u],
    [['config', '--sandbox'], /No command is given/u],
  ])('%j is refused before anything happens', async (line, problem) => {
    await refused(line, problem);
  });

  test.each([
    [['send', '--conten', 'x'], '--content'],
    [['send', '--contnet=x'], '--content'],
    [['send', '--sandbx'], '--sandbox'],
    [['send', '--base_url', 'x'], '--base-url'],
    [['config', 'add', '--jsno', 'a'], '--json'],
  ])('%j is answered with the option that was meant', async (line, meant) => {
    expect((await run(line)).stderr).toContain(`Did you mean ${meant}?`);
  });

  test('what is far from every option is no guess', async () => {
    expect((await run(['send', '--nothing-like-it'])).stderr).not.toContain('Did you mean');
  });

  test('a value written into an unknown option is not echoed: it may be a token', async () => {
    for (const flags of [[], ['--json']]) {
      for (const word of [
        '--token=canary',
        "--token=a'\ncanary'\n(canary",
        '--contnt=canary',
        '--json=canary',
        '--contnet=x\n(canary)',
      ]) {
        const { code, stdout, stderr } = await run([...flags, 'send', word]);
        expect(code).toBe(2);
        expect(stdout + stderr).toContain(word.replace(/=.*/su, ''));
        expect(stdout + stderr).not.toContain('canary');
      }
    }
  });
});

describe('what a command is told', () => {
  test('global options count before and after its name', async () => {
    for (const line of [
      ['--profile', 'prod', 'send', '--memo', 'x'],
      ['send', '--memo', 'x', '--profile', 'prod'],
      ['send', '--profile=prod', '--memo=x'],
    ]) {
      await run(line);
    }
    for (const given of seen) {
      expect(given.text('profile')).toBe('prod');
      expect(given.text('memo')).toBe('x');
      expect(given.command).toBe('send');
    }
  });

  test('its path, and its arguments after --', async () => {
    await run(['config', 'add', '--', '--name']);
    expect(seen[0]?.command).toBe('config add');
    expect(seen[0]?.words).toEqual(['--name']);
  });

  test('asking for an option that it does not have is a bug', async () => {
    await run(['send']);
    expect(() => seen[0]?.text('nothing')).toThrow('not an option of send');
  });

  test('short options written together count like apart', async () => {
    expect((await run(['send', '--verbose'])).stdout).toBe('human face\n');
    for (const words of [['--quiet', '--verbose']]) {
      const { stdout, stderr } = await run(['send', ...words]);
      expect(stdout).toBe('send\n');
      expect(stderr).toContain('a step');
    }
  });
});

describe('help and version', () => {
  test('the version is the package’s', async () => {
    const { default: packageJson } = await import('../../../package.json', { with: { type: 'json' } });
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
  });
});

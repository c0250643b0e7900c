import { describe, expect, test } from 'vitest';
import { problemOf } from '../src/cli/wording/problem.ts';
import {
  asFailure,
  type ExitRow,
  exitOf,
  exitTable,
  Failure,
  failureExits,
  retryOf,
} from '../src/once/failures.ts';
import { runMain } from './support/inProcess.ts';
import { sampleTree } from './support/sampleTree.ts';

const retries = [
  [0, undefined],
  [1, 'after-fix'],
  [2, 'after-fix'],
  [3, 'after-fix'],
  [4, 'after-fix'],
  [5, 'after-fix'],
  [6, 'after-fix'],
  [7, 'same-command'],
  [8, 'same-command'],
  [9, 'same-command'],
  [10, 'decide'],
  [11, 'same-command'],
  [130, 'same-command'],
] as const;

describe('the exit table', () => {
  test('has each exit once, with what a caller may do next', () => {
    expect(exitTable.map((row: ExitRow) => [row.exit, row.retry])).toEqual(retries);
  });

  test('every failure has an exit that is no success, and a problem that says what next', () => {
    for (const code of Object.keys(failureExits) as (keyof typeof failureExits)[]) {
      expect(exitOf(code)).toBeGreaterThan(0);
      expect(exitTable.some((row) => row.exit === exitOf(code))).toBe(true);
      expect(problemOf(new Failure(code, 'x')).retry).toBe(retryOf(code));
    }
  });

  test('what helps belongs to the failure, not to its exit', () => {
    for (const code of ['journal-busy', 'journal-unreachable', 'fenced'] as const)
      expect([exitOf(code), retryOf(code)]).toEqual([8, 'same-command']);
    for (const code of ['journal-damaged', 'journal-schema', 'journal-not-durable'] as const)
      expect([exitOf(code), retryOf(code)]).toEqual([1, 'after-fix']);
  });

  test('what has no name is a bug', () => {
    expect(asFailure(new TypeError('x is not a function'))).toMatchObject({ code: 'bug' });
    expect(asFailure('thrown text')).toMatchObject({ code: 'bug' });
    const named = new Failure('held', 'x');
    expect(asFailure(named)).toBe(named);
  });
});

describe('a command that throws', () => {
  const broken = () =>
    sampleTree([]).map((spec) => ({
      ...spec,
      load: async () => async () => {
        throw new TypeError('the bug');
      },
    }));

  test('exits 1 without a stack, which --verbose shows', async () => {
    const plain = await runMain(['send'], { tree: broken() });
    expect(plain.code).toBe(1);
    expect(plain.stderr).toContain('the bug');
    expect(plain.stderr).not.toContain('errors.test.ts');
    const verbose = await runMain(['send', '--verbose'], { tree: broken() });
    expect(verbose.stderr).toContain('errors.test.ts');
  });

  test('says so as one JSON object with --json', async () => {
    const { code, stdout, stderr } = await runMain(['send', '--json'], { tree: broken() });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 'botctl/1',
      command: 'send',
      error: { code: 'bug', retry: 'after-fix' },
    });
    expect(stderr).toBe('');
  });
});

// The proof made the program's own files unreadable, and botctl called that a bug of its own.
test.each(['EIO', 'ENOSPC', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM', 'EINTR'])(
  'a machine that fails with %s is named, and is no bug',
  async (code) => {
    const error = Object.assign(new Error(`${code}: open '/usr/lib/botctl/dist/wire.js'`), {
      code,
      syscall: 'open',
    });
    expect(problemOf(asFailure(error))).toMatchObject({
      code: 'machine-fault',
      message: expect.stringMatching(/^This machine failed: /u),
      retry: 'after-fix',
    });
  },
);

import { expect, test, vi } from 'vitest';
import { whoDecides } from '../src/cli/open/journal.ts';
import { problemOf } from '../src/cli/wording/problem.ts';
import { dataFolder } from '../src/machine/folders.ts';
import { asFailure } from '../src/once/failures.ts';

// A container may run as a number that the system has no name and no home for.
vi.mock('node:os', async (original) => {
  const unknown = () => {
    throw Object.assign(new Error('uv_os_get_passwd returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' });
  };
  return { ...(await original<typeof import('node:os')>()), homedir: unknown, userInfo: unknown };
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test('a user without a home is told to set HOME, and nothing is sent', async () => {
  const failure = asFailure(thrownBy(() => dataFolder({}, 'linux')));
  expect(failure.code).toBe('machine-fault');
  expect(problemOf(failure, { does: 'sends', begun: false }).message).toContain('Nothing was sent');
  expect(failure.details.hint).toContain('HOME');
  expect(dataFolder({ XDG_DATA_HOME: '/data' }, 'linux')).toBe('/data/botctl');
});

test('a user without a name decides by number', async () => {
  const nameless = await import('node:os');
  const builtin = process.getBuiltinModule;
  const standIn = ((name: string) => (name === 'node:os' ? nameless : builtin(name))) as typeof builtin;
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(standIn);
  expect(whoDecides()).toMatch(/^uid \d+@/u);
});

import { describe, expect, test } from 'vitest';
import type { GuardedWork, Guards } from '../../../src/once/journal/journal.ts';
import { Note } from '../../../src/once/journal/known.ts';
import type { Ask } from '../../../src/once/journal/rows.ts';
import { type Base, Store } from '../../../src/once/journal/store.ts';

const owners = { self: () => 'me', lives: () => true, bury: async () => false };
const reads = { ownerLives: async () => true } as unknown as Base['reads'];

/** A database that keeps nothing; it notes what a commit was asked to be. */
function base({
  ask = async () => [] as never[],
  failedAsWhole = false,
}: {
  ask?: Ask;
  failedAsWhole?: boolean;
} = {}) {
  const commits: Guards[] = [];
  const made: Base = {
    ...{ owners, reads, ask, failedAsWhole: () => failedAsWhole, notNoted: () => undefined },
    transact: async (work, guards) => {
      commits.push(guards);
      return work(ask, reads);
    },
  };
  return { commits, store: new Store(made, new Note('/no/note')) };
}

const work = (guards: Guards, does: () => Promise<string> = async () => 'done'): GuardedWork<string> => ({
  guards,
  work: does,
});

test('what a commit of several must keep is what any of them asks, and what it need not, what all of them spare', async () => {
  const { commits, store } = base();
  const sends = { beforeSending: true };
  const spares = { unsynced: true };
  for (const guards of [
    [{}, sends],
    [{}, {}],
    [spares, {}],
    [spares, spares],
  ])
    await store.commitTogether(guards.map((one) => work(one)));
  expect(commits).toEqual([
    { beforeSending: true, unsynced: false },
    { beforeSending: false, unsynced: false },
    { beforeSending: false, unsynced: false },
    { beforeSending: false, unsynced: true },
  ]);
});

describe('works that share a commit', () => {
  /** When each begins and ends, if each takes a turn of the event loop, and the first so many. */
  async function played(guards: readonly Guards[], turns = 1): Promise<string> {
    const said: string[] = [];
    const works = guards.map((one, n) =>
      work(one, async () => {
        said.push(`${n}(`);
        for (let turn = 0; turn < (n === 0 ? turns : 1); turn += 1) await new Promise(setImmediate);
        said.push(`)${n}`);
        return `${n}`;
      }),
    );
    const ends = await base().store.commitTogether(works);
    expect(ends).toEqual(guards.map((_, n) => ({ status: 'fulfilled', value: `${n}` })));
    return said.join('');
  }

  test.each<[string, Guards[], string]>([
    ['run at once where no name is common', [{ alone: ['a'] }, { alone: ['b'] }, {}], '0(1(2()0)1)2'],
    ['run in turn where both want a name alone', [{ alone: ['a'] }, { alone: ['b', 'a'] }], '0()01()1'],
  ])('%s', async (_, guards, expected) => {
    expect(await played(guards)).toBe(expected);
  });

  test('go on where the one before them failed', async () => {
    const { store } = base();
    const fails = async (): Promise<string> => {
      throw new Error('its own fault');
    };
    const ends = await store.commitTogether([work({ alone: ['a'] }, fails), work({ alone: ['a'] })]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});

describe('a commit of several that fails', () => {
  const failing = (): GuardedWork<string>[] => [
    work({ alone: ['a'] }),
    work({ beforeSending: true }, async () => {
      throw new Error('its own fault');
    }),
  ];

  test('is tried again with each alone, under its own guards', async () => {
    const { commits, store } = base();
    const ends = await store.commitTogether(failing());
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(commits.slice(1)).toEqual([{ alone: ['a'] }, { beforeSending: true }]);
  });

  test('is not tried again where it may have been made, or it was only one', async () => {
    const whole = base({ failedAsWhole: true });
    expect(await whole.store.commitTogether(failing())).toMatchObject([
      { status: 'rejected' },
      { status: 'rejected' },
    ]);
    expect(whole.commits).toHaveLength(1);
    const one = base();
    expect(await one.store.commitTogether(failing().slice(1))).toMatchObject([{ status: 'rejected' }]);
    expect(one.commits).toHaveLength(1);
  });
});

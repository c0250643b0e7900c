import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileDialect, fileVerbs } from '../../../src/once/journal/file/fileSchema.ts';
import type { GuardedWork, Guards } from '../../../src/once/journal/journal.ts';
import { Note } from '../../../src/once/journal/note.ts';
import type { Ask } from '../../../src/once/journal/rows.ts';
import { type Base, Store } from '../../../src/once/journal/store.ts';
import { newEntry, nowMs } from '../../support/journals.ts';

const owners = { self: () => 'me', lives: () => true, endOwner: async () => false };
const reads = { ownerLives: async () => true } as unknown as Base['reads'];

/** A database that keeps nothing; it notes what a commit was asked to be. */
function base({
  ask = async () => [] as never[],
  failedAsWhole = false,
  note = new Note('/no/note'),
  rollsBackFirst = false,
}: {
  ask?: Ask;
  failedAsWhole?: boolean;
  note?: Note;
  rollsBackFirst?: boolean;
} = {}) {
  const commits: Guards[] = [];
  const made: Base = {
    ...{ owners, reads, ask, dialect: fileDialect, verbs: fileVerbs },
    ...{ failedAsWhole: () => failedAsWhole, notNoted: () => undefined },
    transact: async (work, guards) => {
      commits.push(guards);
      if (rollsBackFirst) await work(ask, reads);
      return work(ask, reads);
    },
  };
  return { commits, store: new Store(made, note) };
}

const work = (guards: Guards, does: () => Promise<string> = async () => 'done'): GuardedWork<string> => ({
  guards,
  work: does,
});

test('a commit of several precedes sending where any of them does', async () => {
  const { commits, store } = base();
  for (const guards of [
    [{}, { beforeSending: true }],
    [{}, {}],
  ])
    await store.commitTogether(guards.map((one) => work(one)));
  expect(commits).toEqual([{ beforeSending: true }, { beforeSending: false }]);
});

test('works that share a commit run one after another', async () => {
  const said: string[] = [];
  const works = [0, 1, 2].map((n) =>
    work({}, async () => {
      said.push(`${n}(`);
      await new Promise(setImmediate);
      said.push(`)${n}`);
      return `${n}`;
    }),
  );
  await base().store.commitTogether(works);
  expect(said.join('')).toBe('0()01()12()2');
});

describe('a commit of several that fails', () => {
  const failing = (): GuardedWork<string>[] => [
    work({}),
    work({ beforeSending: true }, async () => {
      throw new Error('its own fault');
    }),
  ];

  test('is tried again with each alone, under its own guards', async () => {
    const { commits, store } = base();
    const ends = await store.commitTogether(failing());
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(commits.slice(1)).toEqual([{}, { beforeSending: true }]);
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

test('what was rolled back is not noted as what the journal acknowledged', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'botctl-store-'));
  try {
    const note = new Note(join(folder, 'note'));
    let isFirst = true;
    await base({ note, rollsBackFirst: true }).store.commit(async (tx) => {
      // The second time another machine has begun it.
      if (isFirst) await tx.begin(newEntry(), 'hash', nowMs);
      isFirst = false;
    });
    expect(note.noted()).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

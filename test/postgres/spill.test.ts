import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LateEnd } from '../../src/once/journal/journal.ts';
import { endWith, newIntent } from '../../testing/journals.ts';
import { newSharedPlace, openShared, type SharedPlace } from '../../testing/postgres/sharedJournal.ts';

const lateEnd = (id: string, number: number, verdict: 'accepted' | 'rejected' = 'accepted'): LateEnd => ({
  id,
  number,
  end: endWith(verdict),
  receipts: [],
  state: verdict,
  why: undefined,
  atMs: 5,
});

/** A process that could not tell the journal of this, and is gone. */
async function keep(place: SharedPlace, ...ends: readonly LateEnd[]): Promise<void> {
  const journal = await openShared(place);
  for (const end of ends) journal.keepForLater(end);
  await journal.close();
}

function filesOf({ dataFolder }: SharedPlace): string[] {
  const [journal = ''] = readdirSync(join(dataFolder, 'shared'));
  return readdirSync(join(dataFolder, 'shared', journal)).filter((name) => name.endsWith('.jsonl'));
}

test.each([
  ['an intent that the journal has lost', false],
  ['an attempt that the journal has lost', true],
])('the reply to %s is kept on this machine, and keeps nobody from going on', async (_what, isBegun) => {
  const place = await newSharedPlace();
  const journal = await openShared(place);
  const intent = newIntent();
  if (isBegun) await journal.commit((tx) => tx.begin(intent, 'hash', 1), { beforeSending: true });
  await keep(place, lateEnd(intent.id, 2));
  await (await openShared(place)).close();
  expect(filesOf(place)).toEqual([expect.stringMatching(/^lost-late-/u)]);
  await (await openShared(place)).close();
});

test('what is uploaded late does not end an attempt begun since', async () => {
  const place = await newSharedPlace();
  const journal = await openShared(place);
  const intent = newIntent({ namedBy: 'once', name: 'n' });
  const beforeSending = { beforeSending: true };
  await journal.commit((tx) => tx.begin(intent, 'hash', 1), beforeSending);
  const late = lateEnd(intent.id, 1, 'rejected');
  const trouble = { is: 'certificate', problem: 'expired', atProxy: true } as const;
  journal.keepForLater({ ...late, end: { ...late.end, trouble } });
  await journal.commit((tx) => tx.startAttempt(intent.id, 'hash', 2), beforeSending);
  await (await openShared(place)).close();
  expect((await journal.reads.get(intent.id))?.state).toBe('sending');
  const [first] = await journal.reads.attemptsOf(intent.id);
  expect(first).toMatchObject({ verdict: 'rejected', trouble });
  expect(filesOf(place)).toEqual([]);
});

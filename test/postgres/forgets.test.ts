import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceptSharedLoss, findSharedLoss } from '../../src/postgres/upkeep.ts';
import { done, inHand, type JournalInHand, newEntry, newFolder, nowMs } from '../support/journals.ts';
import {
  lookingAfter,
  newSharedPlace,
  onServer,
  openShared,
  type SharedPlace,
} from '../support/postgres/sharedJournal.ts';

const numRuns = Number(process.env.BOTCTL_RUNS ?? 4);

const deeds = ['attempt', 'decision'] as const;
type Story = {
  readonly done: readonly { readonly what: (typeof deeds)[number]; readonly machine: 0 | 1 }[];
  readonly restoredTo: number;
};

const stories: fc.Arbitrary<Story> = fc
  .array(fc.record({ what: fc.constantFrom(...deeds), machine: fc.constantFrom(0 as const, 1 as const) }), {
    minLength: 1,
    maxLength: 5,
  })
  .chain((done) => fc.record({ done: fc.constant(done), restoredTo: fc.nat(done.length) }));

const decided = { kind: 'happened', who: 'ada', reason: 'seen', signature: undefined } as const;

/** A process of that machine does it, and ends. */
async function doIt(
  what: (typeof deeds)[number],
  id: string,
  place: SharedPlace,
  atMs = nowMs,
): Promise<void> {
  await asProcess(place, async (journal) => {
    if (what === 'attempt') await journal.begin(newEntry(), 'h', atMs);
    else await journal.decide(id, { ...decided, atMs });
  });
}

async function asProcess<Result>(
  place: SharedPlace,
  work: (journal: JournalInHand) => Promise<Result>,
): Promise<Result> {
  const journal = inHand(await openShared(place));
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}

const payment = JSON.stringify(['to', 'SOL', '1']);

/** Transfers in doubt, each for one deed. */
function inDoubt(count: number, place: SharedPlace): Promise<string[]> {
  return asProcess(place, (journal) =>
    Promise.all(Array.from({ length: count }, () => done(journal, 'unknown', { kind: 'transfer', payment }))),
  );
}

async function tablesOf(place: SharedPlace): Promise<string[]> {
  const sql = `SELECT tablename AS name FROM pg_tables WHERE schemaname = $1`;
  return onServer(place, async (client) =>
    (await client.query<{ name: string }>(sql, [place.schema])).rows.map(({ name }) => name),
  );
}

/** Everything that the journal knows now, kept beside it; and what brings it back. */
async function snapshot(place: SharedPlace): Promise<() => Promise<void>> {
  const { schema } = place;
  const kept = `${schema}_kept`;
  const tables = await tablesOf(place);
  const copies = tables.map((name) => `CREATE TABLE ${kept}.${name} AS TABLE ${schema}.${name};`);
  const back = tables.map(
    (name) => `DELETE FROM ${schema}.${name};
      INSERT INTO ${schema}.${name} OVERRIDING SYSTEM VALUE SELECT * FROM ${kept}.${name};`,
  );
  await onServer(place, (client) => client.query(`CREATE SCHEMA ${kept}; ${copies.join('')}`));
  return async () => {
    const all = `SET session_replication_role = replica; BEGIN; ${back.join('')} COMMIT; DROP SCHEMA ${kept} CASCADE`;
    await onServer(place, (client) => client.query(all));
  };
}

test('a server restored from before what it told a machine is refused there, and only there, until that is accepted', async () => {
  await fc.assert(
    fc.asyncProperty(stories, async ({ done: story, restoredTo }) => {
      const first = await newSharedPlace();
      const machines = [first, elsewhere(first), elsewhere(first)] as const;
      const ids = await inDoubt(story.length, elsewhere(first));
      let restore = async (): Promise<void> => {};
      for (const [nth, { what, machine }] of story.entries()) {
        if (nth === restoredTo) restore = await snapshot(first);
        await doIt(what, ids[nth] ?? '', machines[machine]);
      }
      await restore();
      const lost = story.slice(restoredTo);
      // A machine that was told nothing cannot know: it goes on, and does what is not there.
      for (const [nth, { what }] of lost.entries())
        await doIt(what, ids[restoredTo + nth] ?? '', machines[2], nowMs + 1);
      for (const [n, place] of machines.entries()) {
        const misses = lost.some(({ machine }) => machine === n);
        expect({ n, refused: await isRefused(place) }).toEqual({ n, refused: misses });
        await acceptLoss(place);
        expect(await isRefused(place)).toBe(false);
      }
    }),
    { numRuns },
  );
}, 300_000);

const elsewhere = (place: SharedPlace): SharedPlace => ({ ...place, dataFolder: newFolder() });

/** Nothing is sent by it, and nothing is decided. */
async function isRefused(place: SharedPlace): Promise<boolean> {
  const failed = await asProcess(place, async () => undefined).catch((error: unknown) => error);
  if (failed === undefined) return false;
  expect(failed).toMatchObject({ code: 'journal-lost' });
  return true;
}

async function acceptLoss(place: SharedPlace): Promise<void> {
  await lookingAfter(place, async (asking) => {
    const loss = await findSharedLoss(asking);
    if (loss !== undefined) await acceptSharedLoss(asking, loss, 'ada');
  });
}

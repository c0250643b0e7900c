import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KeySum } from '../../src/batch/sheet.ts';
import { sandboxBaseUrl } from '../../src/once/intent/baseUrl.ts';
import type { Joined, Range, Round, SharedBatch, Taken } from '../../src/once/journal/journal.ts';
import { parseAddress } from '../../src/postgres/address.ts';
import { PgConnection } from '../../src/postgres/connection.ts';
import { introduce } from '../../src/postgres/handshake.ts';
import { Lease } from '../../src/postgres/lease.ts';
import { SharedShares } from '../../src/postgres/shares.ts';
import { closedAfterTest } from '../../testing/closedAfterTest.ts';
import { baseUrl, done, inHand } from '../../testing/journals.ts';
import type { Version } from '../../testing/postgres/binaries.ts';
import { newSharedJournal } from '../../testing/postgres/newJournal.ts';
import { sharedServer } from '../../testing/postgres/server.ts';
import { newSharedPlace, openShared } from '../../testing/postgres/sharedJournal.ts';

/** Who was last heard of before this counts as silent. */
const silentSinceMs = 1000;
let connect: () => Promise<PgConnection>;
let line: PgConnection;
let batches = 0;

function newBatch(rows: number): SharedBatch {
  batches += 1;
  return { baseUrl: sandboxBaseUrl, kind: 'message', name: `batch ${batches}`, digest: 'd', rows };
}

class Runner {
  readonly lease = new Lease(30_000, 'botctl', 'here');
  readonly shares: SharedShares;
  readonly batch: SharedBatch;
  round: Round = { batch: 0, round: 0 };
  held: Range[] = [];
  ended: Range[] = [];

  constructor(batch: SharedBatch, on = line) {
    this.batch = batch;
    this.shares = new SharedShares({
      schema: 'botctl',
      store: { onConnection: (work) => work(on) },
      lease: this.lease,
      silentSinceMs: () => silentSinceMs,
    });
  }

  async join(batch: Partial<SharedBatch> = {}, changedFile = false): Promise<Joined['is']> {
    const joined = await this.shares.join({ ...this.batch, ...batch }, changedFile);
    if (joined.is === 'joined') this.round = joined.round;
    return joined.is;
  }

  async take(size: number): Promise<Taken> {
    const taken = await this.shares.take(this.round, size, this.ended, this.held);
    this.ended = [];
    if (taken.is === 'range') this.held.push(taken.range);
    return taken;
  }

  /** Every row of it has its end. */
  end(which: number): Range | undefined {
    const [range] = this.held.splice(which % Math.max(1, this.held.length), 1);
    if (range !== undefined) this.ended.push(range);
    return range;
  }

  async set(change: string): Promise<void> {
    await line.query(`UPDATE botctl.owners SET ${change} WHERE id = $1`, [this.lease.id]);
  }
}

function ordinalsOf({ first, last }: Range): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

describe.each<Version>([18, 15])('on PostgreSQL %i', (version) => {
  beforeAll(async () => {
    const url = await newSharedJournal(await sharedServer(version));
    connect = async () => {
      const line = await PgConnection.connect(parseAddress(url, 'BOTCTL_JOURNAL', {}, () => 'nobody'));
      await introduce(line);
      return line;
    };
    line = await connect();
  });
  afterAll(() => line.close());

  async function joined(batch: SharedBatch): Promise<Runner> {
    const runner = new Runner(batch);
    expect(await runner.join()).toBe('joined');
    return runner;
  }

  const step = fc.record({
    does: fc.constantFrom('take', 'take', 'take', 'end', 'end', 'fall silent', 'leave', 'forget', 'come'),
    who: fc.nat({ max: 9 }),
    many: fc.integer({ min: 1, max: 9 }),
  } as const);

  test('whoever takes, dies, leaves and comes: every row is somebody’s until it has ended, and nobody else’s', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.array(step, { maxLength: 40 }),
        async (rows, steps) => {
          const batch = newBatch(rows);
          let runners = [await joined(batch), await joined(batch)];
          /** The rows that ended, by the round in which they did. */
          const ended = new Map<number, Set<number>>();
          const end = (runner: Runner, which: number): void => {
            const { round } = runner.round;
            const range = runner.end(which);
            const before = ended.get(round) ?? new Set();
            ended.set(round, new Set([...before, ...(range === undefined ? [] : ordinalsOf(range))]));
          };
          const without = async (gone: Runner, change: string): Promise<void> => {
            await gone.set(change);
            runners = runners.filter((one) => one !== gone);
          };
          for (const { does, who, many } of steps) {
            const runner = runners[who % Math.max(1, runners.length)];
            if (does === 'come') runners.push(await joined(batch));
            else if (runner === undefined) continue;
            else if (does === 'take') await runner.take(many);
            else if (does === 'end') end(runner, many);
            else if (does === 'fall silent') await without(runner, 'renewed_at = 1');
            else if (does === 'leave') await without(runner, 'ended_at = 2');
            // The answer to its last question never came.
            else runner.held.pop();
            const inHand = runners.flatMap(({ round, held }) =>
              held.flatMap(ordinalsOf).map((ordinal) => `${round.round} ${ordinal}`),
            );
            expect(new Set(inHand).size).toBe(inHand.length);
          }
          const last = await joined(batch);
          runners.push(last);
          for (let idle = 0; idle < runners.length; ) {
            idle = 0;
            for (const runner of runners) {
              const taken = await runner.take(7);
              while (runner.held.length > 0) end(runner, 0);
              if (taken.is === 'nothing' && taken.others.length === 0 && runner.ended.length === 0) idle += 1;
            }
          }
          expect([...(ended.get(last.round.round) ?? [])].sort((one, other) => one - other)).toEqual(
            ordinalsOf({ first: 1, last: rows }),
          );
        },
      ),
      { numRuns: 20 },
    );
  });

  test('many who take at the same time are given different rows', async () => {
    const batch = newBatch(50);
    const runners = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const runner = new Runner(batch, closedAfterTest(await connect()));
        await runner.join();
        return runner;
      }),
    );
    const taken = (await Promise.all(runners.map((runner) => runner.take(15)))).flatMap((one) =>
      one.is === 'range' ? ordinalsOf(one.range) : [],
    );
    expect(taken.sort((one, other) => one - other)).toEqual(ordinalsOf({ first: 1, last: 50 }));
  });

  test('who only falls silent is dead once that is on record, and takes nothing any more', async () => {
    const batch = newBatch(4);
    const [silent, other] = [await joined(batch), await joined(batch)];
    expect(await silent.take(4)).toMatchObject({ is: 'range' });
    expect(await other.take(4)).toEqual({
      is: 'nothing',
      others: [{ host: expect.any(String), pid: process.pid, rows: 4 }],
      theirs: [{ first: 1, last: 4 }],
    });
    await silent.set('renewed_at = 1');
    expect(await other.take(4)).toMatchObject({ is: 'range', range: { first: 1, last: 4 } });
    await expect(silent.take(4)).rejects.toMatchObject({ code: 'fenced' });
    expect(silent.lease.isFenced).toBe(true);
  });

  test('who comes while somebody works joins in; who comes later looks at every row again', async () => {
    const batch = newBatch(4);
    const first = await joined(batch);
    await first.take(9);
    first.end(0);
    expect(await first.take(9)).toMatchObject({ is: 'nothing', others: [], theirs: [] });
    expect(await (await joined(batch)).take(9)).toMatchObject({ is: 'nothing', others: [], theirs: [] });
    await first.set('ended_at = 2');
    expect(await (await joined(batch)).take(9)).toMatchObject({ range: { first: 1, last: 4 } });
  });

  test('another file is refused; as a changed one it is taken when nobody is at work', async () => {
    const batch = newBatch(4);
    const other = { digest: 'e', rows: 5 };
    const first = await joined(batch);
    const second = new Runner(batch);
    expect(await second.shares.isOtherFile(batch)).toBe(false);
    expect(await second.shares.isOtherFile({ ...batch, ...other })).toBe(true);
    expect(await second.join(other)).toBe('other-file');
    await first.take(2);
    expect(await second.join(other, true)).toBe('at-work');
    await first.set('renewed_at = 1');
    expect(await second.join(other, true)).toBe('joined');
    expect(await second.take(9)).toMatchObject({ range: { first: 1, last: 5 } });
    await expect(first.take(2)).rejects.toMatchObject({ code: 'fenced' });
  });

  test('the done rows of a batch are counted, and summed as their input sums them', async () => {
    const place = await newSharedPlace({ version });
    const journal = inHand(closedAfterTest(await openShared(place)));
    const keys = Array.from({ length: 5 }, () => randomUUID());
    const row = (key: string) => ({ baseUrl, key, namedBy: 'row', name: 'news', identity: key }) as const;
    for (const key of keys) await done(journal, 'accepted', row(key));
    await done(journal, 'rejected', row(randomUUID()));
    await done(journal, 'accepted', { ...row(randomUUID()), name: 'other' });
    const sum = new KeySum();
    for (const key of keys) sum.add(key);
    const news: SharedBatch = { baseUrl, kind: 'message', name: 'news', digest: 'd', rows: 6 };
    expect(await journal.shares?.doneRows(news)).toEqual(sum.sums);
    expect(await journal.shares?.doneRows({ ...news, name: 'none' })).toEqual({ rows: 0, first: 0, last: 0 });
  });
});

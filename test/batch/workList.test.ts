import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { Sheet } from '../../src/batch/sheet.ts';
import { type RowsOfOthers, type Turn, WorkList } from '../../src/batch/workList.ts';
import { HeldClock } from '../../testing/heldClock.ts';

let sheet: Sheet;
let clock: HeldClock;
let stopping: AbortController;
let waitedFor: RowsOfOthers[];
/** Rows that others have done. */
let doneElsewhere: Set<number>;
/** How often it was asked what others have done. */
let looked: number;

beforeEach(() => {
  sheet = new Sheet();
  clock = new HeldClock();
  stopping = new AbortController();
  waitedFor = [];
  doneElsewhere = new Set();
  looked = 0;
});

function rows(count: number): void {
  for (let ordinal = 1; ordinal <= count; ordinal += 1) {
    const rest = { id: undefined, row: `${ordinal}`, request: '{}', intent: undefined, problem: undefined };
    sheet.add({ ordinal, line: ordinal, standing: ordinal % 5 === 0 ? 'done' : 'new', ...rest });
  }
}

/** A list that goes round for ever fails, instead of a test that never ends. */
function bounded<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
  let calls = 0;
  return (...args) => {
    calls += 1;
    if (calls > 20_000) throw new Error('it goes round for ever');
    return work(...args);
  };
}

function listOf(count: number, { pageRows = 500, fraction = 0.5 } = {}): WorkList {
  if ([...sheet.rows()].length === 0) rows(count);
  const [own, { sleep }] = [sheet, clock];
  return new WorkList({
    sheet: {
      pages: bounded(function* (between?: { readonly first: number; readonly last: number }) {
        for (const page of own.pages(between)) yield page.slice(0, pageRows);
      }),
    },
    rows: count,
    concurrency: 4,
    clock: { now: bounded(() => clock.now()), sleep: sleep.bind(clock) },
    chance: { fraction: () => fraction },
    maxWaitMs: 5000,
    stopped: stopping.signal,
    left: async (some) => {
      looked += 1;
      return some.filter(({ ordinal }) => !doneElsewhere.has(ordinal));
    },
    onWaiting: (others) => waitedFor.push(others),
  });
}

async function nextOf(list: WorkList): Promise<Turn> {
  const turn = await list.next();
  if (turn === undefined) throw new Error('no row');
  return turn;
}

/** What is given out until there is nothing more; each row ends at once. */
async function workedOff(list: WorkList): Promise<number[]> {
  const ordinals: number[] = [];
  for (let turn = await list.next(); turn !== undefined; turn = await list.next()) {
    ordinals.push(turn.row.ordinal);
    if (ordinals.length > 10_000) throw new Error('it gives rows for ever');
  }
  return ordinals;
}

describe('a runner on its own', () => {
  test('has every row that is not done, in their order', async () => {
    expect(await workedOff(listOf(11))).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 11]);
    expect(clock.sleeps).toEqual([]);
  });

  test('has them across the ends of pages, and asks nobody what is done', async () => {
    expect(await workedOff(listOf(11, { pageRows: 2 }))).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 11]);
    expect(looked).toBe(0);
  });

  test('tries a row that nobody names again after a moment, and says of nobody that it waits', async () => {
    const list = listOf(1, { fraction: 0 });
    list.putBack(await nextOf(list));
    expect((await nextOf(list)).row.ordinal).toBe(1);
    expect(clock.sleeps).toEqual([187.5]);
    expect(waitedFor).toEqual([]);
  });

  test('leaves a row that nobody names to nobody when it has waited long enough', async () => {
    const list = listOf(1);
    const turn = await nextOf(list);
    expect(list.putBack({ ...turn, elsewhereSinceMs: clock.nowMs - 5000 })).toBe(false);
    expect(list.leftTo).toEqual(new Map());
  });

  test('does what another process sends after all else, and no sooner than a moment later', async () => {
    const list = listOf(4);
    const first = await list.next();
    if (first === undefined) throw new Error('no row');
    expect(list.putBack(first)).toBe(true);
    const beganAtMs = clock.nowMs;
    expect(await workedOff(list)).toEqual([2, 3, 4, 1]);
    expect(clock.nowMs - beganAtMs).toBeGreaterThanOrEqual(250);
  });

  test('waits for it no longer than --max-wait', async () => {
    const list = listOf(1);
    let turn = await list.next();
    const beganAtMs = clock.nowMs;
    while (turn !== undefined && list.putBack(turn)) turn = await list.next();
    expect(clock.nowMs - beganAtMs).toBeGreaterThanOrEqual(5000);
    expect(clock.nowMs - beganAtMs).toBeLessThan(6000);
    expect(await list.next()).toBeUndefined();
  });
});

describe('a runner among others', () => {
  test('that meets one goes on half-way to the end, and comes back to what it left out', async () => {
    const list = listOf(40);
    list.meet(await nextOf(list));
    const half = await workedOff(list);
    expect(half.slice(0, 2)).toEqual([22, 23]);
    expect(half.indexOf(39)).toBeLessThan(half.indexOf(2));
    expect(half.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 39 }, (_, nth) => nth + 2).filter((ordinal) => ordinal % 5 !== 0),
    );
  });

  test('that meets one again, in a row that was put back, has no row twice', async () => {
    const list = listOf(12);
    const turns: Turn[] = [];
    while (turns.length < 7) turns.push(await nextOf(list));
    // So near to the end that nothing is left out.
    for (const turn of turns.slice(0, 2)) list.putBack(turn, 'other');
    while (turns.length < 10) turns.push(await nextOf(list));
    clock.nowMs += 1000;
    const again = await nextOf(list);
    list.putBack(again, 'other');
    const all = [...turns.slice(2).map(({ row }) => row.ordinal), ...(await workedOff(list))];
    expect(all.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 11, 12]);
  });

  test.each([
    [101, 52],
    [11, 7],
    [10, 2],
  ])('of %i rows goes on with row %i once it has met one at the first', async (count, next) => {
    for (const meeting of ['meet', 'putBack'] as const) {
      const list = listOf(count);
      const first = await nextOf(list);
      list[meeting](first);
      expect((await nextOf(list)).row.ordinal).toBe(next);
    }
  });

  test.each([500, 20])(
    'goes on half-way once for each meeting, and gives every row once (pages of %i)',
    async (pageRows) => {
      const list = listOf(101, { pageRows });
      const first = await nextOf(list);
      list.meet(first);
      list.meet(first);
      const rest = await workedOff(list);
      expect(rest[0]).toBe(52);
      const all = Array.from({ length: 100 }, (_, nth) => nth + 2).filter((one) => one % 5 !== 0);
      expect(rest.toSorted((one, other) => one - other)).toEqual(all);
    },
  );

  test('passes over what another has done meanwhile, once it has met one', async () => {
    const list = listOf(600);
    const first = await nextOf(list);
    for (let ordinal = 100; ordinal <= 600; ordinal += 1) doneElsewhere.add(ordinal);
    list.meet(first);
    const ordinals = await workedOff(list);
    expect(Math.max(...ordinals)).toBe(99);
    expect(ordinals).toHaveLength(79);
  });

  test('says once for whom it waits, and leaves the rest to them after --max-wait', async () => {
    const list = listOf(4);
    const beganAtMs = clock.nowMs;
    const [first, second] = [await nextOf(list), await nextOf(list)];
    for (const turn of [first, second]) list.putBack(turn, 'other');
    expect([(await nextOf(list)).row.ordinal, (await nextOf(list)).row.ordinal]).toEqual([3, 4]);
    const given: number[] = [];
    for (let turn = await list.next(); turn !== undefined; turn = await list.next())
      if (!list.putBack(turn, 'other')) given.push(turn.row.ordinal);
    expect(given).toEqual([1, 2]);
    expect(clock.nowMs - beganAtMs).toBeGreaterThanOrEqual(5000);
    expect(waitedFor).toEqual([new Map([['other', 2]])]);
    expect(list.leftTo).toEqual(new Map([['other', 2]]));
  });

  test('begins nothing once it is stopped, and waits for nobody', async () => {
    const list = listOf(1);
    clock.runs = false;
    list.putBack(await nextOf(list), 'other');
    const next = list.next();
    await new Promise((resolve) => setImmediate(resolve));
    stopping.abort();
    expect(await next).toBeUndefined();
    expect(await list.next()).toBeUndefined();
  });

  test('hears what is wrong with the journal', async () => {
    const list = listOf(600);
    list.meet(await nextOf(list));
    doneElsewhere.has = () => {
      throw new Error('gone');
    };
    await expect(workedOff(list)).rejects.toThrow('gone');
  });

  test('however many there are, each has every row that is left once in hand, and each row is done once', async () => {
    const steps = fc.array(fc.record({ runner: fc.nat(2), ends: fc.boolean() }), { maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 700 }), steps, async (count, moves) => {
        sheet = new Sheet();
        stopping = new AbortController();
        doneElsewhere.clear();
        const lists = [0, 1, 2].map(() => listOf(count));
        const hands: Turn[][] = [[], [], []];
        const told: number[][] = [[], [], []];
        const sending = new Map<number, number>();
        const sent: number[] = [];
        const end = (runner: number): void => {
          const turn = hands[runner]?.shift();
          if (turn === undefined) return;
          sending.delete(turn.row.ordinal);
          doneElsewhere.add(turn.row.ordinal);
          told[runner]?.push(turn.row.ordinal);
        };
        const take = async (runner: number): Promise<boolean> => {
          const [list, hand] = [lists[runner], hands[runner]];
          const turn = await list?.next();
          if (turn === undefined || list === undefined) return false;
          const { ordinal } = turn.row;
          if (doneElsewhere.has(ordinal)) list.meet(turn);
          if (doneElsewhere.has(ordinal)) told[runner]?.push(ordinal);
          else if (sending.has(ordinal)) list.putBack(turn, `runner ${sending.get(ordinal)}`);
          else {
            sending.set(ordinal, runner);
            sent.push(ordinal);
            hand?.push(turn);
          }
          return true;
        };
        for (const { runner, ends } of moves) {
          if (ends) end(runner);
          else if ((hands[runner] ?? []).length < 8) await take(runner);
        }
        for (let isOver = false; !isOver; ) {
          isOver = true;
          for (const runner of [2, 0, 1]) {
            while ((hands[runner] ?? []).length > 0) end(runner);
            if (await take(runner)) isOver = false;
          }
        }
        const all = Array.from({ length: count }, (_, nth) => nth + 1).filter((one) => one % 5 !== 0);
        expect(sent.toSorted((one, other) => one - other)).toEqual(all);
        for (const ordinals of told) expect(new Set(ordinals).size).toBe(ordinals.length);
      }),
      { numRuns: 60 },
    );
  });
});

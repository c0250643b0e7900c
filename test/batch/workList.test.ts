import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Sheet } from '../../src/batch/sheet.ts';
import { allRows, type Ranges, WorkList } from '../../src/batch/workList.ts';
import type { Range, Runner, Taken } from '../../src/once/journal/journal.ts';
import { HeldClock } from '../../testing/heldClock.ts';

let sheet: Sheet;
let clock: HeldClock;
let stopping: AbortController;
let waitedFor: (readonly Runner[])[];
let asked: string[];

beforeEach(() => {
  sheet = new Sheet();
  clock = new HeldClock();
  stopping = new AbortController();
  waitedFor = [];
  asked = [];
});
afterEach(() => sheet.close());

function rows(count: number): void {
  for (let ordinal = 1; ordinal <= count; ordinal += 1) {
    const rest = { id: undefined, row: `${ordinal}`, request: '{}', intent: undefined, problem: undefined };
    sheet.add({ ordinal, line: ordinal, standing: ordinal % 5 === 0 ? 'done' : 'new', ...rest });
  }
}

function listOf(ranges: Ranges): WorkList {
  return new WorkList({
    sheet,
    ranges,
    concurrency: 4,
    clock,
    chance: { fraction: () => 0.5 },
    maxWaitMs: 5000,
    stopped: stopping.signal,
    onWaiting: (others) => waitedFor.push(others),
    ask: async (owner) => void asked.push(owner),
  });
}

/** Gives these answers one after the other, and the last one for ever. */
class Answers implements Ranges {
  readonly ended: Range[] = [];
  readonly #answers: Taken[];

  constructor(...answers: Taken[]) {
    this.#answers = answers;
  }

  async take(ended: readonly Range[]): Promise<Taken> {
    this.ended.push(...ended);
    const [answer] = this.#answers.length > 1 ? this.#answers.splice(0, 1) : this.#answers;
    return answer ?? nothing();
  }
}

const range = (first: number, last: number): Taken => ({ is: 'range', range: { first, last }, left: 0 });
const nothing = (...others: Runner[]): Taken => ({ is: 'nothing', others, theirs: [] });
const web2: Runner = { host: 'web-2', pid: 7, rows: 4 };

/** What is given out until there is nothing more; each row ends at once. */
async function workedOff(list: WorkList): Promise<number[]> {
  const ordinals: number[] = [];
  for (let turn = await list.next(); turn !== undefined; turn = await list.next()) {
    ordinals.push(turn.row.ordinal);
    list.end(turn);
  }
  return ordinals;
}

describe('a runner on its own', () => {
  test('has every row that is not done, in their order', async () => {
    rows(11);
    expect(await workedOff(listOf(allRows()))).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 11]);
    expect(clock.sleeps).toEqual([]);
  });

  test('does what another process sends after all else, and no sooner than a moment later', async () => {
    rows(4);
    const list = listOf(allRows());
    const first = await list.next();
    if (first === undefined) throw new Error('no row');
    expect(list.putBack(first)).toBe(true);
    const beganAtMs = clock.nowMs;
    expect(await workedOff(list)).toEqual([2, 3, 4, 1]);
    expect(clock.nowMs - beganAtMs).toBeGreaterThanOrEqual(250);
  });

  test('waits for it no longer than --max-wait', async () => {
    rows(1);
    const list = listOf(allRows());
    let turn = await list.next();
    const beganAtMs = clock.nowMs;
    while (turn !== undefined && list.putBack(turn)) turn = await list.next();
    expect(clock.nowMs - beganAtMs).toBeGreaterThanOrEqual(5000);
    expect(clock.nowMs - beganAtMs).toBeLessThan(6000);
    if (turn !== undefined) list.end(turn);
    expect(await list.next()).toBeUndefined();
  });

  test('asks for it once it has nothing else to do and has waited a while, and not all the time', async () => {
    rows(4);
    const list = listOf(allRows());
    const first = await list.next();
    if (first === undefined) throw new Error('no row');
    list.putBack(first, 'other');
    for (let row = 2; row <= 4; row += 1) {
      const turn = await list.next();
      expect(turn?.row.ordinal).toBe(row);
      if (turn !== undefined) list.end(turn);
    }
    let again = await list.next();
    expect([again?.row.ordinal, asked]).toEqual([1, []]);
    const beganAtMs = clock.nowMs;
    for (let looks = 0; looks < 8 && again !== undefined; looks += 1) {
      list.putBack(again, 'other');
      again = await list.next();
    }
    const timesAsked = Math.ceil((clock.nowMs - beganAtMs) / 500);
    expect(asked).toEqual(Array.from({ length: timesAsked }, () => 'other'));
  });

  test('asks nobody for what it has given back itself', async () => {
    rows(1);
    const list = listOf(allRows());
    for (let looks = 0; looks < 8; looks += 1) {
      const turn = await list.next();
      if (turn !== undefined) list.giveBack(turn);
    }
    expect(asked).toEqual([]);
    expect(await workedOff(list)).toEqual([1]);
  });
});

describe('a runner among others', () => {
  test('gives back each range when all its rows have ended, those put back too', async () => {
    rows(8);
    const answers = new Answers(range(1, 4), range(6, 8), nothing());
    const list = listOf(answers);
    const first = await list.next();
    if (first === undefined) throw new Error('no row');
    list.putBack(first);
    const second = await list.next();
    expect(second?.row.ordinal).toBe(2);
    if (second !== undefined) list.end(second);
    expect(await workedOff(list)).toEqual([3, 4, 6, 7, 8, 1]);
    expect(answers.ended).toEqual([
      { first: 6, last: 8 },
      { first: 1, last: 4 },
    ]);
  });

  test('waits for them, says for whom once, and has what becomes of theirs', async () => {
    rows(4);
    const list = listOf(new Answers(range(1, 2), nothing(web2), nothing(web2), range(3, 4), nothing()));
    expect(await workedOff(list)).toEqual([1, 2, 3, 4]);
    expect(waitedFor).toEqual([[web2]]);
    expect(list.waitedFor).toEqual([]);
  });

  test('looks through theirs after a while, each row once, and gives none of their ranges back', async () => {
    rows(9);
    const theirs: Taken = { is: 'nothing', others: [web2], theirs: [{ first: 3, last: 9 }] };
    const answers = new Answers(range(1, 2), theirs, theirs, theirs, theirs, nothing());
    const list = listOf(answers);
    const seen: number[] = [];
    for (let turn = await list.next(); turn !== undefined; turn = await list.next()) {
      seen.push(turn.row.ordinal);
      // As a row that has an end is told of, and is not looked at again.
      sheet.recordEnd(turn.row.ordinal, 'accepted', undefined, undefined);
      list.end(turn);
    }
    expect(seen).toEqual([1, 2, 3, 4, 6, 7, 8, 9]);
    expect(answers.ended).toEqual([{ first: 1, last: 2 }]);
    expect(waitedFor).toEqual([[web2]]);
  });

  test('takes over a range that it is looking through without beginning a row of it twice', async () => {
    rows(4);
    const theirs: Taken = { is: 'nothing', others: [web2], theirs: [{ first: 1, last: 4 }] };
    const answers = new Answers(theirs, theirs, range(1, 4), nothing(web2), nothing(web2), nothing());
    const list = listOf(answers);
    const first = await list.next();
    if (first === undefined) throw new Error('no row');
    // In flight until long after the range was taken over.
    clock.onSleep = () => {
      if (clock.sleeps.length === 8) list.end(first);
    };
    expect(await workedOff(list)).toEqual([2, 3, 4]);
    expect(answers.ended).toEqual([{ first: 1, last: 4 }]);
  });

  test('leaves the rest to them after --max-wait', async () => {
    rows(4);
    const beganAtMs = clock.nowMs;
    const list = listOf(new Answers(range(1, 2), nothing(web2)));
    expect(await workedOff(list)).toEqual([1, 2]);
    expect(clock.nowMs - beganAtMs).toBeGreaterThanOrEqual(5000);
    expect(list.waitedFor).toEqual([web2]);
  });

  test('begins nothing once it is stopped, and waits for nobody', async () => {
    rows(4);
    clock.runs = false;
    const list = listOf(new Answers(nothing(web2)));
    const next = list.next();
    await new Promise((resolve) => setImmediate(resolve));
    stopping.abort();
    expect(await next).toBeUndefined();
    expect(await list.next()).toBeUndefined();
  });

  test('hears what is wrong with the journal', async () => {
    rows(4);
    const list = listOf({ take: () => Promise.reject(new Error('gone')) });
    await expect(list.next()).rejects.toThrow('gone');
  });
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LongWaits } from '../../../src/cli/show/faces.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function said(): { lines: string[]; waits: LongWaits } {
  const lines: string[] = [];
  return { lines, waits: new LongWaits((why) => lines.push(why), Date.now) };
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

const taking = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('a wait that is over soon is silent', async () => {
  const { lines, waits } = said();
  const waited = waits.during('sending', taking(1_999));
  await pass(60_000);
  await waited;
  expect(lines).toEqual([]);
});

test('a long one is told once, when it has become long', async () => {
  const { lines, waits } = said();
  const waited = waits.during('sending', taking(30_000));
  await pass(1_999);
  expect(lines).toEqual([]);
  await pass(60_000);
  await waited;
  expect(lines).toEqual(['sending']);
});

test('many short ones are as silent as a long one: told, and told again now and then', async () => {
  const { lines, waits } = said();
  const waiting = (async () => {
    for (let nth = 1; nth <= 25; nth += 1) await waits.during(`try ${nth}`, taking(1_000));
  })();
  await pass(60_000);
  await waiting;
  expect(lines).toEqual(['try 3', 'try 13', 'try 23']);
});

test('ends as its work does', async () => {
  const { waits } = said();
  expect(await waits.during('sending', Promise.resolve('done'))).toBe('done');
  await expect(waits.during('sending', Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  expect(vi.getTimerCount()).toBe(0);
});

import { afterAll, expect, test } from 'vitest';
import { thisProcess } from '../src/main.ts';

const before = new Map(
  (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) => [name, process.listeners(name)]),
);
afterAll(() => {
  for (const [name, listeners] of before) {
    for (const added of process.listeners(name)) {
      if (!listeners.includes(added)) process.off(name, added);
    }
  }
});

test('a sleep longer than any timer of Node is not over at once', async () => {
  const { clock } = thisProcess();
  const cut = new AbortController();
  let woke = false;
  const sleeping = clock.sleep(2 ** 31, cut.signal).then(() => {
    woke = true;
  });
  // Node lets a timer that is too long fire after 1 ms: before this one, which is set later.
  await clock.sleep(5);
  expect(woke).toBe(false);
  cut.abort();
  await sleeping;
});

import { expect, test } from 'vitest';
import { poolChannels } from '../../../src/once/connection.ts';
import type { Channel, Flight } from '../../../src/once/wire/flight.ts';

const lost: Flight = { came: 'nothing', headersSent: false, trouble: { is: 'no-answer' } };
const shipment = { url: 'http://127.0.0.1/', token: { reveal: () => 't' }, body: new Uint8Array() };
const limits = { timeoutMs: 1000, cut: new AbortController().signal, lastCheck: () => undefined };

/** Lines that fly until they are told to land. */
function slowLines() {
  const landings: (() => void)[] = [];
  const flown: number[] = [];
  let closed = 0;
  const open = (): Channel => {
    const index = flown.push(0) - 1;
    return {
      fly: () => {
        flown[index] = (flown[index] ?? 0) + 1;
        return new Promise((resolve) => landings.push(() => resolve(lost)));
      },
      close: async () => {
        closed += 1;
      },
    };
  };
  return { open, landings, flown, closed: () => closed };
}

test('each request at a time has a channel of its own, and a free channel is used again', async () => {
  const { open, landings, flown, closed } = slowLines();
  const pool = poolChannels(open);
  const first = [pool.fly(shipment, limits), pool.fly(shipment, limits), pool.fly(shipment, limits)];
  expect(flown).toEqual([1, 1, 1]);
  for (const land of landings.splice(0)) land();
  await Promise.all(first);
  const again = pool.fly(shipment, limits);
  expect(flown.reduce((sum, count) => sum + count)).toBe(4);
  expect(flown).toHaveLength(3);
  landings.pop()?.();
  await again;
  await pool.close();
  expect(closed()).toBe(3);
});

test('what forbids a channel is known before anything is to be sent on it', () => {
  const refuse = (): Channel => {
    throw new Error('not on this channel');
  };
  expect(() => poolChannels(refuse)).toThrow('not on this channel');
});

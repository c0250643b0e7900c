import { describe, expect, test } from 'vitest';
import { LateChannel } from '../../../src/once/connection.ts';
import type { Channel, Flight } from '../../../src/once/wire/flight.ts';

const landed: Flight = { came: 'nothing', headersSent: true, trouble: { is: 'no-answer' } };
const shipment = { url: 'http://127.0.0.1', token: { reveal: () => 'token' }, body: new Uint8Array() };
const limits = { timeoutMs: 1, cut: new AbortController().signal, lastCheck: () => undefined };

function rehearsal() {
  const seen = { opened: 0, closed: 0 };
  const channel: Channel = {
    fly: async () => landed,
    close: async () => {
      seen.closed += 1;
    },
  };
  const late = new LateChannel(async () => {
    seen.opened += 1;
    return channel;
  });
  return { late, seen };
}

describe('a channel that is opened late', () => {
  test('is never opened where nothing flies', async () => {
    const { late, seen } = rehearsal();
    await late.close();
    expect(seen).toEqual({ opened: 0, closed: 0 });
  });

  test('is opened once, and closed', async () => {
    const { late, seen } = rehearsal();
    await late.ready();
    expect(await late.fly(shipment, limits)).toBe(landed);
    await late.fly(shipment, limits);
    await late.close();
    expect(seen).toEqual({ opened: 1, closed: 1 });
  });

  test('that cannot be opened says so before anything is journaled, and afterwards that nothing left', async () => {
    const late = new LateChannel(async () => {
      throw new Error('no such file');
    });
    await expect(late.ready()).rejects.toThrow('no such file');
    expect(await late.fly(shipment, limits)).toEqual({
      came: 'nothing',
      headersSent: false,
      trouble: { is: 'connection', text: 'no such file' },
    });
    await expect(late.close()).resolves.toBeUndefined();
  });
});

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseAddress } from '../../src/postgres/address.ts';
import { type Patience, PgConnections } from '../../src/postgres/connections.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Connections to a server that is never asked; each pause takes as long as it says. */
function patientWith(change: Partial<Patience> = {}) {
  const paused: [waitMs: number, signal: AbortSignal | undefined][] = [];
  const patience: Patience = {
    maxWaitMs: 10_000,
    leastMs: 2000,
    interrupted: new AbortController().signal,
    sleep: async (waitMs, signal) => {
      paused.push([waitMs, signal]);
      vi.advanceTimersByTime(waitMs);
    },
    ...change,
  };
  const address = parseAddress('postgres://db/x', 'BOTCTL_JOURNAL', {}, () => 'nobody');
  const connections = new PgConnections(address, patience, async () => {});
  return { connections, paused, pauses: () => paused.map(([waitMs]) => waitMs) };
}

async function untilTimeIsUp(waiting: { again(): Promise<boolean> }): Promise<void> {
  while (await waiting.again());
}

describe('who waits for a server', () => {
  test('pauses twice as long each time, up to two seconds, until the time is up', async () => {
    const { connections, pauses } = patientWith();
    await untilTimeIsUp(connections.waiting());
    expect(pauses()).toEqual([100, 200, 400, 800, 1600, 2000, 2000, 2000]);
  });

  test('does not wait again for the same, whoever asks next, until something worked', async () => {
    const { connections, pauses } = patientWith({ maxWaitMs: 1000 });
    await untilTimeIsUp(connections.waiting());
    expect(pauses()).toEqual([100, 200, 400]);
    vi.advanceTimersByTime(300);
    const next = connections.waiting();
    expect(await next.again()).toBe(false);
    expect(next.leftMs()).toBe(2000);
    next.over();
    expect(await connections.waiting().again()).toBe(true);
  });

  test('has for a question what is left of the time, and two seconds at least', () => {
    const { connections } = patientWith();
    const waiting = connections.waiting();
    expect(waiting.leftMs()).toBe(10_000);
    vi.advanceTimersByTime(7999);
    expect(waiting.leftMs()).toBe(2001);
    vi.advanceTimersByTime(500);
    expect(waiting.leftMs()).toBe(2000);
  });

  test('has the full time for a reply that came back, and five seconds at least', () => {
    const { connections } = patientWith();
    connections.waiting();
    vi.advanceTimersByTime(9000);
    const reply = connections.waiting(true);
    expect(reply.leftMs()).toBe(10_000);
    vi.advanceTimersByTime(9000);
    expect(reply.leftMs()).toBe(5000);
  });

  test('waits no more once interrupted, except for a reply: for five seconds', async () => {
    const [interrupted, leaving] = [AbortSignal.abort(), new AbortController().signal];
    const { connections, paused, pauses } = patientWith({ interrupted, leaving });
    expect(await connections.waiting().again()).toBe(false);
    await untilTimeIsUp(connections.waiting(true));
    expect(pauses()).toEqual([100, 200, 400, 800, 1600]);
    expect(new Set(paused.map(([, signal]) => signal))).toEqual(new Set([leaving]));
  });

  test('waits for nothing a second after it was told twice to leave', async () => {
    const leaving = new AbortController();
    const { connections } = patientWith({ leaving: leaving.signal });
    leaving.abort();
    vi.advanceTimersByTime(999);
    expect(await connections.waiting(true).again()).toBe(true);
    vi.advanceTimersByTime(1);
    expect(await connections.waiting(true).again()).toBe(false);
    await expect(connections.working()).rejects.toMatchObject({ kind: 'unreachable' });
  });
});

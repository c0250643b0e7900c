import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseAddress } from '../../src/postgres/address.ts';
import { PgConnections } from '../../src/postgres/connections.ts';
import { patient } from '../../testing/postgres/sharedJournal.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const nowhere = parseAddress('postgres://127.0.0.1:1/none', 'BOTCTL_JOURNAL', {}, () => 'nobody');

function newLines(): PgConnections {
  const patience = { ...patient, maxWaitMs: 10_000, leastMs: 1000, sleep: async () => {} };
  return new PgConnections(nowhere, patience, async () => 'nobody answers');
}

test('what is asked after a wait for nothing has only what is left of it, and never less than a moment', () => {
  const lines = newLines();
  lines.waiting();
  vi.advanceTimersByTime(7000);
  expect(lines.waiting().leftMs()).toBe(3000);
  vi.advanceTimersByTime(60_000);
  expect(lines.waiting().leftMs()).toBe(1000);
});

test('where the server has answered, what comes next has all the time again', () => {
  const lines = newLines();
  const first = lines.waiting();
  vi.advanceTimersByTime(7000);
  first.over();
  expect(lines.waiting().leftMs()).toBe(10_000);
});

test('a reply that has come is worth all of the time, whatever was waited before', async () => {
  const lines = newLines();
  lines.waiting();
  vi.advanceTimersByTime(60_000);
  expect(await lines.waiting().again()).toBe(false);
  const forReply = lines.waiting(true);
  expect([forReply.leftMs(), await forReply.again()]).toEqual([10_000, true]);
});

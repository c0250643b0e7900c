import { expect, test } from 'vitest';
import { InFlightLimit, type Leave } from '../../src/batch/pace.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Who was let in, or turned away, in the order of their asking. */
function askers(inFlightLimit: InFlightLimit, count: number): (Leave | 'turned away' | 'waits')[] {
  const answers: (Leave | 'turned away' | 'waits')[] = Array.from({ length: count }, () => 'waits');
  for (let nth = 0; nth < count; nth += 1)
    void inFlightLimit.enter().then((leave) => {
      answers[nth] = leave ?? 'turned away';
    });
  return answers;
}

test('as many are let in as there are places, and the next one when one of them leaves', async () => {
  const inFlightLimit = new InFlightLimit(2, new AbortController().signal);
  const answers = askers(inFlightLimit, 4);
  await turn();
  expect(answers.map((one) => typeof one)).toEqual(['function', 'function', 'string', 'string']);
  expect([inFlightLimit.inFlight, inFlightLimit.waiting]).toEqual([2, 2]);
  (answers[1] as Leave)();
  await turn();
  expect(answers.map((one) => typeof one)).toEqual(['function', 'function', 'function', 'string']);
  expect([inFlightLimit.inFlight, inFlightLimit.waiting]).toEqual([2, 1]);
});

test('who leaves twice makes room once', async () => {
  const inFlightLimit = new InFlightLimit(1, new AbortController().signal);
  const answers = askers(inFlightLimit, 3);
  await turn();
  (answers[0] as Leave)();
  (answers[0] as Leave)();
  await turn();
  expect(answers[2]).toBe('waits');
  expect(inFlightLimit.inFlight).toBe(1);
});

test('who waits can be turned away, and who comes later waits again', async () => {
  const inFlightLimit = new InFlightLimit(1, new AbortController().signal);
  const answers = askers(inFlightLimit, 2);
  await turn();
  inFlightLimit.turnAway();
  await turn();
  expect([typeof answers[0], answers[1]]).toEqual(['function', 'turned away']);
  const [later] = [askers(inFlightLimit, 1)];
  await turn();
  expect([later[0], inFlightLimit.inFlight, inFlightLimit.waiting]).toEqual(['waits', 1, 1]);
});

test('once nothing more is to be sent, those who wait are turned away, and so is who comes later', async () => {
  const stopping = new AbortController();
  const inFlightLimit = new InFlightLimit(1, stopping.signal);
  const answers = askers(inFlightLimit, 2);
  await turn();
  stopping.abort();
  await turn();
  expect(answers[1]).toBe('turned away');
  expect(await inFlightLimit.enter()).toBeUndefined();
});

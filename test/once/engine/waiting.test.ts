// How long a process waits for another one, and what it waits for.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waitForOwner } from '../../../src/once/engine/beforeClaim.ts';
import type { EngineContext } from '../../../src/once/engine/context.ts';
import type { Entry, Journal } from '../../../src/once/journal/journal.ts';

import { endOf, ScriptedEngine, transfer } from '../../support/scriptedEngine.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

const sending = { id: 'i', state: 'sending', owner: 'o', ownerLives: true } as Entry;
const accepted = { id: 'i', state: 'accepted' } as Entry;

type Case = {
  /** What each look at the journal finds; the last again and again. */
  readonly looks: readonly (Entry | undefined)[];
  readonly limits?: Partial<EngineContext['limits']>;
  readonly beforeMs?: number;
  /** How far the clock jumps at each pause. */
  readonly jumpMs?: number;
  readonly journal?: Partial<Journal>;
};

/** How the wait ended, after how many pauses, and how long it was for an owner that was sending. */
async function wait(one: Case): Promise<[string, number, number]> {
  const { looks, beforeMs = 0, jumpMs = 0 } = one;
  const journal = scripted.open();
  let look = -1;
  const get = async () => {
    look += 1;
    return looks[Math.min(look, looks.length - 1)];
  };
  const reads = { ...journal.reads, get };
  scripted.clock.onSleep = () => {
    scripted.clock.nowMs += jumpMs;
  };
  const limits = { maxWaitMs: 500, ...one.limits };
  const engine = scripted.engine({ journal: { ...journal, reads, ...one.journal }, limits });
  const { is, inAllMs } = await waitForOwner(sending, engine, beforeMs);
  return [is, scripted.clock.sleeps.length, inAllMs];
}

describe('a wait for another process', () => {
  test.each<[string, Case, [string, number, number]]>([
    ['its end', { looks: [sending, sending, accepted] }, ['ended', 2, 100]],
    ['its death', { looks: [sending, { ...sending, ownerLives: false }] }, ['ended', 1, 50]],
    ['another that took over', { looks: [sending, { ...sending, owner: 'p' }] }, ['ended', 1, 50]],
    ['an entry that is gone', { looks: [sending, undefined] }, ['ended', 1, 50]],
    ['--max-wait', { looks: [sending] }, ['time-is-up', 10, 500]],
    ['a time of its own', { looks: [sending], limits: { ownerWaitMs: 100 } }, ['time-is-up', 2, 100]],
    ['what is left of the time', { looks: [sending], beforeMs: 400 }, ['time-is-up', 2, 500]],
    ['pauses, if the clock goes back', { looks: [sending], jumpMs: -1000 }, ['time-is-up', 10, 500]],
    ['the clock, if pauses take long', { looks: [sending], jumpMs: 200 }, ['time-is-up', 2, 500]],
  ])('ends with %s', async (_what, one, ended) => {
    expect(await wait(one)).toEqual(ended);
  });
});

describe('what is resumed', () => {
  const soon = { limits: { maxWaitMs: 100 } };

  test('waits for the process that sends it', async () => {
    await scripted.beginSending(transfer());
    expect(endOf(await scripted.resume((await scripted.only()).id, [], soon))).toBe('still-sending');
  });
});

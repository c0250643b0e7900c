// How long a process waits for another one, and what it waits for.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waitForOwner } from '../../../src/once/engine/beforeClaim.ts';
import { guardsOf } from '../../../src/once/engine/claim.ts';
import type { EngineContext } from '../../../src/once/engine/context.ts';
import { resolveIntent } from '../../../src/once/engine/resume.ts';
import type { BaseUrl } from '../../../src/once/intent/baseUrl.ts';
import { spellingsIn } from '../../../src/once/intent/spellings.ts';
import { paymentOf } from '../../../src/once/intent/wanted.ts';
import type { Attempt, Intent, Journal } from '../../../src/once/journal/journal.ts';

import { endOf, ScriptedEngine, transfer, unsent } from '../../../testing/scriptedEngine.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

const sending = { id: 'i', state: 'sending', owner: 'o', ownerLives: true } as Intent;
const accepted = { id: 'i', state: 'accepted' } as Intent;
const told = { ...accepted, reportedAtMs: 1 };
const open = { id: 'i', state: 'open' } as Intent;
const back = { is: 'given-back' } as const;

type Case = {
  /** What each look at the journal finds; the last again and again. */
  readonly looks: readonly (Intent | undefined)[];
  readonly intent?: Intent;
  readonly twin?: boolean;
  readonly lives?: boolean;
  readonly trouble?: Attempt['trouble'];
  readonly limits?: Partial<EngineContext['limits']>;
  readonly beforeMs?: number;
  /** How far the clock jumps at each pause. */
  readonly jumpMs?: number;
  readonly journal?: Partial<Journal>;
};

/** How the wait ended, after how many pauses, and how long it was for an owner that was sending. */
async function wait(one: Case): Promise<[string, number, number]> {
  const { looks, intent = sending, twin = false, lives = true, trouble, beforeMs = 0, jumpMs = 0 } = one;
  const journal = scripted.open();
  let look = -1;
  const get = async () => {
    look += 1;
    return looks[Math.min(look, looks.length - 1)];
  };
  const decisiveAttempt = async () => ({ trouble }) as Attempt;
  const reads = { ...journal.reads, get, decisiveAttempt, ownerLives: async () => lives };
  scripted.clock.onSleep = () => {
    scripted.clock.nowMs += jumpMs;
  };
  const limits = { maxWaitMs: 500, ...one.limits };
  const engine = scripted.engine({ journal: { ...journal, reads, ...one.journal }, limits });
  const { is, inAllMs } = await waitForOwner({ intent, twin }, engine, beforeMs);
  return [is, scripted.clock.sleeps.length, inAllMs];
}

describe('a wait for another process', () => {
  test.each<[string, Case, [string, number, number]]>([
    ['its end', { looks: [sending, sending, accepted] }, ['ended', 2, 50]],
    ['its death', { looks: [sending, { ...sending, ownerLives: false }] }, ['owner-died', 1, 50]],
    ['another that took over', { looks: [sending, { ...sending, owner: 'p' }] }, ['ended', 1, 0]],
    ['an intent that is gone', { looks: [sending, undefined], twin: true }, ['ended', 1, 0]],
    ['--max-wait', { looks: [sending] }, ['time-is-up', 10, 500]],
    ['a time of its own', { looks: [sending], limits: { ownerWaitMs: 100 } }, ['time-is-up', 2, 100]],
    ['what is left of the time', { looks: [sending], beforeMs: 400 }, ['time-is-up', 2, 500]],
    ['pauses, if the clock goes back', { looks: [sending], jumpMs: -1000 }, ['time-is-up', 10, 500]],
    ['the clock, if pauses take long', { looks: [sending], jumpMs: 200 }, ['time-is-up', 2, 500]],
    ['its word that it was not sent', { looks: [sending, open], trouble: back }, ['given-back', 1, 0]],
    [
      'its word that it was not sent now, but in doubt',
      { looks: [sending, { ...open, state: 'unknown' }], trouble: back },
      ['given-back', 1, 0],
    ],
    ['an end without that word', { looks: [sending, open], trouble: { is: 'no-answer' } }, ['ended', 1, 0]],
    [
      'another’s end after that word',
      { looks: [sending, { ...open, state: 'rejected' }], trouble: back },
      ['ended', 1, 0],
    ],
    ['a twin until it is told', { looks: [sending, accepted, accepted, told], twin: true }, ['ended', 3, 0]],
    [
      'a run’s twin until it is told',
      { looks: [sending, { ...accepted, namedBy: 'run' }, told], twin: true },
      ['ended', 2, 0],
    ],
    [
      'a twin with a name of its own',
      { looks: [sending, { ...accepted, namedBy: 'once' }], twin: true },
      ['ended', 1, 0],
    ],
    ['a twin not made', { looks: [sending, { ...open, state: 'rejected' }], twin: true }, ['ended', 1, 0]],
    [
      'a twin that no living process tells',
      { looks: [sending, accepted], twin: true, lives: false },
      ['ended', 1, 0],
    ],
    ['a twin that is never told', { looks: [sending, accepted], twin: true }, ['ended', 10, 0]],
  ])('ends with %s', async (_what, one, ended) => {
    expect(await wait(one)).toEqual(ended);
  });

  test('asks the batch that sends a row to give it back, and no other process', async () => {
    const asked: string[] = [];
    const askOwner = async (owner: string) => void asked.push(owner);
    const journal = { askOwner };
    await wait({ looks: [sending, accepted], journal });
    await wait({ looks: [sending, sending, accepted], intent: { ...sending, namedBy: 'row' }, journal });
    expect(asked).toEqual(['o', 'o']);
  });

  test('ends where that question fails', async () => {
    const askOwner = async () => Promise.reject(new Error('disk full'));
    const asking = wait({ looks: [sending], intent: { ...sending, namedBy: 'row' }, journal: { askOwner } });
    await expect(asking).rejects.toThrow('disk full');
  });
});

describe('what is resumed', () => {
  const soon = { limits: { maxWaitMs: 100 } };

  test('waits for the process that sends it', async () => {
    await scripted.beginSending(transfer());
    expect(endOf(await scripted.resume((await scripted.only()).id, [], soon))).toBe('still-sending');
  });

  test('waits for the process that sends its twin', async () => {
    await scripted.run(transfer(), [unsent], soon);
    const { id } = await scripted.only();
    await scripted.beginSending(transfer({ memo: 'twin' }));
    expect(endOf(await scripted.resume(id, [], soon))).toBe('not sent: twin-still-sending');
  });
});

describe('others are kept out while it is claimed', () => {
  const payment = paymentOf(transfer().wanted);
  const paying = `payment https://bots.example ${payment}`;
  const intent = { key: 'k', identity: 'i', baseUrl: 'https://bots.example/bots' as BaseUrl, payment };
  const once = { ...intent, namedBy: 'once' } as const;

  test.each([
    ['unnamed', { ...intent, namedBy: undefined }, { alone: ['i', 'n', paying] }],
    ['of a run', { ...intent, namedBy: 'run' }, { alone: ['k', 'n', paying] }],
    ['named for itself', once, { alone: ['k', 'n'], alongside: [paying] }],
    ['a message', { ...once, payment: undefined }, { alone: ['k', 'n'], alongside: [] }],
  ] as const)('from the same, and from the same payment: %s', (_what, guarded, guards) => {
    expect(guardsOf(guarded, {}, ['n'])).toEqual({ ...guards, beforeSending: true });
  });

  test('while it is resumed or decided', async () => {
    await scripted.run(transfer(), [unsent], { limits: { maxWaitMs: 0 } });
    const { id, identity, payment: paid } = await scripted.only();
    const alone: unknown[] = [];
    const open = scripted.open();
    const commit: EngineContext['commit'] = (work, guards) => {
      alone.push(guards?.alone);
      return open.commit(work, guards);
    };
    const journal = { ...open, commit };
    await resolveIntent(await scripted.shown(id), scripted.word('happened'), journal);
    await scripted.resume(id, [], { journal });
    const same = [identity, `payment https://bots.example ${paid}`];
    expect(alone).toEqual([same, same]);
  });

  test('from the same in another spelling of its asset, whatever the others know of spellings', () => {
    const bot = { spellings: spellingsIn([{ USDC: 'Mint' }]) };
    const guards = guardsOf({ ...once, payment: '["a","mint","1"]' }, { bot });
    expect(guards.alongside).toEqual(
      ['usdc', 'mint'].map((asset) => `payment https://bots.example ["a","${asset}","1"]`),
    );
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claim } from '../../src/engine/claim.ts';
import { conclude } from '../../src/engine/conclusion.ts';
import { decideOutcome } from '../../src/engine/decide.ts';
import type { Doing } from '../../src/engine/doing.ts';
import { execute } from '../../src/engine/execute.ts';
import { Failure } from '../../src/errors.ts';
import type { Naming } from '../../src/intent/naming.ts';
import {
  endOf,
  key,
  lost,
  message,
  once,
  paid,
  posted,
  reply,
  run,
  transfer,
  unsent,
  Workshop,
} from '../helpers/workshop.ts';
import { windows } from './design.ts';

let shop: Workshop;
beforeEach(() => {
  shop = new Workshop();
});
afterEach(() => shop.remove());

const noRetries = { limits: { retries: 0 } };
const hour = 3_600_000;

/** A run that ends here and is told to its caller. */
async function done(asked: ReturnType<typeof transfer>): Promise<string> {
  const ended = await shop.run(asked, [asked.wanted.kind === 'message' ? posted : paid]);
  if (ended.is !== 'concluded') throw new Error(ended.is);
  shop.report(ended.intent.id);
  return ended.intent.id;
}

describe('the same command again', () => {
  it.each([
    ['transfer', transfer(), windows.transfer],
    ['message', message(), windows.message],
  ] as const)(
    'is a replay of a %s inside its window, counted from the first report',
    async (_kind, asked, windowMs) => {
      await done(asked);
      shop.clock.advance(windowMs);
      expect(endOf(await shop.run(asked))).toBe('replayed accepted');
      // A replay is no first report: the window does not grow with it.
      shop.report(shop.only().id);
      shop.clock.advance(1);
      const anew = await shop.run(asked, [_kind === 'message' ? posted : paid]);
      expect(endOf(anew)).toBe('accepted');
      expect(shop.intents()).toHaveLength(2);
      expect(new Set(shop.sent.map((sent) => sent.key)).size).toBe(2);
      expect(shop.notices.join()).toMatch(/last (made|sent)/u);
    },
  );

  it('is a replay however late, where nobody was told yet', async () => {
    await shop.run(transfer(), [paid]);
    shop.clock.advance(1000 * hour);
    expect(endOf(await shop.run(transfer()))).toBe('replayed accepted');
  });

  it.each([once('n'), run('n'), key('n')])('is a replay for ever where it is named: %j', async (naming) => {
    await done(transfer({}, naming));
    shop.clock.advance(1000 * hour);
    expect(endOf(await shop.run(transfer({}, naming)))).toBe('replayed accepted');
  });

  it('is still a replay where the clock went back before the report', async () => {
    await done(transfer());
    shop.clock.nowMs -= 48 * hour;
    expect(endOf(await shop.run(transfer()))).toBe('replayed accepted');
  });

  it('with an amount spelled otherwise is the same command', async () => {
    await done(transfer({ amount: '1.5' }));
    expect(endOf(await shop.run(transfer({ amount: '1.5', memo: '' })))).toBe('replayed accepted');
  });

  it('of another bot is another command, unless it is named', async () => {
    await done(transfer());
    expect(endOf(await shop.run(transfer(), [paid], { bot: 'other' }))).toBe('accepted');
    await done(transfer({}, once('n')));
    expect(endOf(await shop.run(transfer({}, once('n')), [], { bot: 'other' }))).toBe('refused other-bot');
  });

  it('of another token is another command only where the token is no profile’s', async () => {
    await done(message());
    expect(endOf(await shop.run(message(), [], { token: 'token-2' }))).toBe('replayed accepted');
    const env = { bot: 'env' };
    await shop.run(message(), [posted], env);
    expect(endOf(await shop.run(message(), [], env))).toBe('replayed accepted');
    expect(endOf(await shop.run(message(), [posted], { ...env, token: 'token-2' }))).toBe('accepted');
  });

  it('after a rejection is a new intent with a new key, or, named, the same key again', async () => {
    await shop.run(transfer(), [reply(402)]);
    await shop.run(transfer(), [paid]);
    expect(new Set(shop.sent.map((sent) => sent.key)).size).toBe(2);
    await shop.run(transfer({}, once('n')), [reply(402)]);
    await shop.run(transfer({}, once('n')), [paid]);
    expect(new Set(shop.sent.map((sent) => sent.key)).size).toBe(3);
    expect(shop.intents()).toHaveLength(3);
  });

  it('takes up what is open with its stored key and bytes', async () => {
    await shop.run(transfer(), [unsent], noRetries);
    shop.clock.advance(1000 * hour);
    expect(endOf(await shop.run(transfer(), [paid]))).toBe('accepted');
    expect(new Set(shop.sent.map(({ body }) => body)).size).toBe(1);
  });

  it('leaves an undecided unnamed message behind once its key is too old, and says so', async () => {
    await shop.run(message(), [lost], noRetries);
    shop.clock.advance(24 * hour + 1);
    expect(endOf(await shop.run(message(), [posted]))).toBe('accepted');
    expect(shop.intents().map(({ state }) => state)).toEqual(['held', 'accepted']);
    expect(shop.notices.join()).toMatch(/left undecided.*may have happened/u);
  });

  it.each([
    ['a named message', message('Hello', once('n')), 24 * hour + 1],
    ['a transfer', transfer(), 30 * 60_000 + 1],
  ] as const)('never leaves %s behind', async (_what, asked, ageMs) => {
    await shop.run(asked, [lost], noRetries);
    shop.clock.advance(ageMs);
    expect(endOf(await shop.run(asked))).toBe('held');
    shop.clock.advance(1000 * hour);
    expect(endOf(await shop.run(asked))).toBe('held');
    expect(shop.sent).toHaveLength(1);
  });

  it('does not leave behind a held message whose key is not too old', async () => {
    await shop.run(message(), [reply(200, 'OK')]);
    expect(endOf(await shop.run(message()))).toBe('held');
    expect(shop.sent).toHaveLength(1);
  });
});

describe('a name with another body', () => {
  const first = transfer({ amount: '1' }, once('n'));
  const second = transfer({ amount: '2' }, once('n'));

  it.each([
    ['unknown', lost],
    ['open', unsent],
    ['accepted', paid],
    ['held', reply(200, 'OK')],
  ] as const)('is refused while its intent is %s', async (state, answer) => {
    expect(endOf(await shop.run(first, [answer], noRetries))).toBe(state);
    expect(endOf(await shop.run(second))).toBe('refused other-body');
    expect(shop.sent).toHaveLength(1);
  });

  it('takes the new body under the old key after a plain rejection', async () => {
    await shop.run(first, [reply(400)]);
    expect(endOf(await shop.run(second, [paid]))).toBe('accepted');
    expect(shop.sent[1]?.key).toBe(shop.sent[0]?.key);
    expect(JSON.parse(shop.sent[1]?.body ?? '')).toMatchObject({ amount: '2' });
    expect(endOf(await shop.run(first))).toBe('refused other-body');
  });

  it('is refused after an operator’s did-not-happen where it may have landed, and taken where not', async () => {
    await shop.run(first, [lost], noRetries);
    shop.decide(shop.only().id, 'did-not-happen');
    expect(endOf(await shop.run(second))).toBe('refused other-body');
    expect(endOf(await shop.run(first, [paid]))).toBe('accepted');
    const other = (amount: string) => transfer({ amount }, once('m'));
    await shop.run(other('1'), [unsent], noRetries);
    shop.decide(shop.intents()[1]?.id ?? '', 'did-not-happen');
    expect(endOf(await shop.run(other('2'), [paid]))).toBe('accepted');
  });

  it('of a run is another intent', async () => {
    await shop.run(transfer({ amount: '1' }, run('n')), [paid]);
    expect(endOf(await shop.run(transfer({ amount: '2' }, run('n')), [paid]))).toBe('accepted');
  });
});

describe('a key that the journal knows under another name', () => {
  async function keyOf(naming: Naming, answer = paid): Promise<string> {
    await shop.run(transfer({}, naming), [answer], noRetries);
    return shop.sent.at(-1)?.key ?? '';
  }

  it.each([{ by: 'nothing' } as const, once('n'), run('n')])('is that intent, done: %j', async (naming) => {
    const known = await keyOf(naming);
    expect(endOf(await shop.run(transfer({}, key(known))))).toBe('replayed accepted');
    expect(endOf(await shop.run(transfer({ amount: '9' }, key(known))))).toBe('refused other-body');
  });

  it('is that intent, unknown', async () => {
    const known = await keyOf({ by: 'nothing' }, lost);
    expect(endOf(await shop.run(transfer({}, key(known)), [paid]))).toBe('accepted');
    expect(shop.intents()).toHaveLength(1);
  });

  it('is not sent again where that intent was unnamed and has ended', async () => {
    const known = await keyOf({ by: 'nothing' }, reply(400));
    expect(endOf(await shop.run(transfer({}, key(known))))).toBe('refused other-body');
    expect(shop.sent).toHaveLength(1);
  });
});

describe('a process that died', () => {
  it('leaves its intent unknown and tainted, and the next one takes it over at once', async () => {
    await shop.die(transfer());
    expect(endOf(await shop.run(transfer(), [reply(402)]))).toBe('held');
    expect(shop.only()).toMatchObject({ tainted: true, attempts: 2 });
    expect(shop.sent[1]?.body).toBe(shop.sent[0]?.body);
    expect(shop.clock.sleeps).toEqual([]);
  });

  it('leaves it unknown whatever phase it had noted: a 400 proves nothing after a death in a pause', async () => {
    const doing = shop.doing();
    shop.script.push(unsent);
    shop.clock.runs = false;
    void execute(transfer(), doing);
    while (shop.clock.sleeps.length === 0) await new Promise(setImmediate);
    shop.end(doing.journal);
    shop.clock.runs = true;
    expect(endOf(await shop.run(transfer(), [reply(400)]))).toBe('held');
  });

  it('ages from its last attempt', async () => {
    await shop.die(transfer());
    shop.clock.advance(30 * 60_000 + 1);
    expect(endOf(await shop.run(transfer()))).toBe('held');
  });
});

describe('a process that lives', () => {
  /** Somebody else's flight, which lands when told to. */
  async function inFlight(
    asked = transfer(),
  ): Promise<{ doing: Doing; land: (flight: typeof paid) => Promise<void> }> {
    const doing = shop.doing();
    let land: (flight: typeof paid) => void = () => {};
    shop.script.push(
      () =>
        new Promise((resolve) => {
          land = resolve;
        }),
    );
    const before = shop.sent.length;
    const running = execute(asked, doing, undefined);
    while (shop.sent.length === before) await new Promise(setImmediate);
    return {
      doing,
      land: async (flight) => {
        land(flight);
        await running;
      },
    };
  }

  it.each([
    ['accepted', paid],
    ['rejected', reply(402)],
    ['unknown', reply(303)],
    ['held', reply(200, 'OK')],
  ] as const)('is waited for, and its outcome is told: %s', async (state, answer) => {
    const { land } = await inFlight();
    let slept = 0;
    shop.clock.onSleep = () => {
      slept += 1;
      if (slept === 3) void land(answer);
    };
    const doing = shop.doing();
    const ended = await execute(transfer(), doing);
    expect(ended).toMatchObject({ is: 'concluded', replayed: 'by-another-process', intent: { state } });
    expect(shop.sent).toHaveLength(1);
  });

  it('is waited for no longer than --max-wait', async () => {
    const { land } = await inFlight();
    const before = shop.clock.now();
    const ended = await execute(transfer(), shop.doing({ limits: { maxWaitMs: 2000 } }));
    expect(ended.is).toBe('still-sending');
    expect(shop.clock.now() - before).toBe(2000);
    await land(paid);
  });

  it('is succeeded at once where it dies while it is waited for', async () => {
    const { doing } = await inFlight();
    shop.clock.onSleep = () => {
      shop.clock.onSleep = () => {};
      shop.end(doing.journal);
    };
    shop.script.push(paid);
    expect(endOf(await execute(transfer(), shop.doing()))).toBe('accepted');
    expect(new Set(shop.sent.map(({ body }) => body)).size).toBe(1);
  });

  it('is not overruled by an operator', async () => {
    const { land, doing } = await inFlight();
    const id = shop.look((journal) => [...journal.select({ limit: 1 })][0]?.id ?? '');
    expect(() => shop.look((journal) => decideOutcome(id, shop.word('did-not-happen'), journal))).toThrow(
      /living process/u,
    );
    await land(paid);
    expect(doing.journal.get(id)?.state).toBe('accepted');
  });
});

describe('an owner whose proof comes late', () => {
  /** A process that was thought dead although it still waits for its reply. */
  async function late(asked = transfer()): Promise<{ land: (flight: typeof paid) => Promise<unknown> }> {
    const doing = shop.doing();
    let land: (flight: typeof paid) => void = () => {};
    shop.script.push(
      () =>
        new Promise((resolve) => {
          land = resolve;
        }),
    );
    const running = execute(asked, doing);
    while (shop.sent.length === 0) await new Promise(setImmediate);
    const path = `${shop.path}.owners`;
    const { renameSync } = await import('node:fs');
    renameSync(path, `${path}.gone`);
    return {
      land: async (flight) => {
        land(flight);
        return running;
      },
    };
  }

  it.each([
    ['unknown', [lost]],
    ['held', [reply(402)]],
  ] as const)('is accepted over %s', async (state, replies) => {
    const { land } = await late();
    expect(endOf(await shop.run(transfer(), replies, noRetries))).toBe(state);
    await land(paid);
    expect(shop.only()).toMatchObject({ state: 'accepted' });
    expect(endOf(await shop.run(transfer()))).toBe('replayed accepted');
  });

  it('is accepted over an operator’s did-not-happen', async () => {
    const { land } = await late();
    await shop.run(transfer(), [lost], noRetries);
    shop.decide(shop.only().id, 'did-not-happen');
    await land(paid);
    expect(shop.only()).toMatchObject({ state: 'accepted', resolvedAs: undefined });
  });

  it('is believed in nothing else', async () => {
    const { land } = await late();
    expect(endOf(await shop.run(transfer(), [lost], noRetries))).toBe('unknown');
    await land(reply(402));
    expect(shop.only()).toMatchObject({ state: 'unknown', tainted: true });
  });
});

describe('the guard against a twin', () => {
  const nothing: Naming = { by: 'nothing' };

  it.each([
    ['unknown', lost],
    ['held', reply(200, 'OK')],
  ] as const)('keeps an %s payment from being made by another spelling', async (_state, answer) => {
    await shop.run(transfer({ memo: 'a' }), [answer], noRetries);
    const { id } = shop.only();
    for (const naming of [nothing, once('n'), run('n'), key('k')]) {
      const ended = await shop.run(transfer({ memo: 'b' }, naming));
      expect(ended).toMatchObject({ is: 'refused', because: 'unfinished-twin', intent: { id } });
    }
    expect(shop.sent).toHaveLength(1);
    expect(shop.intents()).toHaveLength(1);
  });

  it('knows an asset in capitals and small letters', async () => {
    await shop.run(transfer({ asset: 'USDC' }), [lost], noRetries);
    expect(endOf(await shop.run(transfer({ asset: 'usdc' })))).toBe('refused unfinished-twin');
  });

  it('keeps a dead process’s payment from being made by another spelling', async () => {
    await shop.die(transfer({}, once('n')));
    expect(endOf(await shop.run(transfer()))).toBe('refused unfinished-twin');
  });

  it('lets two payments be where both are named for themselves', async () => {
    await shop.run(transfer({}, once('a')), [lost], noRetries);
    expect(endOf(await shop.run(transfer({}, once('b')), [paid]))).toBe('accepted');
    expect(endOf(await shop.run(transfer({}, key('c')), [paid]))).toBe('accepted');
    expect(endOf(await shop.run(transfer({}, run('d')), []))).toBe('refused unfinished-twin');
  });

  it('does not take a run’s name for a name', async () => {
    await shop.run(transfer({}, run('monday')), [lost], noRetries);
    expect(endOf(await shop.run(transfer({}, run('tuesday'))))).toBe('refused unfinished-twin');
    expect(endOf(await shop.run(transfer({}, once('a'))))).toBe('refused unfinished-twin');
  });

  it.each([
    ['another address', { to: '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z' }],
    ['another asset', { asset: 'USDC' }],
    ['another amount', { amount: '1.6' }],
  ])('sees no twin in %s', async (_what, amount) => {
    await shop.run(transfer(), [lost], noRetries);
    expect(endOf(await shop.run(transfer(amount), [paid]))).toBe('accepted');
  });

  it.each([
    ['open', unsent],
    ['rejected', reply(402)],
    ['accepted', paid],
  ] as const)('sees no twin in one that is %s', async (_state, answer) => {
    await shop.run(transfer({ memo: 'a' }), [answer], noRetries);
    expect(endOf(await shop.run(transfer({ memo: 'b' }), [paid]))).toBe('accepted');
  });

  it('looks over all bots of the service', async () => {
    await shop.run(transfer(), [lost], noRetries);
    expect(endOf(await shop.run(transfer(), [], { bot: 'other' }))).toBe('refused unfinished-twin');
  });

  it('does not stand in the way of what may itself have landed', async () => {
    await shop.run(transfer({}, once('a')), [lost], noRetries);
    await shop.run(transfer({}, once('b')), [lost], noRetries);
    expect(endOf(await shop.run(transfer({}, once('a')), [paid]))).toBe('accepted');
  });

  it('stands in the way of one that is open, rejected or undone, whether run or resumed', async () => {
    const a = transfer({ memo: 'a' });
    await shop.run(a, [unsent], noRetries);
    await shop.run(transfer({ memo: 'b' }), [lost], noRetries);
    expect(endOf(await shop.run(a))).toBe('refused unfinished-twin');
    expect(endOf(await shop.resume(shop.intents()[0]?.id ?? ''))).toBe('refused unfinished-twin');
    const named = transfer({ amount: '7' }, run('x'));
    await shop.run(named, [reply(402)], noRetries);
    await shop.run(transfer({ amount: '7' }), [lost], noRetries);
    expect(endOf(await shop.run(named))).toBe('refused unfinished-twin');
  });

  it('stands in the way of a new payment like one that was done long ago', async () => {
    await done(transfer());
    await shop.run(transfer({ memo: 'other' }), [lost], noRetries);
    shop.clock.advance(21 * hour);
    expect(endOf(await shop.run(transfer()))).toBe('refused unfinished-twin');
  });

  it('waits for a living twin, then goes by what became of it', async () => {
    for (const [answer, end, amount] of [
      [paid, 'accepted', '1'],
      [reply(303), 'refused unfinished-twin', '2'],
    ] as const) {
      const doing = shop.doing();
      let land: (flight: typeof paid) => void = () => {};
      const before = shop.sent.length;
      shop.script.push(
        () =>
          new Promise((resolve) => {
            land = resolve;
          }),
      );
      const running = execute(transfer({ amount, memo: 'a' }), doing);
      while (shop.sent.length === before) await new Promise(setImmediate);
      shop.clock.onSleep = () => {
        shop.clock.onSleep = () => {};
        land(answer);
      };
      shop.script.push(paid);
      expect(endOf(await execute(transfer({ amount, memo: 'b' }), shop.doing()))).toBe(end);
      shop.script.length = 0;
      await running;
    }
  });

  it('does not wait for a living twin longer than --max-wait', async () => {
    const doing = shop.doing();
    shop.script.push(() => new Promise(() => {}));
    void execute(transfer({ memo: 'a' }), doing);
    while (shop.sent.length === 0) await new Promise(setImmediate);
    const ended = await execute(transfer({ memo: 'b' }), shop.doing({ limits: { maxWaitMs: 500 } }));
    expect(endOf(ended)).toBe('refused twin-still-sending');
  });

  it('interrupted while it waits for a living twin, leaves with nothing sent', async () => {
    const doing = shop.doing();
    shop.script.push(() => new Promise(() => {}));
    void execute(transfer({ memo: 'a' }), doing);
    while (shop.sent.length === 0) await new Promise(setImmediate);
    const interrupts = { first: AbortSignal.abort(), second: new AbortController().signal };
    const ended = await execute(transfer({ memo: 'b' }), shop.doing({ interrupts }));
    expect(endOf(ended)).toBe('refused interrupted');
    expect(shop.sent).toHaveLength(1);
  });

  it('is for transfers: the same text may be posted twice', async () => {
    await shop.run(message('Hello', once('a')), [lost], noRetries);
    expect(endOf(await shop.run(message('Hello'), [posted]))).toBe('accepted');
  });
});

describe('a question', () => {
  it('is asked before anything is on record, and a No leaves nothing', async () => {
    const doing = shop.doing();
    const ended = await execute(transfer(), doing, async ({ decision }) => {
      expect(decision).toBe('new');
      expect(shop.intents()).toEqual([]);
      return 'no';
    });
    expect(endOf(ended)).toBe('refused declined');
    expect(shop.intents()).toEqual([]);
  });

  it.each(['unknown', 'sending'])(
    'about what may have happened (%s) leaves it unknown, whatever the answer',
    async (left) => {
      if (left === 'sending') await shop.die(transfer());
      else await shop.run(transfer(), [lost], noRetries);
      const declined = await execute(transfer(), shop.doing(), async () => 'no');
      expect(endOf(declined)).toBe('unknown');
      expect(conclude(declined, shop.clock.now()).exit).toBe(9);
      const interrupted = await execute(transfer(), shop.doing(), async () => {
        throw new Failure('interrupted', 'Interrupted at the question; nothing was sent.');
      });
      expect(endOf(interrupted)).toBe('unknown');
      expect(shop.sent).toHaveLength(1);
    },
  );

  it('is asked again where the answer was to something else meanwhile', async () => {
    const plans: string[] = [];
    const ended = await execute(transfer(), shop.doing(), async ({ decision }) => {
      plans.push(decision);
      if (plans.length === 1) await shop.run(transfer(), [paid]);
      return 'go';
    });
    expect(plans).toEqual(['new', 'replay']);
    expect(endOf(ended)).toBe('replayed accepted');
    expect(shop.sent).toHaveLength(1);
  });

  it('answered "again" begins anew, and still meets the guard against a twin', async () => {
    await done(transfer());
    shop.script.push(paid);
    expect(endOf(await execute(transfer(), shop.doing(), async () => 'anew'))).toBe('accepted');
    expect(shop.intents()).toHaveLength(2);
    await shop.run(transfer({ memo: 'x' }), [lost], noRetries);
    expect(endOf(await execute(transfer(), shop.doing(), async () => 'anew'))).toBe(
      'refused unfinished-twin',
    );
  });
});

describe('two at once', () => {
  it('make one claim', async () => {
    shop.script.push(paid);
    const [left, right] = await Promise.all([
      execute(transfer(), shop.doing()),
      execute(transfer(), shop.doing()),
    ]);
    expect(shop.sent).toHaveLength(1);
    expect([endOf(left), endOf(right)].sort()).toEqual(['accepted', 'replayed accepted']);
  });

  it('of different names with one key are one intent', async () => {
    const claimedOnce = await claim(transfer({}, once('n')), shop.doing());
    const { key: known } = shop.only();
    const ended = await execute(transfer({}, key(known)), shop.doing({ limits: { maxWaitMs: 100 } }));
    expect(claimedOnce.is).toBe('claimed');
    expect(ended.is).toBe('still-sending');
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Told } from '../../../src/cli/say/told.ts';
import { claim, untilClaimed } from '../../../src/once/engine/claim.ts';
import type { EngineContext } from '../../../src/once/engine/context.ts';
import { execute } from '../../../src/once/engine/execute.ts';
import type { Outcome } from '../../../src/once/engine/outcome.ts';
import { resolveIntent, resume } from '../../../src/once/engine/resume.ts';
import { parseBaseUrl } from '../../../src/once/intent/baseUrl.ts';
import type { Naming, Order } from '../../../src/once/intent/naming.ts';
import type { Transaction } from '../../../src/once/journal/journal.ts';
import { explained } from '../../../testing/explained.ts';
import { policyOf } from '../../../testing/policies.ts';
import {
  endOf,
  key,
  lost,
  message,
  noRetries,
  once,
  paid,
  posted,
  reply,
  run,
  ScriptedEngine,
  transfer,
  unsent,
} from '../../../testing/scriptedEngine.ts';
import { windows } from './design.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

const hour = 3_600_000;

describe('the same command again', () => {
  test.each([
    ['transfer', transfer(), windows.transfer],
    ['message', message(), windows.message],
  ] as const)(
    'is a replay of a %s inside its window, counted from the first report',
    async (_kind, order, windowMs) => {
      await scripted.runAndReport(order);
      scripted.clock.advance(windowMs);
      expect(endOf(await scripted.run(order))).toBe('replayed accepted');
      // A replay is no first report: the window does not grow with it.
      await scripted.report((await scripted.only()).id);
      scripted.clock.advance(1);
      const anew = await scripted.run(order, [_kind === 'message' ? posted : paid]);
      expect(endOf(anew)).toBe('accepted');
      expect(await scripted.intents()).toHaveLength(2);
      expect(new Set(scripted.sent.map((sent) => sent.key)).size).toBe(2);
      expect(scripted.notices.join()).toMatch(/last accepted/u);
    },
  );

  test('is a replay however late, where nobody was told yet', async () => {
    await scripted.run(transfer(), [paid]);
    scripted.clock.advance(1000 * hour);
    expect(endOf(await scripted.run(transfer()))).toBe('replayed accepted');
  });

  test.each([once('n'), run('n'), key('n')])('is a replay for ever where it is named: %j', async (naming) => {
    await scripted.runAndReport(transfer({}, naming));
    scripted.clock.advance(1000 * hour);
    expect(endOf(await scripted.run(transfer({}, naming)))).toBe('replayed accepted');
  });

  describe('by a clock that was wrong then, or is now', () => {
    const minute = 60_000;
    const dated = (at: number) => reply(200, { signature: 's' }, { date: new Date(at).toUTCString() });

    /** Told by a clock that was so far ahead; the service's date is the true one, where it gives one. */
    async function toldAhead(aheadMs: number, naming: Naming = { by: 'nothing' }, withDate = false) {
      const trueMs = scripted.clock.nowMs;
      scripted.clock.nowMs += aheadMs;
      await scripted.runAndReport(transfer({}, naming), withDate ? dated(trueMs) : paid);
      scripted.clock.nowMs = trueMs;
    }

    test('is a replay while it is no more than 5 minutes ahead', async () => {
      await toldAhead(5 * minute);
      expect(endOf(await scripted.run(transfer()))).toBe('replayed accepted');
    });

    test('is not replayed for years, nor done anew: it needs a name', async () => {
      await toldAhead(5 * minute + 1);
      const ended = await scripted.run(transfer());
      expect(endOf(ended)).toBe('not sent: reported-ahead');
      expect(await explained(ended, scripted.clock.now())).toMatchObject({
        exit: 10,
        problem: { code: 'reported-ahead', retry: 'decide' },
      });
      expect(endOf(await scripted.run(transfer({}, once('n')), [paid]))).toBe('accepted');
    });

    test.each([once('n'), run('n'), key('k')])('is a replay where it is named: %j', async (naming) => {
      await toldAhead(48 * hour, naming);
      expect(endOf(await scripted.run(transfer({}, naming)))).toBe('replayed accepted');
    });

    test('is as old as the service’s own date says, where only this machine’s is yet to come', async () => {
      await toldAhead(1000 * hour, undefined, true);
      scripted.clock.advance(windows.transfer - minute);
      expect(endOf(await scripted.run(transfer()))).toBe('replayed accepted');
      scripted.clock.advance(2 * minute);
      expect(endOf(await scripted.run(transfer(), [paid]))).toBe('accepted');
    });

    test('is later than this machine’s clock said, where the service’s date says so', async () => {
      const trueMs = scripted.clock.nowMs;
      scripted.clock.nowMs -= 1000 * hour;
      await scripted.runAndReport(transfer(), dated(trueMs));
      scripted.clock.nowMs = trueMs + windows.transfer - minute;
      expect(endOf(await scripted.run(transfer()))).toBe('replayed accepted');
    });

    test('is never earlier for the service’s date: it may come from a cache', async () => {
      await scripted.runAndReport(transfer(), dated(scripted.clock.nowMs - 1000 * hour));
      expect(endOf(await scripted.run(transfer()))).toBe('replayed accepted');
    });

    test('is a replay within its window although the service is ahead; after that it needs a name', async () => {
      await scripted.runAndReport(transfer(), dated(scripted.clock.nowMs + 1000 * hour));
      scripted.clock.advance(windows.transfer);
      expect(endOf(await scripted.run(transfer()))).toBe('replayed accepted');
      scripted.clock.advance(1);
      expect(endOf(await scripted.run(transfer()))).toBe('not sent: reported-ahead');
    });
  });

  test('with an amount spelled otherwise is the same command', async () => {
    await scripted.runAndReport(transfer({ amount: '1.5' }));
    expect(endOf(await scripted.run(transfer({ amount: '1.5', memo: '' })))).toBe('replayed accepted');
  });

  test('of another bot is another command, unless it is named', async () => {
    await scripted.runAndReport(transfer());
    expect(endOf(await scripted.run(transfer(), [paid], { bot: 'other', token: 'another-token' }))).toBe(
      'accepted',
    );
    await scripted.runAndReport(transfer({}, once('n')));
    expect(endOf(await scripted.run(transfer({}, once('n')), [], { bot: 'other' }))).toBe(
      'not sent: other-bot',
    );
  });

  test('of another token is another command only where the token is no profile’s', async () => {
    await scripted.runAndReport(message());
    expect(endOf(await scripted.run(message(), [], { token: 'token-2' }))).toBe('replayed accepted');
    const env = { bot: 'env' };
    await scripted.run(message(), [posted], env);
    expect(endOf(await scripted.run(message(), [], env))).toBe('replayed accepted');
    expect(endOf(await scripted.run(message(), [posted], { ...env, token: 'token-2' }))).toBe('accepted');
  });

  test('after a rejection is a new intent with a new key, or, named, the same key again', async () => {
    await scripted.run(transfer(), [reply(402)]);
    await scripted.run(transfer(), [paid]);
    expect(new Set(scripted.sent.map((sent) => sent.key)).size).toBe(2);
    await scripted.run(transfer({}, once('n')), [reply(402)]);
    await scripted.run(transfer({}, once('n')), [paid]);
    expect(new Set(scripted.sent.map((sent) => sent.key)).size).toBe(3);
    expect(await scripted.intents()).toHaveLength(3);
  });

  test('takes up what is open with its stored key and bytes', async () => {
    await scripted.run(transfer(), [unsent], noRetries);
    scripted.clock.advance(1000 * hour);
    expect(endOf(await scripted.run(transfer(), [paid]))).toBe('accepted');
    expect(new Set(scripted.sent.map(({ body }) => body)).size).toBe(1);
  });

  test('leaves an undecided unnamed message behind once its key is too old, and says so', async () => {
    await scripted.run(message(), [lost], noRetries);
    scripted.clock.advance(24 * hour + 1);
    expect(endOf(await scripted.run(message(), [posted]))).toBe('accepted');
    expect((await scripted.intents()).map(({ state }) => state)).toEqual(['held', 'accepted']);
    expect(scripted.notices.join()).toMatch(/never settled.*may have happened/u);
  });

  test.each([
    ['a named message', message('Hello', once('n')), 24 * hour + 1],
    ['a transfer', transfer(), 30 * 60_000 + 1],
  ] as const)('never leaves %s behind', async (_what, order, ageMs) => {
    await scripted.run(order, [lost], noRetries);
    scripted.clock.advance(ageMs);
    expect(endOf(await scripted.run(order))).toBe('held');
    scripted.clock.advance(1000 * hour);
    expect(endOf(await scripted.run(order))).toBe('held');
    expect(scripted.sent).toHaveLength(1);
  });

  test('does not leave behind a held message whose key is not too old', async () => {
    await scripted.run(message(), [reply(200, 'OK')]);
    expect(endOf(await scripted.run(message()))).toBe('held');
    expect(scripted.sent).toHaveLength(1);
  });
});

describe('loopback', () => {
  const at = (host: string) => ({ spelledUrl: parseBaseUrl(`http://${host}:9`) });

  test.each([transfer(), transfer({}, once('n')), transfer({}, run('n')), message()])(
    'is one host in identities and keys, and keeps its spelling where it is spoken to: %j',
    async (order) => {
      await scripted.run(order, [lost], { ...noRetries, ...at('localhost') });
      await scripted.run(order, [lost], { ...noRetries, ...at('[::1]') });
      expect(await scripted.only()).toMatchObject({
        baseUrl: 'http://127.0.0.1:9',
        spelledUrl: 'http://localhost:9',
        attempts: 2,
      });
      expect(scripted.sent.map(({ url }) => new URL(url).host)).toEqual(['localhost:9', '[::1]:9']);
      expect(new Set(scripted.sent.map((sent) => sent.key)).size).toBe(1);
    },
  );
});

describe('a name with another body', () => {
  const first = transfer({ amount: '1' }, once('n'));
  const second = transfer({ amount: '2' }, once('n'));

  test.each([
    ['unknown', lost],
    ['open', unsent],
    ['accepted', paid],
    ['held', reply(200, 'OK')],
  ] as const)('is refused while its intent is %s', async (state, answer) => {
    expect(endOf(await scripted.run(first, [answer], noRetries))).toBe(state);
    expect(endOf(await scripted.run(second))).toBe('not sent: other-body');
    expect(scripted.sent).toHaveLength(1);
  });

  test('takes the new body under the old key after a plain rejection', async () => {
    await scripted.run(first, [reply(400)]);
    expect(endOf(await scripted.run(second, [paid]))).toBe('accepted');
    expect(scripted.sent[1]?.key).toBe(scripted.sent[0]?.key);
    expect(JSON.parse(scripted.sent[1]?.body ?? '')).toMatchObject({ amount: '2' });
    expect(endOf(await scripted.run(first))).toBe('not sent: other-body');
  });

  test('is refused after an operator’s did-not-happen where it may have landed, and taken where not', async () => {
    await scripted.run(first, [lost], noRetries);
    await scripted.decide((await scripted.only()).id, 'did-not-happen');
    expect(endOf(await scripted.run(second))).toBe('not sent: other-body');
    expect(endOf(await scripted.run(first, [paid]))).toBe('accepted');
    const other = (amount: string) => transfer({ amount }, once('m'));
    await scripted.run(other('1'), [unsent], noRetries);
    await scripted.decide((await scripted.intents())[1]?.id ?? '', 'did-not-happen');
    expect(endOf(await scripted.run(other('2'), [paid]))).toBe('accepted');
  });

  test('of a run is another intent', async () => {
    await scripted.run(transfer({ amount: '1' }, run('n')), [paid]);
    expect(endOf(await scripted.run(transfer({ amount: '2' }, run('n')), [paid]))).toBe('accepted');
  });
});

describe('a key that the journal knows under another name', () => {
  async function keyOf(naming: Naming, answer = paid): Promise<string> {
    await scripted.run(transfer({}, naming), [answer], noRetries);
    return scripted.sent.at(-1)?.key ?? '';
  }

  test.each([{ by: 'nothing' } as const, once('n'), run('n')])('is that intent, done: %j', async (naming) => {
    const known = await keyOf(naming);
    expect(endOf(await scripted.run(transfer({}, key(known))))).toBe('replayed accepted');
    expect(endOf(await scripted.run(transfer({ amount: '9' }, key(known))))).toBe('not sent: other-body');
  });

  test('is that intent, unknown', async () => {
    const known = await keyOf({ by: 'nothing' }, lost);
    expect(endOf(await scripted.run(transfer({}, key(known)), [paid]))).toBe('accepted');
    expect(await scripted.intents()).toHaveLength(1);
  });

  test('is not sent again where that intent was unnamed and has ended', async () => {
    const known = await keyOf({ by: 'nothing' }, reply(400));
    expect(endOf(await scripted.run(transfer({}, key(known))))).toBe('not sent: other-body');
    expect(scripted.sent).toHaveLength(1);
  });
});

describe('a process that died', () => {
  test('leaves its intent unknown and tainted, and the next one takes it over at once', async () => {
    await scripted.die(transfer());
    expect(endOf(await scripted.run(transfer(), [reply(402)]))).toBe('held');
    expect(await scripted.only()).toMatchObject({ tainted: true, attempts: 2 });
    expect(scripted.sent[1]?.body).toBe(scripted.sent[0]?.body);
    expect(scripted.clock.sleeps).toEqual([]);
  });

  test('leaves it unknown whatever phase it had noted: a 400 proves nothing after a death in a pause', async () => {
    const engine = scripted.engine();
    scripted.script.push(unsent);
    scripted.clock.runs = false;
    void execute(transfer(), engine);
    while (scripted.clock.sleeps.length === 0) await new Promise(setImmediate);
    scripted.end(engine.journal);
    scripted.clock.runs = true;
    expect(endOf(await scripted.run(transfer(), [reply(400)]))).toBe('held');
  });

  test('ages from its last attempt', async () => {
    await scripted.die(transfer());
    scripted.clock.advance(30 * 60_000 + 1);
    expect(endOf(await scripted.run(transfer()))).toBe('held');
  });
});

describe('a process that lives', () => {
  /** Somebody else's flight, which lands when told to. */
  async function inFlight(
    order = transfer(),
  ): Promise<{ engine: EngineContext; land: (flight: typeof paid) => Promise<void> }> {
    const engine = scripted.engine();
    let land: (flight: typeof paid) => void = () => {};
    scripted.script.push(
      () =>
        new Promise((resolve) => {
          land = resolve;
        }),
    );
    const before = scripted.sent.length;
    const running = execute(order, engine, undefined);
    while (scripted.sent.length === before) await new Promise(setImmediate);
    return {
      engine,
      land: async (flight) => {
        land(flight);
        await running;
      },
    };
  }

  test.each([
    ['accepted', paid],
    ['rejected', reply(402)],
    ['unknown', reply(303)],
    ['held', reply(200, 'OK')],
  ] as const)('is waited for, and its outcome is told: %s', async (state, answer) => {
    const { land } = await inFlight();
    let slept = 0;
    scripted.clock.onSleep = () => {
      slept += 1;
      if (slept === 3) void land(answer);
    };
    const engine = scripted.engine();
    const ended = await execute(transfer(), engine);
    expect(ended).toMatchObject({ is: 'concluded', replayed: 'by-another-process', intent: { state } });
    expect(scripted.sent).toHaveLength(1);
  });

  test('is waited for no longer than --max-wait', async () => {
    const { land } = await inFlight();
    const before = scripted.clock.now();
    const ended = await execute(transfer(), scripted.engine({ limits: { maxWaitMs: 2000 } }));
    expect(ended.is).toBe('still-sending');
    expect(scripted.clock.now() - before).toBe(2000);
    await land(paid);
  });

  test('is named where it runs elsewhere, once it was waited for', async () => {
    const { land, engine } = await inFlight();
    const by = { host: 'ada', pid: 4711 };
    const reads = { ...engine.journal.reads, processOf: async () => by };
    const journal = { ...scripted.open(), reads };
    const ended = await execute(transfer(), scripted.engine({ journal, limits: { maxWaitMs: 100 } }));
    expect(ended).toMatchObject({ is: 'still-sending', by });
    expect((await explained(ended, scripted.clock.now())).problem?.message).toContain(
      'The botctl process on ada (pid 4711) is still sending',
    );
    await land(paid);
  });

  test('is waited for no longer in all where one dies after the other', async () => {
    const { land, engine } = await inFlight();
    const intent = await scripted.only();
    let looks = 0;
    // Of each, whoever looks eleven times finds it dead at last; and when it takes over, another one has.
    const get = async () => {
      looks += 1;
      return { ...intent, ownerLives: looks % 11 !== 0 };
    };
    const journal = { ...engine.journal, reads: { ...engine.journal.reads, get } };
    const before = scripted.clock.now();
    const step = { is: 'wait', intent, twin: false } as const;
    const ended = await untilClaimed(
      async () => step,
      scripted.engine({ journal, limits: { maxWaitMs: 2000 } }),
    );
    expect(ended.is).toBe('still-sending');
    expect(scripted.clock.now() - before).toBe(2000);
    await land(paid);
  });

  test('is waited for no longer than whoever asks has time for it', async () => {
    const { land } = await inFlight();
    const open = scripted.open();
    // A batch comes back to the row, and does not ask whose it is.
    const processOf = () => Promise.reject(new Error('asked'));
    const journal = { ...open, reads: { ...open.reads, processOf } };
    const ended = await execute(transfer(), scripted.engine({ journal, limits: { ownerWaitMs: 0 } }));
    expect([ended.is, scripted.clock.sleeps]).toEqual(['still-sending', []]);
    await land(paid);
  });

  test('is asked about less often where many ask one server, and not in step with them', async () => {
    const named = transfer({}, once('n'));
    const { land } = await inFlight(named);
    const journal = { ...scripted.open(), isShared: true };
    for (const [fraction, pauseMs] of [
      [0, 187.5],
      [0.5, 250],
    ] as const) {
      scripted.clock.sleeps.length = 0;
      const chance = { fraction: () => fraction, uuid: () => 'drawn-and-not-used' };
      const engine = scripted.engine({ journal, chance, limits: { maxWaitMs: 3 * pauseMs } });
      expect((await execute(named, engine)).is).toBe('still-sending');
      expect(scripted.clock.sleeps).toEqual([pauseMs, pauseMs, pauseMs]);
    }
    await land(paid);
  });

  test('is succeeded at once where it dies while it is waited for', async () => {
    const { engine } = await inFlight();
    scripted.clock.onSleep = () => {
      scripted.clock.onSleep = () => {};
      scripted.end(engine.journal);
    };
    scripted.script.push(paid);
    expect(endOf(await execute(transfer(), scripted.engine()))).toBe('accepted');
    expect(new Set(scripted.sent.map(({ body }) => body)).size).toBe(1);
  });

  test('is not overruled by an operator', async () => {
    const { land, engine } = await inFlight();
    const id = (await scripted.only()).id;
    await expect(
      scripted.look(async (journal) =>
        resolveIntent(await scripted.shown(id), scripted.word('did-not-happen'), journal),
      ),
    ).rejects.toMatchObject({ kind: 'being-sent', fields: { id } });
    await land(paid);
    expect((await engine.journal.reads.get(id))?.state).toBe('accepted');
  });
});

describe('an owner whose proof comes late', () => {
  /** A process that was thought dead although it still waits for its reply. */
  async function late(order = transfer()): Promise<{ land: (flight: typeof paid) => Promise<unknown> }> {
    const engine = scripted.engine();
    let land: (flight: typeof paid) => void = () => {};
    scripted.script.push(
      () =>
        new Promise((resolve) => {
          land = resolve;
        }),
    );
    const running = execute(order, engine);
    while (scripted.sent.length === 0) await new Promise(setImmediate);
    const path = `${scripted.path}.owners`;
    const { renameSync } = await import('node:fs');
    renameSync(path, `${path}.gone`);
    return {
      land: async (flight) => {
        land(flight);
        return running;
      },
    };
  }

  test.each([
    ['unknown', [lost]],
    ['held', [reply(402)]],
  ] as const)('is accepted over %s', async (state, replies) => {
    const { land } = await late();
    expect(endOf(await scripted.run(transfer(), replies, noRetries))).toBe(state);
    await land(paid);
    expect(await scripted.only()).toMatchObject({ state: 'accepted' });
    expect(endOf(await scripted.run(transfer()))).toBe('replayed accepted');
  });

  test('is accepted over an operator’s did-not-happen', async () => {
    const { land } = await late();
    await scripted.run(transfer(), [lost], noRetries);
    await scripted.decide((await scripted.only()).id, 'did-not-happen');
    await land(paid);
    expect(await scripted.only()).toMatchObject({ state: 'accepted', resolvedAs: undefined });
  });

  test('is told as that process’s work where nothing left this one', async () => {
    const { land } = await late();
    await scripted.run(transfer(), [paid]);
    expect(await land(unsent)).toMatchObject({
      replayed: 'by-another-process',
      intent: { state: 'accepted' },
      attempt: { verdict: 'accepted', number: 2 },
      stopped: { because: 'nothing-to-gain' },
    });
  });

  test('is told as its own where something left it', async () => {
    const { land } = await late();
    await scripted.run(transfer(), [paid]);
    expect(await land(lost)).toMatchObject({ replayed: false, intent: { state: 'accepted' } });
  });

  test('sends nothing more while another process does', async () => {
    const { land } = await late();
    await scripted.beginSending(transfer());
    expect(await land(lost)).toMatchObject({ intent: { state: 'sending' }, replayed: false });
    expect(scripted.sent).toHaveLength(2);
  });

  test('is believed in nothing else', async () => {
    const { land } = await late();
    expect(endOf(await scripted.run(transfer(), [lost], noRetries))).toBe('unknown');
    await land(reply(402));
    expect(await scripted.only()).toMatchObject({ state: 'unknown', tainted: true });
  });
});

describe('the guard against a twin', () => {
  const nothing: Naming = { by: 'nothing' };

  test.each([
    ['unknown', lost],
    ['held', reply(200, 'OK')],
  ] as const)('keeps an %s payment from being made by another spelling', async (_state, answer) => {
    await scripted.run(transfer({ memo: 'a' }), [answer], noRetries);
    const { id } = await scripted.only();
    for (const naming of [nothing, once('n'), run('n'), key('k')]) {
      const ended = await scripted.run(transfer({ memo: 'b' }, naming));
      expect(ended).toMatchObject({ is: 'not-sent', because: 'unfinished-twin', intent: { id } });
    }
    expect(scripted.sent).toHaveLength(1);
    expect(await scripted.intents()).toHaveLength(1);
  });

  test('knows an asset in capitals and small letters', async () => {
    await scripted.run(transfer({ asset: 'USDC' }), [lost], noRetries);
    expect(endOf(await scripted.run(transfer({ asset: 'usdc' })))).toBe('not sent: unfinished-twin');
  });

  test('keeps a dead process’s payment from being made by another spelling', async () => {
    await scripted.die(transfer({}, once('n')));
    expect(endOf(await scripted.run(transfer()))).toBe('not sent: unfinished-twin');
  });

  test('lets two payments be where both are named for themselves', async () => {
    await scripted.run(transfer({}, once('a')), [lost], noRetries);
    expect(endOf(await scripted.run(transfer({}, once('b')), [paid]))).toBe('accepted');
    expect(endOf(await scripted.run(transfer({}, key('c')), [paid]))).toBe('accepted');
    expect(endOf(await scripted.run(transfer({}, run('d')), []))).toBe('not sent: unfinished-twin');
  });

  test('does not take a run’s name for a name', async () => {
    await scripted.run(transfer({}, run('monday')), [lost], noRetries);
    expect(endOf(await scripted.run(transfer({}, run('tuesday'))))).toBe('not sent: unfinished-twin');
    expect(endOf(await scripted.run(transfer({}, once('a'))))).toBe('not sent: unfinished-twin');
  });

  test.each([
    ['another address', { to: '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z' }],
    ['another asset', { asset: 'USDC' }],
    ['another amount', { amount: '1.6' }],
  ])('sees no twin in %s', async (_what, amount) => {
    await scripted.run(transfer(), [lost], noRetries);
    expect(endOf(await scripted.run(transfer(amount), [paid]))).toBe('accepted');
  });

  test.each([
    ['open', unsent],
    ['rejected', reply(402)],
    ['accepted and told', paid],
  ] as const)('sees no twin in one that is %s', async (_state, answer) => {
    await scripted.run(transfer({ memo: 'a' }), [answer], noRetries);
    await scripted.report((await scripted.only()).id);
    expect(endOf(await scripted.run(transfer({ memo: 'b' }), [paid]))).toBe('accepted');
  });

  test('looks over all bots of the service', async () => {
    await scripted.run(transfer(), [lost], noRetries);
    expect(endOf(await scripted.run(transfer(), [], { bot: 'other' }))).toBe('not sent: unfinished-twin');
  });

  test('does not stand in the way of what may itself have landed', async () => {
    await scripted.run(transfer({}, once('a')), [lost], noRetries);
    await scripted.run(transfer({}, once('b')), [lost], noRetries);
    expect(endOf(await scripted.run(transfer({}, once('a')), [paid]))).toBe('accepted');
  });

  test('stands in the way of one that is open, rejected or undone, whether run or resumed', async () => {
    const a = transfer({ memo: 'a' });
    await scripted.run(a, [unsent], noRetries);
    await scripted.run(transfer({ memo: 'b' }), [lost], noRetries);
    expect(endOf(await scripted.run(a))).toBe('not sent: unfinished-twin');
    expect(endOf(await scripted.resume((await scripted.intents())[0]?.id ?? ''))).toBe(
      'not sent: unfinished-twin',
    );
    const named = transfer({ amount: '7' }, run('x'));
    await scripted.run(named, [reply(402)], noRetries);
    await scripted.run(transfer({ amount: '7' }), [lost], noRetries);
    expect(endOf(await scripted.run(named))).toBe('not sent: unfinished-twin');
  });

  test('stands in the way of a new payment like one that was done long ago', async () => {
    await scripted.runAndReport(transfer());
    await scripted.run(transfer({ memo: 'other' }), [lost], noRetries);
    scripted.clock.advance(21 * hour);
    expect(endOf(await scripted.run(transfer()))).toBe('not sent: unfinished-twin');
  });

  test('waits for a living twin, then goes by what became of it', async () => {
    for (const [answer, end, amount, told] of [
      [paid, 'accepted', '1', true],
      [paid, 'not sent: recently-done', '2', false],
      [reply(303), 'not sent: unfinished-twin', '3', false],
    ] as const) {
      const engine = scripted.engine();
      let land: (flight: typeof paid) => void = () => {};
      const before = scripted.sent.length;
      scripted.script.push(
        () =>
          new Promise((resolve) => {
            land = resolve;
          }),
      );
      const running = execute(transfer({ amount, memo: 'a' }), engine).then(async (ended) => {
        if (told && ended.is === 'concluded') await scripted.report(ended.intent.id);
        else scripted.end(engine.journal);
      });
      while (scripted.sent.length === before) await new Promise(setImmediate);
      scripted.clock.onSleep = () => {
        scripted.clock.onSleep = () => {};
        land(answer);
      };
      scripted.script.push(paid);
      expect(endOf(await execute(transfer({ amount, memo: 'b' }), scripted.engine()))).toBe(end);
      scripted.script.length = 0;
      await running;
    }
  });

  test('does not wait for a living twin longer than --max-wait', async () => {
    const engine = scripted.engine();
    scripted.script.push(() => new Promise(() => {}));
    void execute(transfer({ memo: 'a' }), engine);
    while (scripted.sent.length === 0) await new Promise(setImmediate);
    const by = { host: 'ada', pid: 4711 };
    const journal = { ...engine.journal, reads: { ...engine.journal.reads, processOf: async () => by } };
    const other = scripted.engine({ journal, limits: { maxWaitMs: 500 } });
    const ended = await execute(transfer({ memo: 'b' }), other);
    expect(ended).toMatchObject({ because: 'twin-still-sending', by });
  });

  test('interrupted while it waits for a living twin, leaves with nothing sent', async () => {
    const engine = scripted.engine();
    scripted.script.push(() => new Promise(() => {}));
    void execute(transfer({ memo: 'a' }), engine);
    while (scripted.sent.length === 0) await new Promise(setImmediate);
    const interrupts = { first: AbortSignal.abort(), second: new AbortController().signal };
    const ended = await execute(transfer({ memo: 'b' }), scripted.engine({ interrupts }));
    expect(endOf(ended)).toBe('not sent: interrupted');
    expect(scripted.sent).toHaveLength(1);
  });

  test('is for transfers: the same text may be posted twice', async () => {
    await scripted.run(message('Hello', once('a')), [lost], noRetries);
    expect(endOf(await scripted.run(message('Hello'), [posted]))).toBe('accepted');
  });
});

describe('the guard against a payment that nobody was told of', () => {
  test.each([{ by: 'nothing' } as const, run('r')])(
    'keeps it from being made by another spelling: %j',
    async (naming) => {
      await scripted.run(transfer({ memo: 'a' }, naming), [paid]);
      const { id } = await scripted.only();
      const ended = await scripted.run(transfer({ memo: 'b' }));
      expect(ended).toMatchObject({ is: 'not-sent', because: 'recently-done', intent: { id } });
      expect(await explained(ended, 0)).toMatchObject({ exit: 10, problem: { retry: 'decide' } });
      expect(scripted.sent).toHaveLength(1);
      await scripted.report(id);
      expect(endOf(await scripted.run(transfer({ memo: 'b' }), [paid]))).toBe('accepted');
    },
  );

  test('does not stand in the way of what has a name, nor of its own replay', async () => {
    await scripted.run(transfer({ memo: 'a' }), [paid]);
    for (const naming of [once('n'), run('r'), key('k')]) {
      expect(endOf(await scripted.run(transfer({ memo: 'b' }, naming), [paid]))).toBe('accepted');
    }
    expect(endOf(await scripted.run(transfer({ memo: 'a' })))).toBe('replayed accepted');
  });

  test('looks at no payment that was named for itself', async () => {
    await scripted.run(transfer({ memo: 'a' }, once('n')), [paid]);
    await scripted.run(transfer({ memo: 'a' }, key('k')), [paid]);
    expect(endOf(await scripted.run(transfer({ memo: 'b' }), [paid]))).toBe('accepted');
  });

  test('ends with the re-run window', async () => {
    await scripted.run(transfer({ memo: 'a' }), [paid]);
    scripted.clock.advance(windows.transfer);
    expect(endOf(await scripted.run(transfer({ memo: 'b' })))).toBe('not sent: recently-done');
    scripted.clock.advance(1);
    expect(endOf(await scripted.run(transfer({ memo: 'b' }), [paid]))).toBe('accepted');
  });

  test('stands before an open one that is resumed, too', async () => {
    await scripted.run(transfer({ memo: 'b' }), [unsent], noRetries);
    await scripted.run(transfer({ memo: 'a' }), [paid]);
    const [open] = await scripted.intents();
    expect(endOf(await scripted.resume(open?.id ?? ''))).toBe('not sent: recently-done');
    expect(endOf(await scripted.run(transfer({ memo: 'b' })))).toBe('not sent: recently-done');
  });

  test('asks a person, who sees both, and sends it at a Yes', async () => {
    await scripted.run(transfer({ memo: 'a' }), [paid]);
    const { id } = await scripted.only();
    const seen: unknown[] = [];
    const order = (answer: 'no' | 'anew') =>
      execute(transfer({ memo: 'b' }), scripted.engine(), async (plan) => {
        seen.push([plan.is, plan.twin?.id]);
        return answer;
      });
    expect(endOf(await order('no'))).toBe('not sent: declined');
    scripted.script.push(paid);
    expect(endOf(await order('anew'))).toBe('accepted');
    expect(seen).toEqual([
      ['recently-done', id],
      ['recently-done', id],
    ]);
  });

  test('asks again where doing it anew meets another one that nobody was told of', async () => {
    await scripted.runAndReport(transfer());
    await scripted.run(transfer({ memo: 'x' }, run('r')), [paid]);
    const seen: string[] = [];
    scripted.script.push(paid);
    const ended = await execute(transfer(), scripted.engine(), async ({ is }) => {
      seen.push(is);
      return 'anew';
    });
    expect(seen).toEqual(['replay', 'recently-done']);
    expect(endOf(ended)).toBe('accepted');
  });

  test('asks again of each that was made while a person was asked', async () => {
    await scripted.run(transfer({ memo: 'a' }), [paid]);
    const [{ id: first } = { id: '' }] = await scripted.intents();
    const seen: unknown[] = [];
    const ended = await execute(transfer({ memo: 'b' }), scripted.engine(), async (plan) => {
      seen.push([plan.is, plan.twin?.id]);
      if (seen.length > 1) return 'no';
      await scripted.run(transfer({ memo: 'c' }, run('r')), [paid]);
      return 'anew';
    });
    expect(endOf(ended)).toBe('not sent: declined');
    expect(seen).toEqual([
      ['recently-done', first],
      ['recently-done', (await scripted.intents()).at(-1)?.id],
    ]);
    expect(scripted.sent).toHaveLength(2);
  });

  describe('of a token that is no profile’s', () => {
    const first = { bot: 'env', token: 'token-1' };
    const second = { bot: 'env', token: 'token-2' };

    test('stands where another token made the same payment, told or not', async () => {
      await scripted.run(transfer(), [paid], first);
      await scripted.report((await scripted.only()).id);
      const ended = await scripted.run(transfer(), [], second);
      expect(endOf(ended)).toBe('not sent: recently-done');
      expect(endOf(await scripted.run(transfer({}, once('n')), [paid], second))).toBe('accepted');
    });

    test('does not stand where the body is another, or the bot a profile, and all is told', async () => {
      await scripted.run(transfer(), [paid], first);
      await scripted.report((await scripted.only()).id);
      expect(endOf(await scripted.run(transfer({ memo: 'b' }), [paid], second))).toBe('accepted');
      for (const { id } of await scripted.intents()) await scripted.report(id);
      expect(endOf(await scripted.run(transfer(), [paid], { bot: 'tips', token: 'token-3' }))).toBe(
        'accepted',
      );
    });
  });

  describe('of a bot that was given another name', () => {
    const before = { bot: 'payer', token: 'token-1' };
    const renamed = { bot: 'payments', token: 'token-1' };

    test('stands where the same token made the same payment under the earlier name, told or not', async () => {
      await scripted.run(transfer(), [paid], before);
      const { id } = await scripted.only();
      await scripted.report(id);
      const ended = await scripted.run(transfer(), [], renamed);
      expect(ended).toMatchObject({ is: 'not-sent', because: 'recently-done', intent: { id } });
      expect((await explained(ended, 0)).problem?.message).toContain('by the bot payer');
      expect(endOf(await scripted.run(transfer({}, once('n')), [paid], renamed))).toBe('accepted');
    });

    test('does not stand where the token or the body is another, nor after the window', async () => {
      await scripted.run(transfer(), [paid], before);
      await scripted.report((await scripted.only()).id);
      expect(endOf(await scripted.run(transfer({ memo: 'b' }), [paid], renamed))).toBe('accepted');
      for (const { id } of await scripted.intents()) await scripted.report(id);
      expect(endOf(await scripted.run(transfer(), [paid], { ...renamed, token: 'token-2' }))).toBe(
        'accepted',
      );
      for (const { id } of await scripted.intents()) await scripted.report(id);
      scripted.clock.advance(windows.transfer + 1);
      expect(endOf(await scripted.run(transfer(), [paid], renamed))).toBe('accepted');
    });
  });
});

describe('a question', () => {
  test('is asked before anything is on record, and a No leaves nothing', async () => {
    const engine = scripted.engine();
    const ended = await execute(transfer(), engine, async ({ is }) => {
      expect(is).toBe('new');
      expect(await scripted.intents()).toEqual([]);
      return 'no';
    });
    expect(endOf(ended)).toBe('not sent: declined');
    expect(await scripted.intents()).toEqual([]);
  });

  test.each(['unknown', 'sending'])(
    'about what may have happened (%s) leaves it unknown, whatever the answer',
    async (left) => {
      if (left === 'sending') await scripted.die(transfer());
      else await scripted.run(transfer(), [lost], noRetries);
      const declined = await execute(transfer(), scripted.engine(), async () => 'no');
      expect(endOf(declined)).toBe('unknown');
      expect((await explained(declined, scripted.clock.now())).exit).toBe(9);
      const interrupted = await execute(transfer(), scripted.engine(), async () => {
        throw new Told('interrupted', 'Interrupted at the question');
      });
      expect(endOf(interrupted)).toBe('unknown');
      expect(scripted.sent).toHaveLength(1);
    },
  );

  test('is asked again where the answer was to something else meanwhile', async () => {
    const plans: string[] = [];
    const ended = await execute(transfer(), scripted.engine(), async ({ is }) => {
      plans.push(is);
      if (plans.length === 1) await scripted.run(transfer(), [paid]);
      return 'go';
    });
    expect(plans).toEqual(['new', 'replay']);
    expect(endOf(ended)).toBe('replayed accepted');
    expect(scripted.sent).toHaveLength(1);
  });

  test('is asked again where the same was paid under another name meanwhile', async () => {
    const repeated: (string | undefined)[][] = [];
    const ended = await execute(transfer({}, once('rent-11')), scripted.engine(), async ({ repeats }) => {
      repeated.push(repeats.map(({ name }) => name));
      if (repeated.length === 1) await scripted.run(transfer({}, once('rent-10')), [paid]);
      else scripted.script.push(reply(200, { transfer_id: 't 2', signature: 's 2' }));
      return 'go';
    });
    expect(repeated).toEqual([[], ['rent-10']]);
    expect(endOf(ended)).toBe('accepted');
    expect(scripted.sent).toHaveLength(2);
  });

  test('answered "again" begins anew, and still meets the guard against a twin', async () => {
    await scripted.runAndReport(transfer());
    scripted.script.push(paid);
    expect(endOf(await execute(transfer(), scripted.engine(), async () => 'anew'))).toBe('accepted');
    expect(await scripted.intents()).toHaveLength(2);
    for (const { id } of await scripted.intents()) await scripted.report(id);
    await scripted.run(transfer({ memo: 'x' }), [lost], noRetries);
    expect(endOf(await execute(transfer(), scripted.engine(), async () => 'anew'))).toBe(
      'not sent: unfinished-twin',
    );
  });
});

describe('two at once', () => {
  test('make one claim', async () => {
    scripted.script.push(paid);
    const [left, right] = await Promise.all([
      execute(transfer(), scripted.engine()),
      execute(transfer(), scripted.engine()),
    ]);
    expect(scripted.sent).toHaveLength(1);
    expect([endOf(left), endOf(right)].sort()).toEqual(['accepted', 'replayed accepted']);
  });

  test('of different names with one key are one intent', async () => {
    const claimedOnce = await claim(transfer({}, once('n')), scripted.engine());
    const { key: known } = await scripted.only();
    const ended = await execute(transfer({}, key(known)), scripted.engine({ limits: { maxWaitMs: 100 } }));
    expect(claimedOnce.is).toBe('claim');
    expect(ended.is).toBe('still-sending');
  });
});

describe('a claim of which one write fails', () => {
  const day = 24 * hour;
  const rent = (amount = '1.5') => transfer({ amount }, once('rent'));
  const above = [policyOf({ approve_above: { SOL: '1' }, limits: { SOL: {} } })];

  test.each<[keyof Transaction, string, () => Promise<Order>]>([
    [
      'recordDeath',
      'what a dead process sent',
      async () => {
        await scripted.die(transfer());
        return transfer();
      },
    ],
    ['hold', 'a message that is left behind', leftBehind],
    ['supersede', 'a message that follows it', leftBehind],
    [
      'rewrite',
      'what was refused',
      async () => {
        await scripted.run(rent(), [reply(402)]);
        return rent('2');
      },
    ],
  ])('is not made where %s fails: %s', async (verb, _what, before) => {
    const order = await before();
    await stays(() => execute(order, failing(verb)));
  });

  test.each(['decide', 'claim', 'recordDeath'] as const)(
    'is not made where %s fails: what a person sends after all',
    async (verb) => {
      if (verb === 'recordDeath') await scripted.die(transfer());
      else await scripted.run(transfer(), [], { proposes: true });
      const { id } = await scripted.only();
      const shown = await scripted.shown(id);
      await stays(() => resume(shown, failing(verb), scripted.word('approved')));
    },
  );

  test('a decision is not made where a death cannot be recorded', async () => {
    await scripted.die(transfer());
    const { id } = await scripted.only();
    const { journal, commit } = failing('recordDeath');
    const deciding = { ...journal, commit };
    const shown = await scripted.shown(id);
    await stays(() => resolveIntent(shown, scripted.word('happened'), deciding));
  });

  test.each([
    ['new', async () => {}],
    ['known and never sent', async () => void (await scripted.run(rent(), [unsent], noRetries))],
  ])('proposes nothing if its proposer cannot be kept: what is %s', async (_what, before) => {
    await before();
    await stays(() => execute(rent(), { ...failing('decide'), proposes: true }));
  });

  /** Fails, sends nothing, and leaves the journal as it was. */
  async function stays(work: () => Promise<unknown>): Promise<void> {
    const before = [scripted.sent.length, await scripted.intents()];
    await expect(work()).rejects.toThrow('disk full');
    expect([scripted.sent.length, await scripted.intents()]).toEqual(before);
  }

  // A read that is not needed may fail, and on a server it is another round trip.
  test.each<[keyof Transaction, string, (engine: EngineContext) => Promise<Outcome>, string]>([
    ['get', 'after what was recorded', (engine) => execute(transfer(), engine), 'accepted'],
    ['rewrite', 'for the same body', (engine) => execute(rent('2'), engine), 'accepted'],
    ['otherUrls', 'for what has no name', (engine) => execute(transfer(), engine), 'accepted'],
    ['decisionsOf', 'on what was refused', (engine) => execute(rent('2'), engine), 'accepted'],
    [
      'decisionsOf',
      'on what is new',
      (engine) => execute(transfer(), { ...engine, policies: above }),
      'held',
    ],
    ['unfinishedTwins', 'for a message', resumeMessage, 'accepted'],
  ])('is made without %s %s', async (verb, _what, work, end) => {
    await scripted.run(rent('2'), [reply(402)]);
    scripted.script.push(paid);
    expect(endOf(await work(failing(verb)))).toBe(end);
  });

  test('is judged as the first attempt of its name without a look at others', async () => {
    const journal = scripted.open();
    const attemptsOf = async () => Promise.reject(new Error('disk I/O error'));
    const engine = { journal: { ...journal, reads: { ...journal.reads, attemptsOf } } };
    expect(endOf(await scripted.run(message('Hi', once('n')), [reply(409)], engine))).toBe('accepted');
  });

  test('is planned once in its commit', async () => {
    const engine = scripted.engine();
    let looks = 0;
    const commit: EngineContext['commit'] = (work, guards) =>
      engine.journal.commit((tx) => {
        const findUnnamed: Transaction['findUnnamed'] = (digest) => {
          looks += 1;
          return tx.findUnnamed(digest);
        };
        return work({ ...tx, findUnnamed });
      }, guards);
    scripted.script.push(paid);
    expect(endOf(await execute(transfer(), { ...engine, commit }))).toBe('accepted');
    expect(looks).toBe(1);
  });

  async function resumeMessage(engine: EngineContext): Promise<Outcome> {
    scripted.script.length = 0;
    await scripted.run(message(), [unsent], noRetries);
    const id = (await scripted.intents()).at(-1)?.id ?? '';
    scripted.script.push(posted);
    return resume(await scripted.shown(id), engine, undefined);
  }

  function failing(verb: keyof Transaction): EngineContext {
    const { journal, ...engine } = scripted.engine();
    const fails = async () => Promise.reject(new Error('disk full'));
    const commit: EngineContext['commit'] = (work, guards) =>
      journal.commit((tx) => work({ ...tx, [verb]: fails }), guards);
    return { ...engine, journal, commit };
  }

  async function leftBehind(): Promise<Order> {
    await scripted.run(message(), [lost], noRetries);
    scripted.clock.advance(day + 1);
    return message();
  }
});

describe('what a dead process sent is looked at again before it is claimed', () => {
  beforeEach(() => scripted.die(transfer()));

  test('so another token holds it', async () => {
    expect(endOf(await scripted.run(transfer(), [paid], { ...noRetries, token: 'token-2' }))).toBe('held');
    expect(scripted.sent).toHaveLength(1);
  });

  test('so a policy that refuses it now leaves it in doubt', async () => {
    const policies = [policyOf({ limits: { USDC: {} } })];
    expect(endOf(await scripted.run(transfer(), [paid], { policies }))).toBe('held');
  });
});

test('what a dead process sent is no new payment that a person is asked about as paid already', async () => {
  await scripted.run(transfer({}, once('earlier')), [paid]);
  await scripted.die(transfer({}, once('rent')));
  const repeats: number[] = [];
  scripted.script.push(paid);
  await execute(transfer({}, once('rent')), scripted.engine(), async (plan) => {
    repeats.push(plan.repeats.length);
    return 'go';
  });
  expect(repeats).toEqual([0]);
});

// What a plan rests on beside the table of re-runs: other URLs, names, declined bodies, what would be repeated.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claim } from '../../../src/once/engine/claim.ts';
import type { EngineContext } from '../../../src/once/engine/context.ts';
import { execute } from '../../../src/once/engine/execute.ts';
import type { Outcome } from '../../../src/once/engine/outcome.ts';
import {
  identify,
  isInDoubt,
  keyAt,
  makePlan,
  newIntent,
  planOfNewJournal,
} from '../../../src/once/engine/plan.ts';
import { declineProposal } from '../../../src/once/engine/resume.ts';
import { claimedBy } from '../../../src/once/failures.ts';
import type { BaseUrl } from '../../../src/once/intent/baseUrl.ts';
import type { Order } from '../../../src/once/intent/naming.ts';
import { type Intent, type Receipt, states } from '../../../src/once/journal/journal.ts';
import { done } from '../../../testing/journals.ts';
import { policyOf } from '../../../testing/policies.ts';
import {
  endOf,
  lost,
  message,
  noRetries,
  once,
  paid,
  posted,
  reply,
  ScriptedEngine,
  transfer,
  unsent,
} from '../../../testing/scriptedEngine.ts';
import { repeatWindow, windows } from './design.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

const rent = (amount = '1.5') => transfer({ amount }, once('rent'));
const below = { spelledUrl: 'https://bots.example/bots' as BaseUrl };

describe('a plan', () => {
  test('on an empty journal is the one without a journal', async () => {
    const { journal, bot } = scripted.engine();
    expect(await makePlan(identify(rent(), bot, journal), bot, journal.reads, 0)).toEqual(planOfNewJournal);
  });

  test('is in doubt of what is unknown or being sent', () => {
    const doubtful = states.filter((state) => isInDoubt({ found: { state } as never }));
    expect([doubtful.toSorted(), isInDoubt({ found: undefined })]).toEqual([['sending', 'unknown'], false]);
  });

  test('looks for the name at other URLs only where something begins', async () => {
    await scripted.run(rent(), [paid]);
    const { bot, chance } = scripted.engine(below);
    await scripted.look(async (journal) => {
      await journal.begin(newIntent(identify(rent(), bot, journal), bot, chance.uuid), 'hash', 0);
    });
    expect(endOf(await scripted.run(rent()))).toBe('replayed accepted');
  });

  test.each([
    [['accepted', 'held', 'unknown'], 'unknown-at-other-url', 'unknown'],
    [['accepted', 'sending', 'held'], 'unknown-at-other-url', 'sending'],
    [['rejected', 'held'], 'held-at-other-url', 'held'],
    [['accepted'], 'other-url', 'accepted'],
    [['rejected'], 'other-url', 'rejected'],
  ] as const)('finds the name at other URLs, the least settled first: %j', async (found, because, state) => {
    for (const [index, one] of found.entries()) {
      const at = { spelledUrl: `https://bots.example/${index}` as BaseUrl };
      const { bot, chance } = scripted.engine(at);
      await scripted.look(async (journal) => {
        const intent = newIntent(identify(rent(), bot, journal), bot, chance.uuid);
        if (one === 'sending') await journal.begin(intent, 'hash', 0);
        else await done(journal, one, intent, 0);
      });
    }
    const url = 'https://bots.example';
    expect(await scripted.run(rent())).toEqual({
      is: 'not-sent',
      because,
      intent: expect.objectContaining({ state }),
      url,
    });
  });

  test('lets a row of a batch be no twin of what has a name of its own', async () => {
    await scripted.run(rent(), [lost], noRetries);
    const row = { by: 'row', name: 'b', row: 'id:7', id: '7' } as const;
    expect(endOf(await scripted.run(transfer({}, row), [paid]))).toBe('accepted');
  });

  test('is not dated by a reply that proves nothing', async () => {
    const later = new Date(scripted.clock.now() + 1000 * windows.transfer).toUTCString();
    await scripted.run(transfer(), [reply(500, {}, { date: later })], noRetries);
    const { id } = await scripted.only();
    await scripted.decide(id, 'happened');
    await scripted.report(id);
    scripted.clock.advance(windows.transfer + 1);
    expect(endOf(await scripted.run(transfer(), [paid]))).toBe('accepted');
  });
});

describe('what was declined', () => {
  async function declined(order = rent()): Promise<void> {
    await scripted.run(order, [], { proposes: true });
    const { id } = await scripted.only();
    await declineProposal(await scripted.shown(id), scripted.word('declined'), scripted.open());
  }
  const isDeclined = { is: 'concluded', replayed: false, declined: { kind: 'declined' } };

  test('stays declined under its name, and without one for the re-run window', async () => {
    await declined();
    scripted.clock.advance(windows.transfer + 1);
    expect(await scripted.run(rent())).toMatchObject(isDeclined);
    scripted.remove();
    scripted = new ScriptedEngine();
    await declined(transfer());
    scripted.clock.advance(windows.transfer);
    expect(await scripted.run(transfer())).toMatchObject(isDeclined);
    scripted.clock.advance(1);
    expect(endOf(await scripted.run(transfer(), [paid]))).toBe('accepted');
  });

  test('keeps its body: another one under its name is refused', async () => {
    await declined();
    const before = await scripted.only();
    for (const changes of [{}, { proposes: true }])
      expect(endOf(await scripted.run(rent('2'), [], changes))).toBe('not sent: other-body');
    expect(await scripted.only()).toEqual(before);
    expect(scripted.sent).toEqual([]);
  });
});

describe('a payment under another name', () => {
  const again = transfer({}, once('again'));
  const repeating = async (order = again) => {
    scripted.script.splice(0, 1, unsent);
    await execute(order, scripted.engine(noRetries));
    return scripted.repeats.splice(0).length;
  };

  test.each([
    [repeatWindow, 1],
    [repeatWindow + 1, 0],
  ])('is told of within the window: %i ms ago', async (agoMs, count) => {
    await scripted.run(rent(), [paid]);
    scripted.clock.advance(agoMs);
    expect(await repeating()).toBe(count);
    expect(await repeating(message('Hello', once('m')))).toBe(0);
  });

  test('is claimed with what it repeats, or left where that is asked', async () => {
    const leave = (order = again) => claim(order, scripted.engine(), undefined, undefined, 'leave');
    const first = await leave(rent());
    expect(first).toMatchObject({ is: 'claim', createdNow: true });
    expect(first).not.toHaveProperty('repeats');
    const repeats = [{ name: 'rent' }];
    expect(await leave()).toMatchObject({ is: 'not-sent', because: 'paid-already', repeats });
    expect(await claim(again, scripted.engine())).toMatchObject({ is: 'claim', repeats });
  });

  test('is proposed with what it repeats, and refused without', async () => {
    await scripted.run(rent(), [paid]);
    expect(await scripted.run(again, [], { proposes: true })).toMatchObject({ repeats: [{ name: 'rent' }] });
    const other = transfer({}, once('third'));
    const refused = await scripted.run(other, [], { policies: [policyOf({ limits: {} })] });
    expect(refused).toEqual({ is: 'not-sent', because: 'policy', refusal: expect.anything() });
  });

  test('is told of before anything is sent', async () => {
    await scripted.run(rent(), [paid]);
    const events: string[] = [];
    const { observer } = scripted.engine();
    const paysAgain = async () => {
      for (let turn = 0; turn < 9; turn += 1) await new Promise(setImmediate);
      events.push('told');
    };
    const send = () => {
      events.push('sent');
      return paid;
    };
    await scripted.run(again, [send], { observer: { ...observer, paysAgain } });
    expect(events).toEqual(['told', 'sent']);
  });
});

describe('a claim', () => {
  /** Every first commit succeeds, its confirmation is lost, and it runs again. */
  function confirmedLate() {
    const journal = scripted.open();
    let commits = 0;
    const commit: typeof journal.commit = async (work, guards) => {
      commits += 1;
      if (commits === 1) await journal.commit(work, guards);
      return journal.commit(work, guards);
    };
    return { journal, commit };
  }

  test('that is confirmed late is recognised, and sent once', async () => {
    const rejected = await scripted.run(rent(), [reply(402)], confirmedLate());
    expect(rejected).toMatchObject({ isNewJournal: true, attempt: { number: 1 } });
    expect(await scripted.only()).toMatchObject({ attempts: 1 });
    expect(scripted.sent).toHaveLength(1);
  });

  test('is noted for the end of the process, and what is not claimed is not', async () => {
    const engine = scripted.engine();
    scripted.script.push(posted);
    await execute(message('Hello', once('n')), engine);
    const { id } = await scripted.only();
    expect(id).toMatch(/^[0-9a-f]{12}$/u);
    await execute(message('Hello', once('n')), engine);
    expect(claimedBy(engine.interrupts)).toEqual({ intents: 1, lastId: id });
  });

  test('keeps the same name under another path of the origin out', async () => {
    const alone: unknown[] = [];
    for (const [order, url] of [
      [rent(), below],
      [rent(), {}],
      [message(), below],
    ] as const) {
      const engine = scripted.engine(url);
      const commit: typeof engine.commit = async (_work, guards) => {
        alone.push(guards?.alone);
        throw new Error('far enough');
      };
      await expect(claim(order, { ...engine, commit })).rejects.toThrow();
    }
    const { journal, bot } = scripted.engine(below);
    const atOrigin = keyAt('https://bots.example', identify(rent(), bot, journal));
    const some = expect.any(String);
    expect(alone).toEqual([[some, atOrigin], [atOrigin], [some]]);
  });

  test('of what follows a left one leaves it for good', async () => {
    await scripted.run(message(), [lost], noRetries);
    scripted.clock.advance(24 * 3_600_000 + 1);
    await scripted.runAndReport(message());
    expect(endOf(await scripted.run(message()))).toBe('replayed accepted');
    expect(await scripted.intents()).toHaveLength(2);
  });

  test('refused by a policy begins nothing anew', async () => {
    await scripted.runAndReport(transfer());
    scripted.clock.advance(windows.transfer + 1);
    const refused = await scripted.run(transfer(), [], { policies: [policyOf({ limits: {} })] });
    expect(refused).toEqual({ is: 'not-sent', because: 'policy', refusal: expect.anything() });
  });
});

describe('a question', () => {
  const asked = (answer: () => 'no' | 'go') => execute(transfer(), scripted.engine(), async () => answer());
  const unanswered = () => {
    throw new Error('nobody answered');
  };

  test('that nobody answers is told where nothing is in doubt', async () => {
    await expect(asked(unanswered)).rejects.toThrow('nobody answered');
    await scripted.run(transfer(), [paid]);
    await expect(asked(unanswered)).rejects.toThrow('nobody answered');
    expect(endOf(await asked(() => 'no'))).toBe('not sent: declined');
  });

  test('is put again where what it was about has ended meanwhile', async () => {
    await scripted.run(transfer(), [lost], noRetries);
    const plans: string[] = [];
    const ended = await execute(transfer(), scripted.engine(), async ({ is }) => {
      plans.push(is);
      if (plans.length === 1) await scripted.run(transfer(), [paid]);
      return 'go';
    });
    expect([plans, endOf(ended)]).toEqual([['resume', 'replay'], 'replayed accepted']);
  });
});

describe('what the disk has changed', () => {
  const named = transfer({}, once('rent'));

  /** A run whose journal reads an intent, its receipts or its last attempt otherwise than they were written. */
  async function runOn(
    change: Partial<Intent>,
    { receipts, order = named }: { receipts?: readonly Receipt[]; order?: Order } = {},
  ): Promise<Outcome> {
    const journal = scripted.open();
    const changed = (found: Intent | undefined) => found && { ...found, ...change };
    const commit: EngineContext['commit'] = (work, guards) =>
      journal.commit(
        (tx) =>
          work({
            ...tx,
            findByKey: async (scope, key) => changed(await tx.findByKey(scope, key)),
            get: async (id) => changed(await tx.get(id)) as Intent,
            startAttempt: async (...given) => changed(await tx.startAttempt(...given)) as Intent,
            receiptsOf: async (id) => [...(receipts ?? (await tx.receiptsOf(id)))],
          }),
        guards,
      );
    return scripted.run(order, [paid], { journal, commit });
  }
  const other = { body: Buffer.from('{"amount":"9"}') };
  const receipt = (what: Receipt['what'], value: string): Receipt => ({
    origin: 'https://bots.example' as BaseUrl,
    what,
    value,
  });

  test.each([
    ['what was done', [paid], named, { kind: 'intent-changed', fields: { wasDone: true } }],
    [
      'what another body is compared with',
      [paid],
      rent('2'),
      { kind: 'intent-changed', fields: { wasDone: false } },
    ],
    ['a request', [unsent], named, { kind: 'request-changed', fields: { mayHaveLanded: false } }],
    ['a request in doubt', [lost], named, { kind: 'request-changed', fields: { mayHaveLanded: true } }],
  ] as const)('is not told or sent: %s', async (_what, replies, order, failure) => {
    await scripted.run(named, replies, noRetries);
    await expect(runOn(other, { order })).rejects.toMatchObject(failure);
    expect(scripted.sent).toHaveLength(1);
  });

  test('is not told where the reply and the receipts of a transfer differ', async () => {
    await scripted.run(named, [paid], noRetries);
    for (const what of ['signature', 'transfer-id'] as const)
      await expect(runOn({}, { receipts: [receipt(what, 'x')] })).rejects.toMatchObject({
        kind: 'intent-changed',
      });
    // A chain gives it, and no reply.
    const ofChain = { ...receipt('signature', 'x'), origin: 'g' };
    expect(endOf(await runOn({}, { receipts: [ofChain] }))).toBe('replayed accepted');
  });

  test('is not looked for in the reply of what a person decided', async () => {
    await scripted.run(named, [reply(500, { transfer_id: 't' })], noRetries);
    await scripted.decide((await scripted.only()).id, 'happened');
    expect(endOf(await runOn({}, { receipts: [receipt('signature', 'x')] }))).toBe('replayed resolved');
  });
});

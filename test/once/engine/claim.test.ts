import { renameSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { untilClaimed } from '../../../src/once/engine/claim.ts';
import type { EngineContext } from '../../../src/once/engine/context.ts';
import { execute } from '../../../src/once/engine/execute.ts';
import { resolveEntry, resume } from '../../../src/once/engine/resume.ts';
import { parseBaseUrl } from '../../../src/once/entry/baseUrl.ts';
import type { Naming, Order } from '../../../src/once/entry/naming.ts';
import { Failure } from '../../../src/once/failures.ts';
import type { Transaction } from '../../../src/once/journal/journal.ts';
import { explained } from '../../support/explained.ts';
import { policyOf } from '../../support/policies.ts';
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
} from '../../support/scriptedEngine.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

const hour = 3_600_000;

describe('the same command again', () => {
  test('is a replay of a payment for 12 hours, counted from its latest attempt', async () => {
    const latestMs = scripted.clock.now();
    await scripted.run(transfer(), [lost], noRetries);
    scripted.clock.advance(60_000);
    await scripted.runAndReport(transfer());
    scripted.clock.advance(12 * hour);
    expect(endOf(await scripted.run(transfer()))).toBe('replayed accepted');
    scripted.clock.advance(1);
    expect(endOf(await scripted.run(transfer(), [paid]))).toBe('accepted');
    expect(new Set(scripted.sent.map((sent) => sent.key)).size).toBe(2);
    scripted.clock.nowMs = latestMs;
    expect(endOf(await scripted.run(transfer()))).toBe('replayed accepted');
  });

  test('is another message 12 hours after one whose reply was lost, and that one is resumed by its ID', async () => {
    await scripted.run(message(), [lost], noRetries);
    scripted.clock.advance(12 * hour + 1);
    // Today's is sent, and resumed if its own reply is lost.
    await scripted.run(message(), [lost], noRetries);
    expect(endOf(await scripted.run(message(), [posted]))).toBe('accepted');
    const [yesterdays, todays] = await scripted.entries();
    expect([yesterdays?.state, todays?.state]).toEqual(['unknown', 'accepted']);
    expect(endOf(await scripted.resume(yesterdays?.id ?? '', [posted]))).toBe('accepted');
  });

  test('of another token is another command only where the token is no profile’s', async () => {
    await scripted.run(message(), [posted]);
    expect(endOf(await scripted.run(message(), [], { token: 'token-2' }))).toBe('replayed accepted');
    const env = { bot: 'env' };
    await scripted.run(message(), [posted], env);
    expect(endOf(await scripted.run(message(), [], env))).toBe('replayed accepted');
    expect(endOf(await scripted.run(message(), [posted], { ...env, token: 'token-2' }))).toBe('accepted');
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
});

describe('loopback', () => {
  const at = (host: string) => ({ spelledUrl: parseBaseUrl(`http://${host}:9`) });

  test.each([transfer(), transfer({}, once('n')), transfer({}, run('n')), message()])(
    'is one host in identities and keys, and is spoken to as it is spelled: %j',
    async (order) => {
      await scripted.run(order, [lost], { ...noRetries, ...at('localhost') });
      await scripted.run(order, [lost], { ...noRetries, ...at('[::1]') });
      expect(await scripted.only()).toMatchObject({
        baseUrl: 'http://127.0.0.1:9',
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
    ['a plain rejection', reply(400)],
    ['what never left', unsent],
  ])('takes the new bot and the new body under the old key after %s', async (_what, answer) => {
    await scripted.run(first, [answer], { ...noRetries, bot: 'another' });
    expect(endOf(await scripted.run(second, [paid]))).toBe('accepted');
    expect(scripted.sent[1]?.key).toBe(scripted.sent[0]?.key);
    expect(JSON.parse(scripted.sent[1]?.body ?? '')).toMatchObject({ amount: '2' });
    expect(await scripted.only()).toMatchObject({ bot: 'tips' });
    expect(endOf(await scripted.run(first))).toBe('not sent: other-body');
  });
});

describe('a key that the journal knows under another name', () => {
  async function keyOf(naming: Naming, answer = paid): Promise<string> {
    await scripted.run(transfer({}, naming), [answer], noRetries);
    return scripted.sent.at(-1)?.key ?? '';
  }

  test.each([{ by: 'nothing' } as const, once('n'), run('n')])('is that entry, done: %j', async (naming) => {
    const known = await keyOf(naming);
    expect(endOf(await scripted.run(transfer({}, key(known))))).toBe('replayed accepted');
    expect(endOf(await scripted.run(transfer({ amount: '9' }, key(known))))).toBe('not sent: other-body');
  });

  test('is that entry, unknown', async () => {
    const known = await keyOf({ by: 'nothing' }, lost);
    expect(endOf(await scripted.run(transfer({}, key(known)), [paid]))).toBe('accepted');
    expect(await scripted.entries()).toHaveLength(1);
  });
});

describe('a process that died', () => {
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
});

/** Somebody else's flight, which lands when told to. */
async function inFlight(order = transfer()) {
  const engine = scripted.engine();
  let land: (flight: typeof paid) => void = () => {};
  scripted.script.push(
    () =>
      new Promise((resolve) => {
        land = resolve;
      }),
  );
  const before = scripted.sent.length;
  const running = execute(order, engine);
  while (scripted.sent.length === before) await new Promise(setImmediate);
  return {
    engine,
    land: (flight: typeof paid) => {
      land(flight);
      return running;
    },
  };
}

describe('a process that lives', () => {
  test.each([
    ['accepted', paid, true],
    ['held', reply(200, 'OK'), false],
  ] as const)('is waited for, and its outcome is told: %s', async (state, answer, replayed) => {
    const { land } = await inFlight();
    let slept = 0;
    scripted.clock.onSleep = () => {
      slept += 1;
      if (slept === 3) void land(answer);
    };
    const engine = scripted.engine();
    const ended = await execute(transfer(), engine);
    expect(ended).toMatchObject({ is: 'concluded', replayed, entry: { state } });
    expect(scripted.sent).toHaveLength(1);
  });

  test('and has no name: one that waited tells the message, although its own command told it before', async () => {
    const { land } = await inFlight(message());
    scripted.clock.runs = false;
    const asleep = new Promise<void>((resolve) => {
      scripted.clock.onSleep = () => resolve();
    });
    const waiting = execute(message(), scripted.engine());
    await asleep;
    await land(posted);
    await scripted.report((await scripted.only()).id);
    scripted.clock.advance(1000);
    expect(endOf(await waiting)).toBe('replayed accepted');
    expect(scripted.sent).toHaveLength(1);
  });

  test('is waited for no longer in all where one dies after the other', async () => {
    const { land, engine } = await inFlight();
    const entry = await scripted.only();
    let looks = 0;
    // Of each, whoever looks eleven times finds it dead at last; and when it takes over, another one has.
    const get = async () => {
      looks += 1;
      return { ...entry, ownerLives: looks % 11 !== 0 };
    };
    const journal = { ...engine.journal, reads: { ...engine.journal.reads, get } };
    const before = scripted.clock.now();
    const step = { is: 'wait', entry, twin: false } as const;
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
});

describe('an owner whose proof comes late', () => {
  /** A process that was thought dead although it still waits for its reply. */
  async function late() {
    const flight = await inFlight();
    renameSync(`${scripted.path}.owners`, `${scripted.path}.owners.gone`);
    return flight;
  }

  test('is told as that process’s work where nothing left this one', async () => {
    const { land } = await late();
    await scripted.run(transfer(), [paid]);
    expect(await land(unsent)).toMatchObject({
      replayed: true,
      entry: { state: 'accepted' },
      attempt: { verdict: 'accepted', number: 2 },
      stopped: { because: 'nothing-to-gain' },
    });
  });

  test('is told as its own where something left it', async () => {
    const { land } = await late();
    await scripted.run(transfer(), [paid]);
    expect(await land(lost)).toMatchObject({ replayed: false, entry: { state: 'accepted' } });
  });

  test('sends nothing more while another process does', async () => {
    const { land } = await late();
    await scripted.beginSending(transfer());
    expect(await land(lost)).toMatchObject({ entry: { state: 'sending' }, replayed: false });
    expect(scripted.sent).toHaveLength(2);
  });
});

describe('a question', () => {
  test.each(['unknown', 'sending'])(
    'about what may have happened (%s) leaves it unknown, whatever the answer',
    async (left) => {
      if (left === 'sending') await scripted.die(transfer());
      else await scripted.run(transfer(), [lost], noRetries);
      const declined = await execute(transfer(), scripted.engine(), async () => 'no');
      expect(endOf(declined)).toBe('unknown');
      expect(explained(declined, scripted.clock.now()).exit).toBe(9);
      const interrupted = await execute(transfer(), scripted.engine(), async () => {
        throw new Failure('interrupted', 'Interrupted at the question');
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
    expect(plans).toEqual(['new-entry', 'already-done']);
    expect(endOf(ended)).toBe('replayed accepted');
    expect(scripted.sent).toHaveLength(1);
  });
});

describe('a claim of which one write fails', () => {
  const day = 24 * hour;
  const rent = (amount = '1.5') => transfer({ amount }, once('rent'));

  test.each<[keyof Transaction, string, () => Promise<Order>]>([
    [
      'recordDeath',
      'what a dead process sent',
      async () => {
        await scripted.die(transfer());
        return transfer();
      },
    ],
    ['hold', 'what is too old', tooOld],
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
      else await scripted.run(transfer(), [reply(200, 'OK')]);
      const { id } = await scripted.only();
      const shown = await scripted.shown(id);
      await stays(() => resume(shown, failing(verb), scripted.word('send-again')));
    },
  );

  test('a decision is not made where a death cannot be recorded', async () => {
    await scripted.die(transfer());
    const { id } = await scripted.only();
    const { journal, commit } = failing('recordDeath');
    const deciding = { ...journal, commit };
    const shown = await scripted.shown(id);
    await stays(() => resolveEntry(shown, scripted.word('happened'), deciding));
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
    const before = [scripted.sent.length, await scripted.entries()];
    await expect(work()).rejects.toThrow('disk full');
    expect([scripted.sent.length, await scripted.entries()]).toEqual(before);
  }

  function failing(verb: keyof Transaction): EngineContext {
    const { journal, ...engine } = scripted.engine();
    const fails = async () => Promise.reject(new Error('disk full'));
    const commit: EngineContext['commit'] = (work, guards) =>
      journal.commit((tx) => work({ ...tx, [verb]: fails }), guards);
    return { ...engine, journal, commit };
  }

  async function tooOld(): Promise<Order> {
    await scripted.run(rent(), [lost], noRetries);
    scripted.clock.advance(day);
    return rent();
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

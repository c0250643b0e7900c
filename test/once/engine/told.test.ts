import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/once/engine/outcome.ts';
import type { Naming, Order } from '../../../src/once/intent/naming.ts';
import type { Exchange, Flight, Reply } from '../../../src/once/wire/flight.ts';
import {
  ada,
  bob,
  endOf,
  key,
  lost,
  message,
  noRetries,
  once,
  reply,
  run,
  ScriptedEngine,
  transfer,
  unsent,
} from '../../../testing/scriptedEngine.ts';
import { isVerified } from './design.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

const did = (fields: Record<string, unknown>): Flight => reply(200, { status: 'confirmed', ...fields });
const few = { limits: { maxWaitMs: 1_500 } };
const verified = (ended: Outcome): boolean | undefined =>
  ended.is === 'concluded' ? ended.attempt?.verified : undefined;

describe('a transfer id or a signature that another intent has', () => {
  test.each([
    ['transfer id', { transfer_id: 't1', signature: 's2' }],
    ['signature', { transfer_id: 't2', signature: 's1' }],
    ['failed signature', { signature: 's1', to_address: bob }],
  ])('is a reply on the wrong request: tried again (%s)', async (_what, wrong) => {
    await scripted.run(transfer({}, once('a')), [did({ transfer_id: 't1', signature: 's1' })]);
    const right = did({ transfer_id: 't3', signature: 's3' });
    const ended = await scripted.run(transfer({ amount: '2' }, once('b')), [did(wrong), right]);
    expect(ended).toMatchObject({
      intent: { state: 'accepted', attempts: 2 },
      attempt: { reply: (right as Reply).body },
    });
    const [first] = await scripted.look((journal) =>
      journal.attemptsOf(ended.is === 'concluded' ? ended.intent.id : ''),
    );
    expect(first).toMatchObject({
      verdict: 'unknown',
      status: 200,
      trouble: { is: 'someone-elses-reply' },
    });
  });

  test('is held where every try is answered so, with the reason', async () => {
    await scripted.run(transfer({}, once('a')), [did({ transfer_id: 't1' })]);
    const again = did({ transfer_id: 't1' });
    const ended = await scripted.run(transfer({ amount: '2' }, once('b')), [again, again, again], few);
    expect(endOf(ended)).toBe('held');
    expect((await scripted.intents()).at(-1)).toMatchObject({
      state: 'held',
      heldReason: 'someone-elses',
      attempts: 3,
    });
  });

  test('counts for one base URL, one kind of receipt and accepted replies only', async () => {
    await scripted.run(transfer({}, once('a')), [did({ transfer_id: 'x', status: 'failed' })]);
    await scripted.run(transfer({ amount: '2' }, once('b')), [did({ transfer_id: 'x', signature: 'y' })]);
    const ended = await scripted.run(transfer({ amount: '3' }, once('c')), [
      did({ transfer_id: 'y', signature: 'x' }),
    ]);
    expect((await scripted.intents()).map(({ state }) => state)).toEqual(['held', 'accepted', 'accepted']);
    expect(endOf(ended)).toBe('accepted');
  });

  test('is its own where the same intent is answered twice', async () => {
    const argv = transfer({}, once('a'));
    const first = await scripted.run(argv, [did({ transfer_id: 't1' })]);
    expect(endOf(first)).toBe('accepted');
    expect(endOf(await scripted.run(argv))).toBe('replayed accepted');
  });
});

describe('a message id of the reply before it on the same connection', () => {
  const posted = (id: unknown, before?: Exchange): Flight => {
    const flight = reply(200, { message: { id } }) as Reply;
    if (before === undefined) return flight;
    const socket = {
      before,
      keep: (answered: Exchange) => void kept.push(answered.id),
      drop: async () => {
        for (let turn = 0; turn < 9; turn += 1) await new Promise(setImmediate);
        kept.push('dropped');
      },
    };
    return { ...flight, socket };
  };
  const kept: unknown[] = [];
  beforeEach(() => kept.splice(0));

  test('is tried again on a fresh connection, where the key was another', async () => {
    const next = () => {
      kept.push('next');
      return posted('m2');
    };
    const ended = await scripted.run(message(), [posted('m1', { key: 'other', id: 'm1' }), next]);
    expect(ended).toMatchObject({ intent: { state: 'accepted', attempts: 2 } });
    expect(kept).toEqual(['dropped', 'next']);
  });

  test('is its own under the same key, and says nothing where there is none or it is another', async () => {
    const named = message('Hi', key('k'));
    expect(endOf(await scripted.run(named, [posted('m1', { key: 'k', id: 'm1' })]))).toBe('accepted');
    expect(endOf(await scripted.run(message('2'), [posted('m2', { key: 'x', id: 'm1' })]))).toBe('accepted');
    expect(endOf(await scripted.run(message('3'), [posted(undefined, { key: 'x', id: undefined })]))).toBe(
      'accepted',
    );
    expect(
      endOf(await scripted.run(message('4'), [posted({ a: 1 }, { key: 'x', id: '[object Object]' })])),
    ).toBe('accepted');
    expect(kept).toEqual(['m1', 'm2', undefined, undefined]);
  });

  test('keeps the connection after a transfer’s own reply, and drops it after another’s', async () => {
    const over = (fields: Record<string, unknown>): Flight => ({
      ...(did(fields) as Reply),
      socket: connectionOf({ key: 'x', id: undefined }),
    });
    await scripted.run(transfer({}, once('a')), [over({ transfer_id: 't1' })], noRetries);
    expect(kept).toEqual(['kept']);
    await scripted.run(transfer({ amount: '2' }, once('b')), [over({ transfer_id: 't1' })], noRetries);
    expect(kept).toEqual(['kept', 'dropped']);
  });

  test.each([
    ['a rejection', (before: Exchange) => ({ ...(reply(400) as Reply), socket: connectionOf(before) })],
    ['a limit', (before: Exchange) => ({ ...(reply(429) as Reply), socket: connectionOf(before) })],
    ['no proof', (before: Exchange) => ({ ...(reply(200) as Reply), socket: connectionOf(before) })],
  ])('cannot be looked for after %s: that connection is not used again', async (_what, make) => {
    await scripted.run(message(), [make({ key: 'x', id: 'm1' })], noRetries);
    expect(kept).toEqual(['dropped']);
  });

  function connectionOf(before: Exchange) {
    return { before, keep: () => void kept.push('kept'), drop: async () => void kept.push('dropped') };
  }
});

describe('a reply that names another payment', () => {
  test.each([
    ['recipient', { to_address: bob }],
    ['asset', { transfer: { asset: 'USDC' } }],
    ['amount', { amount: '0.2' }],
  ])('is held, with another %s, and needs another name', async (_what, echo) => {
    const ended = await scripted.run(transfer({}, once('bonus')), [did({ transfer_id: 't', ...echo })]);
    expect(ended).toMatchObject({ intent: { state: 'held', heldReason: 'other-payment' } });
    expect(scripted.sent).toHaveLength(1);
  });

  test('is accepted, and not verified, where it is a message', async () => {
    const other = reply(200, { message: { id: 'm', content: 'Bye', conversation_id: 'conv_1' } });
    expect(verified(await scripted.run(message('Hi', once('a')), [other]))).toBe(false);
    expect(verified(await scripted.run(message('Hi', run('a')), [other]))).toBe(true);
  });
});

describe('what happened is what was asked', () => {
  const namings: readonly [Parameters<typeof isVerified>[0]['naming'], Naming][] = [
    ['unnamed', { by: 'nothing' }],
    ['run', run('r')],
    ['once', once('n')],
    ['key', key('k')],
    ['row', { by: 'row', name: 'b', row: 'body:1:x' }],
    ['row-with-id', { by: 'row', name: 'b', row: 'id:7', id: '7' }],
  ];
  const echoes = {
    same: { to_address: ada, asset: 'SOL', amount: 1.5 },
    silent: { to_address: ada },
  };
  const before: readonly [string, readonly Flight[]][] = [
    ['for the first time', []],
    ['after what never left', [unsent]],
    ['after what may have landed', [lost]],
  ];
  const cases = namings.flatMap(([naming, given]) =>
    before.flatMap(([when, flights]) =>
      (['same', 'silent'] as const).map((echo) => ({ naming, given, when, flights, echo })),
    ),
  );

  test.each(cases)('as the design says: $naming, $when, the echo is $echo', async (one) => {
    const order: Order = transfer({}, one.given);
    for (const flight of one.flights) await scripted.run(order, [flight], noRetries);
    const ended = await scripted.run(order, [did({ transfer_id: 't', ...echoes[one.echo] })]);
    expect(verified(ended)).toBe(isVerified(one));
    // Shown again, it is as it was.
    expect(verified(await scripted.run(order))).toBe(isVerified(one));
  });

  test('is not shown by an earlier try of the same command: another machine may have answered it first', async () => {
    const ended = await scripted.run(transfer({}, once('n')), [lost, did({ transfer_id: 't' })]);
    expect(verified(ended)).toBe(false);
  });

  test.each(namings)(
    'nor where the service then says that it knows the key of a message: %s',
    async (naming, given) => {
      const ended = await scripted.run(message('Hi', given), [lost, reply(409)]);
      expect(ended).toMatchObject({ intent: { state: 'accepted' }, attempt: { duplicate: true } });
      expect(verified(ended)).toBe(isVerified({ naming, echo: 'silent' }));
    },
  );

  test.each(namings.filter(([naming]) => naming !== 'unnamed'))(
    'of a message whose first reply is 409, where its name fixes the body: %s',
    async (naming, given) => {
      const ended = await scripted.run(message('Hi', given), [reply(409)]);
      expect(ended).toMatchObject({ intent: { state: 'accepted' }, attempt: { duplicate: true } });
      expect(verified(ended)).toBe(isVerified({ naming, echo: 'silent' }));
    },
  );
});

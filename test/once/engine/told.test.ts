import { base58 } from '@scure/base';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BaseUrl } from '../../../src/once/entry/baseUrl.ts';
import type { Flight } from '../../../src/once/wire/flight.ts';
import { endOf, message, once, reply, run, ScriptedEngine, transfer } from '../../support/scriptedEngine.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

const did = (fields: Record<string, unknown>): Flight => reply(200, { status: 'confirmed', ...fields });

const signatures = [1, 2].map((byte) => base58.encode(new Uint8Array(64).fill(byte)));

describe('a transfer id or a signature that another entry has', () => {
  test.each([
    ['transfer id', { transfer_id: 't1', signature: signatures[1] }],
    ['transfer id, a number in both', { transfer_id: 7 }],
    ['signature', { transfer_id: 't2', signature: signatures[0] }],
  ])('is held, with the reason (%s)', async (_what, wrong) => {
    await scripted.run(transfer({ amount: '3' }, once('0')), [did({ transfer: { transfer_id: 7 } })]);
    await scripted.run(transfer({}, once('a')), [did({ transfer_id: 't1', signature: signatures[0] })]);
    const ended = await scripted.run(transfer({ amount: '2' }, once('b')), [did(wrong)]);
    expect(ended).toMatchObject({ entry: { state: 'held', heldReason: 'id-taken', attempts: 1 } });
    const [attempt] = await scripted.look((journal) =>
      journal.attemptsOf(ended.is === 'concluded' ? ended.entry.id : ''),
    );
    expect(attempt).toMatchObject({ verdict: 'held', status: 200 });
  });

  test('is none where counters of two base URLs come to one number: both are accepted', async () => {
    const elsewhere = { spelledUrl: 'https://elsewhere.example' as BaseUrl };
    expect(endOf(await scripted.run(transfer({}, once('a')), [did({ transfer_id: 1 })]))).toBe('accepted');
    const second = await scripted.run(transfer({}, once('b')), [did({ transfer_id: 1 })], elsewhere);
    expect(endOf(second)).toBe('accepted');
  });

  test('counts for one base URL, one kind of receipt and accepted replies only', async () => {
    await scripted.run(transfer({}, once('a')), [did({ transfer_id: 'x', status: 'failed' })]);
    await scripted.run(transfer({ amount: '2' }, once('b')), [did({ transfer_id: 'x', signature: 'y' })]);
    const ended = await scripted.run(transfer({ amount: '3' }, once('c')), [
      did({ transfer_id: 'y', signature: 'x' }),
    ]);
    expect((await scripted.entries()).map(({ state }) => state)).toEqual(['held', 'accepted', 'accepted']);
    expect(endOf(ended)).toBe('accepted');
  });
});

test('a message whose reply shows another is accepted', async () => {
  const other = reply(200, { message: { id: 'm', content: 'Bye', conversation_id: 'conv_1' } });
  expect(endOf(await scripted.run(message('Hi', once('a')), [other]))).toBe('accepted');
  expect(endOf(await scripted.run(message('Hi', run('a')), [other]))).toBe('accepted');
});

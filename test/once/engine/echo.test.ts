import { describe, expect, test } from 'vitest';
import { type Echo, echoOf } from '../../../src/once/engine/verdict.ts';

const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const bob = '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z';
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v';

type Fields = Record<string, unknown>;

function transferEcho(reply: Fields, order: Fields = {}): Echo {
  const request = { to_address: ada, asset: 'SOL', amount: '1.5', idempotency_key: 'k', ...order };
  return echoOf({ kind: 'transfer', body: Buffer.from(JSON.stringify(request)) }, reply);
}

const same = { to_address: ada, asset: 'SOL', amount: '1.5' };

describe('what a reply says of the transfer that it answers', () => {
  const cases: readonly [Echo, Fields, Fields?][] = [
    ['silent', { transfer_id: 't', signature: 's', status: 'confirmed' }],
    ['same', same],
    ['same', { transfer: same }],
    ['same', { to_address: ada, transfer: { asset: 'sol', amount: '1.50' } }],
    ['silent', { to_address: ada, asset: 'SOL' }],
    ['silent', { amount: '1.5' }],
    // Only the request's own names, only at top level or in `transfer`.
    ['silent', { recipient: bob, to: bob, token: 'USDC', value: '9', data: { to_address: bob } }],
    ['silent', { to_address: null, asset: {}, amount: [] }],

    ['other', { ...same, to_address: bob }],
    ['other', { transfer: { to_address: bob } }],
    ['other', { ...same, transfer: { to_address: bob } }],
    ['silent', { ...same, to_address: '9WzD…AWWM' }],
    ['silent', { to_address: bob, asset: 'USDC', amount: '1.5' }, { asset: 'USDC' }],
    ['same', { to_address: ada, asset: 'usdc', amount: '1.5' }, { asset: 'USDC' }],

    ['other', { ...same, asset: 'USDC' }],
    ['silent', { ...same, asset: mint }],
    ['silent', { ...same, asset: 'USDC' }, { asset: mint }],
    ['other', { ...same, asset: bob }, { asset: mint }],
    ['same', { ...same, asset: mint }, { asset: mint }],

    ...['1.5', '1.500', '01.5', 1.5].map((amount): [Echo, Fields] => ['same', { ...same, amount }]),
    ...['1.4', '15', '0', 1.4, 0, '1.50000000000000000001'].map((amount): [Echo, Fields] => [
      'other',
      { ...same, amount },
    ]),
    ...['', '1,5', '1.5 SOL', '-1.5', '1.5e0', null, true].map((amount): [Echo, Fields] => [
      'silent',
      { ...same, amount },
    ]),
    // In lamports, or in a token's base units, it is the same payment, but nobody says so.
    ...['1500000000', 1_500_000_000].map((amount): [Echo, Fields] => ['silent', { ...same, amount }]),
    ['other', { ...same, amount: '1500000' }],
    ...[5, 6, 9, 18].flatMap((places): [Echo, Fields, Fields][] => [
      ['silent', { amount: `15${'0'.repeat(places - 1)}` }, { asset: 'USDC' }],
      ['silent', { amount: 1.5 * 10 ** places }, { asset: 'USDC' }],
    ]),
    ['other', { amount: `15${'0'.repeat(3)}` }, { asset: 'USDC' }],
    ['other', { amount: `15${'0'.repeat(18)}` }, { asset: 'USDC' }],

    // A number has no more digits than a float; a text has them all.
    ['silent', { amount: Number('12345678901234567890') }, { asset: 'X', amount: '12345678901234567890' }],
    ['other', { amount: '12345678901234567891' }, { asset: 'X', amount: '12345678901234567890' }],
    ['silent', { amount: 0.30000000000000004 }, { amount: '0.30000000000000004' }],
    ['silent', { amount: 1e-9 }, { amount: '0.000000001' }],
  ];

  test.each(cases)('%s: %j %j', (echo, reply, order) => {
    expect(transferEcho(reply, order)).toBe(echo);
  });
});

test('of a message only its content and its conversation are compared', () => {
  const body = Buffer.from('{"content":"Hi","conversation_id":"c","idempotency_key":"k"}');
  const echo = (message: Fields, more: Fields = {}): Echo =>
    echoOf({ kind: 'message', body }, { message, ...more });
  expect(echo({ id: 'm' })).toBe('silent');
  expect(echo({ content: 'Hi', conversation_id: 'c' })).toBe('same');
  expect(echo({ content: 'Hi' })).toBe('silent');
  expect(echo({ content: 'Hi', conversation_id: 'd' })).toBe('other');
  expect(echo({ content: 'Bye', conversation_id: 'c' })).toBe('other');
  expect(echo({ content: { text: 'Hi' }, text: 'Bye' })).toBe('silent');
  expect(echo({}, { conversation_id: 'd' })).toBe('other');
});

test('where the reply says nothing of it, the body need not be readable', () => {
  expect(echoOf({ kind: 'message', body: Buffer.from('{') }, {})).toBe('silent');
});

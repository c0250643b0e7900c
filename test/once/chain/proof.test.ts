import { describe, expect, test } from 'vitest';
import type { Payment } from '../../../src/once/chain/payment.ts';
import { type Claims, judgeLook, type Look } from '../../../src/once/chain/settle.ts';
import {
  ada,
  adaTokens,
  asked,
  bob,
  bobTokens,
  checked,
  key,
  type Made,
  mint,
  move,
  pay,
  programs,
  read,
  signature,
  wallet,
  walletTokens,
} from './transactions.ts';

const sol = 1_000_000_000n;
const one = 1_000_000n;
const usdc = { asset: { mint } };

/** What it proves, where the payments at these places are other intents'. */
function judged(
  made: Made,
  change: Partial<Payment> = {},
  claims: { own?: string[]; others?: string[] } = {},
): string {
  const look: Look = {
    ...{ signature, payment: asked(change), cluster: { genesis: key(42), name: 'test' }, hosts: [] },
    sighting: { saw: 'transaction', commitment: 'finalized', transaction: read(made), nodesMs: [] },
  };
  const units = (paths: readonly string[] = []): Set<string> =>
    new Set(paths.map((path) => `${signature}/${path}`));
  const kept: Claims = { own: units(claims.own), others: units(claims.others) };
  const beginning = { atMs: 0, before: undefined, mayBeEarlier: false, nowMs: Number.MAX_SAFE_INTEGER };
  const { verdict, reasons } = judgeLook(look, kept, beginning);
  return [verdict, ...reasons].join(' ');
}

describe('a payment that the recipient did not gain', () => {
  const back = (to = ada): Made => ({
    calls: [pay(wallet, to, sol), pay(to, wallet, sol)],
    lamports: { [wallet]: 0n, [to]: 0n },
  });

  test('proves nothing: it was taken back', () => {
    expect(judged(back())).toBe('undecided no-gain');
  });

  test('proves nothing: a part of it was taken back', () => {
    const calls = [pay(wallet, ada, sol), pay(ada, bob, 1n)];
    expect(judged({ calls, lamports: { [wallet]: -sol, [ada]: sol - 1n, [bob]: 1n } })).toBe(
      'undecided no-gain',
    );
  });

  test('proves nothing: it was paid to oneself', () => {
    const made: Made = { calls: [pay(wallet, wallet, sol)] };
    expect(judged(made, { to: wallet })).toBe('undecided no-gain');
  });

  test('is proven where the recipient pays the fee of the transaction', () => {
    const made: Made = {
      calls: [pay(wallet, ada, sol)],
      lamports: { [wallet]: -sol, [ada]: sol },
      feePayer: ada,
    };
    expect(judged(made)).toBe('proven');
  });

  test('is as much as all intents claim of the transaction', () => {
    const made: Made = {
      calls: [pay(wallet, ada, sol), pay(wallet, ada, sol), pay(wallet, ada, 5n), pay(ada, wallet, sol)],
      lamports: { [wallet]: -sol - 5n, [ada]: sol + 5n },
    };
    expect(judged(made)).toBe('proven');
    expect(judged(made, {}, { others: ['2'] })).toBe('proven');
    expect(judged(made, {}, { others: ['1'] })).toBe('undecided no-gain');
    expect(judged(made, {}, { own: ['0'], others: ['2'] })).toBe('proven');
    expect(judged(made, {}, { own: ['1'], others: ['0'] })).toBe('undecided no-gain');
    expect(judged(made, {}, { others: ['0', '1'] })).toBe('contradicted claimed');
  });

  const account = (owner: string, name: string, before: bigint, after: bigint) => ({
    account: name,
    owner,
    before,
    after,
  });

  test('of a token proves nothing, whichever of the recipient’s accounts it left', () => {
    const elsewhere = key(14);
    const calls = [move(walletTokens, adaTokens, one), move(elsewhere, bobTokens, one)];
    const tokens = [
      account(wallet, walletTokens, one, 0n),
      account(ada, adaTokens, 0n, one),
      account(ada, elsewhere, one, 0n),
      account(bob, bobTokens, 0n, one),
    ];
    expect(judged({ calls, tokens }, usdc)).toBe('undecided no-gain');
    expect(judged({ calls, tokens }, { ...usdc, to: adaTokens })).toBe('proven');
  });

  test('of a token is less its fee', () => {
    const calls = [checked(walletTokens, adaTokens, one, programs.token2022)];
    const tokens = [account(wallet, walletTokens, one, 0n), account(ada, adaTokens, 0n, one - 10n)];
    expect(judged({ calls, tokens }, usdc)).toBe('proven fee-withheld');
  });
});

test('a payment of whoever’s money is likely at most', () => {
  const made: Made = { calls: [pay(bob, ada, sol)], lamports: { [bob]: -sol, [ada]: sol } };
  expect(judged(made, { wallet: undefined })).toBe('likely source-unchecked');
  expect(judged(made)).toBe('undecided other-source');
});

import { describe, expect, test } from 'vitest';
import type { Payment } from '../../../src/once/chain/payment.ts';
import { type Claims, judgeLook, type Look } from '../../../src/once/chain/settle.ts';
import type { ChainView } from '../../../src/once/chain/standing.ts';
import type { Beginning } from '../../../src/once/chain/verdict.ts';
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
  const units = (paths: readonly string[] = []): Set<string> =>
    new Set(paths.map((path) => `${signature}/${path}`));
  const kept: Claims = { own: units(claims.own), others: units(claims.others) };
  const transaction = read(made);
  return told({ saw: 'transaction', commitment: 'finalized', transaction }, change, kept);
}

const nobody: Claims = { own: new Set(), others: new Set() };

const began: Beginning = { atMs: 0, isNamed: false };

function viewOf(
  sighting: Look['sighting'],
  change: Partial<Payment> = {},
  kept = nobody,
  beginning = began,
): ChainView {
  const cluster = { genesis: key(42), name: 'test' };
  const look: Look = { signature, payment: asked(change), cluster, host: 'node', sighting };
  return judgeLook(look, kept, beginning);
}

function told(...seen: Parameters<typeof viewOf>): string {
  const { verdict, reasons } = viewOf(...seen);
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

  test.each([programs.token, programs.token2022])(
    'of a token of %s proves nothing, where a unit went back',
    (by) => {
      const calls = [move(walletTokens, adaTokens, one, by), move(adaTokens, walletTokens, 1n, by)];
      const tokens = [account(wallet, walletTokens, one, 1n), account(ada, adaTokens, 0n, one - 1n)];
      expect(judged({ calls, tokens }, usdc)).toBe('undecided no-gain');
    },
  );

  test('of a token beside another intent’s is less the fee of each', () => {
    const second = key(14);
    const calls = [adaTokens, second].map((to) => checked(walletTokens, to, one, programs.token2022));
    const tokens = [
      account(wallet, walletTokens, 2n * one, 0n),
      account(ada, adaTokens, 0n, one - 10n),
      account(ada, second, 0n, one - 10n),
    ];
    expect(judged({ calls, tokens }, usdc, { others: ['0'] })).toBe('proven fee-withheld');
  });

  test('of a token is less its fee', () => {
    const calls = [checked(walletTokens, adaTokens, one, programs.token2022)];
    const tokens = [account(wallet, walletTokens, one, 0n), account(ada, adaTokens, 0n, one - 10n)];
    expect(judged({ calls, tokens }, usdc)).toBe('proven fee-withheld');
  });
});

test('a payment without its memo is proven, and that is said', () => {
  const made: Made = { calls: [pay(wallet, ada, sol)], lamports: { [wallet]: -sol, [ada]: sol } };
  expect(judged(made, { memo: 'rent' })).toBe('proven memo-missing');
});

test.each<[string, Partial<Made>, 'confirmed' | 'finalized', string]>([
  ['failed', { err: 'x' }, 'finalized', 'contradicted failed'],
  ['has failed so far', { err: 'x' }, 'confirmed', 'undecided only-confirmed'],
  [
    'is another’s and failed',
    { err: 'x', at: { slot: 100, blockTime: 1, signature: key(8) } },
    'finalized',
    'undecided not-first-signature',
  ],
])('a transaction that %s is told', (_what, made, commitment, expected) => {
  const calls = [pay(wallet, ada, sol)];
  const transaction = read({ calls, ...made });
  expect(told({ saw: 'transaction', commitment, transaction })).toBe(expected);
});

test('what is not looked at closer says how far it is, or why not', () => {
  expect(told({ saw: 'status', commitment: 'processed' })).toBe('undecided only-processed');
  expect(told({ saw: 'status', commitment: 'confirmed' })).toBe('undecided only-confirmed');
  expect(told({ saw: 'nothing', because: 'lagging' })).toBe('undecided lagging');
});

test('a payment of whoever’s money is likely at most', () => {
  const made: Made = { calls: [pay(bob, ada, sol)], lamports: { [bob]: -sol, [ada]: sol } };
  expect(judged(made, { wallet: undefined })).toBe('likely source-unchecked');
  expect(judged(made)).toBe('undecided other-source');
});

describe('what is told of a look', () => {
  const head = { signature, cluster: 'test', rpc: 'node' };
  const final = { ...head, commitment: 'finalized', slot: 100 };
  const seen = (made: Made, blockTimeS: number | undefined = 1_795_000_000): Look['sighting'] => ({
    ...{ saw: 'transaction', commitment: 'finalized' },
    transaction: { ...read(made), blockTimeS },
  });
  const twice: Made = {
    calls: [pay(wallet, ada, sol), pay(wallet, ada, sol)],
    lamports: { [ada]: 2n * sol },
  };
  const paid = { to: ada, units: `${sol}`, decimals: 9, received: `${sol}`, fee_units: '0' };
  const block_time = 1_795_000_000;

  test('all of a payment, with its time', () => {
    const view = { ...final, verdict: 'proven', block_time, instruction: '0', paid, reasons: [] };
    expect(viewOf(seen(twice))).toStrictEqual(view);
    const own = { own: new Set([`${signature}/1`]), others: new Set<string>() };
    expect(viewOf(seen(twice), {}, own)).toStrictEqual({ ...view, instruction: '1' });
    expect(viewOf(seen(twice), { memo: 'rent' })).toStrictEqual({
      ...view,
      memo: false,
      reasons: ['memo-missing'],
    });
  });

  test('of a token its mint, and what a fee left', () => {
    const calls = [checked(walletTokens, adaTokens, one, programs.token2022)];
    const tokens = [
      { account: walletTokens, owner: wallet, before: one, after: 0n },
      { account: adaTokens, owner: ada, before: 0n, after: one - 10n },
    ];
    expect(viewOf(seen({ calls, tokens }), usdc).paid).toStrictEqual({
      ...{ to: ada, mint, units: '1000000', decimals: 6, received: '999990', fee_units: '10' },
    });
  });

  test('no time and no state that no node told', () => {
    const { block_time: _, ...made } = { ...final, verdict: 'undecided', block_time };
    const sighting = { ...seen(twice), transaction: { ...read(twice), blockTimeS: undefined } };
    expect(viewOf(sighting as Look['sighting'])).toStrictEqual({ ...made, reasons: ['other-time'] });
    const none = { ...head, verdict: 'undecided', reasons: ['lagging'] };
    expect(viewOf({ saw: 'nothing', because: 'lagging' })).toStrictEqual(none);
  });
});

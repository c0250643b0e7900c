import { base58 } from '@scure/base';
import type { Payment } from '../../src/chain/payment.ts';
import { type ChainTransaction, readTransaction } from '../../src/chain/transaction.ts';

/** Addresses as nodes write them, each of another byte. */
export const key = (n: number): string => base58.encode(new Uint8Array(32).fill(n));

export const [wallet, ada, bob, mint, otherMint] = [key(1), key(2), key(3), key(4), key(5)];
export const [walletTokens, adaTokens, bobTokens] = [key(11), key(12), key(13)];
export const programs = {
  system: '11111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  other: key(99),
} as const;

export const signature = base58.encode(new Uint8Array(64).fill(7));

/** The balance of a token account, where it is there before or after. */
export type Token = {
  account: string;
  mint?: string;
  owner?: string | null;
  program?: string;
  before?: bigint;
  after?: bigint;
  decimals?: number;
  shown?: string;
};

export type Made = {
  /** What each account has after it beyond what it had before, the fee left aside. */
  lamports?: Record<string, bigint>;
  tokens?: Token[];
  feePayer?: string;
  /** What each account had before, but for those that were opened in it. */
  had?: bigint;
  opened?: readonly string[];
  err?: unknown;
  at?: { slot: number; blockTime: number; signature: string };
  /** Says nothing of tokens. */
  isMute?: boolean;
};

const fee = 5000n;

/** What `getTransaction` says of it, as text: as a node writes it. */
export function written(made: Made): string {
  const {
    lamports = {},
    tokens = [],
    feePayer = wallet,
    had = 10_000_000_000n,
    opened = [],
    err = null,
  } = made;
  const at = made.at ?? { slot: 100, blockTime: 1_795_000_000, signature };
  const accounts = [
    ...new Set([feePayer, wallet, ...Object.keys(lamports), ...tokens.map(({ account }) => account)]),
  ];
  const before = (account: string): bigint => (opened.includes(account) ? 0n : had);
  const after = (account: string): bigint =>
    before(account) + (lamports[account] ?? 0n) - (account === feePayer ? fee : 0n);
  const balances = (of: 'before' | 'after'): object[] =>
    tokens.flatMap(({ account, owner = ada, program = programs.token, decimals = 6, ...token }) => {
      const units = token[of];
      if (units === undefined) return [];
      const uiAmountString = token.shown ?? shownAmount(units, decimals);
      return [
        {
          ...{ accountIndex: accounts.indexOf(account), mint: token.mint ?? mint, programId: program },
          ...(owner === null ? {} : { owner }),
          uiTokenAmount: { amount: units.toString(), decimals, uiAmountString },
        },
      ];
    });
  const whole = {
    ...{ slot: at.slot, blockTime: at.blockTime, version: 0 },
    meta: {
      ...{ err, fee: Number(fee) },
      preBalances: accounts.map((account) => `u64:${before(account)}`),
      postBalances: accounts.map((account) => `u64:${after(account)}`),
      ...(made.isMute ? {} : { preTokenBalances: balances('before'), postTokenBalances: balances('after') }),
    },
    transaction: {
      signatures: [at.signature],
      message: { accountKeys: accounts.map((pubkey) => ({ pubkey, signer: false, writable: true })) },
    },
  };
  return JSON.stringify(whole).replaceAll(/"u64:(\d+)"/gu, '$1');
}

function shownAmount(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/u, '');
  return digits.slice(0, digits.length - decimals) + (fraction === '' ? '' : `.${fraction}`);
}

/** The wallet pays so much to this address. */
export const paying = (to: string, lamports: bigint, from = wallet): Made => ({
  lamports: { [from]: -lamports, [to]: lamports },
});

export const read = (made: Made): ChainTransaction => readTransaction(JSON.parse(written(made)));

export const asked = (change: Partial<Payment> = {}): Payment => ({
  ...{ to: ada, mint: undefined, amount: '1', wallet },
  ...change,
});

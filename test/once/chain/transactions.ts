import { base58 } from '@scure/base';
import { findPayment, type Payment } from '../../../src/once/chain/payment.ts';
import { type ChainTransaction, parseExact, readTransaction } from '../../../src/once/chain/transaction.ts';

/** Addresses as nodes write them, each of another byte. */
export const key = (n: number): string => base58.encode(new Uint8Array(32).fill(n));

export const [wallet, ada, bob, mint, otherMint] = [key(1), key(2), key(3), key(4), key(5)];
export const [walletTokens, adaTokens, bobTokens] = [key(11), key(12), key(13)];
export const wrapped = 'So11111111111111111111111111111111111111112';
export const programs = {
  system: '11111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  memo: 'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH',
  other: key(99),
} as const;

export const signature = base58.encode(new Uint8Array(64).fill(7));

type Call = { program: string; accounts: string[]; data: Buffer; inner?: Call[] };
type Token = {
  account: string;
  mint?: string;
  owner?: string | null;
  before?: bigint;
  after?: bigint;
  decimals?: number;
  shown?: string;
};
export type Made = {
  calls: Call[];
  tokens?: Token[];
  decimals?: number;
  /** What each account has after it beyond what it had before. */
  lamports?: Record<string, bigint>;
  feePayer?: string;
  version?: 'legacy' | 0 | 1 | 2;
  err?: unknown;
  at?: { slot: number; blockTime: number; signature: string };
  /** Come from lookup tables: first those that can be written. */
  looked?: { writable: string[]; readonly: string[] };
};

const u64 = (units: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(units);
  return bytes;
};
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

export const pay = (from: string, to: string, lamports: bigint): Call => ({
  ...{ program: programs.system, accounts: [from, to] },
  data: Buffer.concat([u32(2), u64(lamports)]),
});
/** The system program's ways to move lamports, as its own client writes them. */
export const systemMoves = {
  createAccount: (from: string, to: string, lamports: bigint): Call => ({
    ...{ program: programs.system, accounts: [from, to] },
    data: Buffer.concat([u32(0), u64(lamports), u64(165n), Buffer.alloc(32, 5)]),
  }),
  createAccountWithSeed: (from: string, to: string, lamports: bigint): Call => ({
    ...{ program: programs.system, accounts: [from, to, key(93)] },
    data: Buffer.concat([u32(3), Buffer.alloc(32, 1), seed, u64(lamports), u64(165n), Buffer.alloc(32, 5)]),
  }),
  withdrawNonce: (from: string, to: string, lamports: bigint): Call => ({
    ...{ program: programs.system, accounts: [from, to, key(90), key(91), wallet] },
    data: Buffer.concat([u32(5), u64(lamports)]),
  }),
  transferWithSeed: (from: string, to: string, lamports: bigint): Call => ({
    ...{ program: programs.system, accounts: [from, key(92), to] },
    data: Buffer.concat([u32(11), u64(lamports), seed, Buffer.alloc(32, 5)]),
  }),
} as const;
const seed = Buffer.concat([u64(4n), Buffer.from('rent')]);

export const move = (from: string, to: string, units: bigint, program: string = programs.token): Call => ({
  ...{ program, accounts: [from, to, wallet] },
  data: Buffer.concat([Buffer.of(3), u64(units)]),
});
export const checked = (from: string, to: string, units: bigint, program: string = programs.token): Call => ({
  ...{ program, accounts: [from, mint, to, wallet] },
  data: Buffer.concat([Buffer.of(12), u64(units), Buffer.of(6)]),
});
export const withFee = (from: string, to: string, units: bigint, fee: bigint): Call => ({
  ...{ program: programs.token2022, accounts: [from, mint, to, wallet] },
  data: Buffer.concat([Buffer.of(26, 1), u64(units), Buffer.of(6), u64(fee)]),
});
export const memo = (text: string): Call => ({
  program: programs.memo,
  accounts: [],
  data: Buffer.from(text),
});
export const calling = (...inner: Call[]): Call => ({
  ...{ program: programs.other, accounts: [wallet], data: Buffer.of(9), inner },
});
const fee = 5000n;
const had = 10_000_000_000n;

/** What `getTransaction` says of it, as text: as a node writes it. */
export function written(made: Made): string {
  const { calls, tokens = [], lamports = {}, looked = { writable: [], readonly: [] }, version = 0 } = made;
  const { slot, blockTime, ...at } = made.at ?? { slot: 100, blockTime: 1_795_000_000, signature };
  const inner = calls.flatMap((call) => call.inner ?? []);
  const used = [...calls, ...inner].flatMap(({ program, accounts }) => [...accounts, program]);
  const late = [...looked.writable, ...looked.readonly];
  const feePayer = made.feePayer ?? wallet;
  const named = [feePayer, ...used, ...tokens.map(({ account }) => account), ...Object.keys(lamports)];
  const keys = [...new Set(named)].filter((one) => !late.includes(one));
  const all = [...keys, ...late];
  const shownCall = ({ program, accounts, data }: Call): object => ({
    programIdIndex: all.indexOf(program),
    accounts: accounts.map((account) => all.indexOf(account)),
    data: base58.encode(data),
    stackHeight: null,
  });
  const balances = (of: 'before' | 'after'): object[] =>
    tokens.flatMap((token) => {
      const units = token[of];
      if (units === undefined) return [];
      const decimals = token.decimals ?? made.decimals ?? 6;
      return [
        {
          accountIndex: all.indexOf(token.account),
          mint: token.mint ?? mint,
          ...(token.owner === null ? {} : { owner: token.owner ?? ada }),
          uiTokenAmount: {
            ...{ amount: units.toString(), decimals },
            uiAmountString: token.shown ?? shownAmount(units, decimals),
          },
        },
      ];
    });
  const after = (account: string): bigint =>
    had + (lamports[account] ?? 0n) - (account === feePayer ? fee : 0n);
  const whole = {
    ...{ slot, blockTime, version },
    meta: {
      ...{ err: made.err ?? null, fee: 5000, loadedAddresses: looked },
      preBalances: all.map(() => `u64:${had}`),
      postBalances: all.map((account) => `u64:${after(account)}`),
      preTokenBalances: balances('before'),
      postTokenBalances: balances('after'),
      innerInstructions: calls.flatMap((call, index) =>
        call.inner === undefined ? [] : [{ index, instructions: call.inner.map(shownCall) }],
      ),
    },
    transaction: {
      signatures: [at.signature],
      message: { accountKeys: keys, instructions: calls.map(shownCall), recentBlockhash: key(77) },
    },
  };
  return JSON.stringify(whole).replaceAll(/"u64:(\d+)"/gu, '$1');
}

function shownAmount(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/u, '');
  return digits.slice(0, digits.length - decimals) + (fraction === '' ? '' : `.${fraction}`);
}

export const read = (made: Made): ChainTransaction => readTransaction(parseExact(written(made)));

export const asked = (change: Partial<Payment> = {}): Payment => ({
  ...{ to: ada, asset: 'SOL', amount: '1', memo: undefined, wallet },
  ...change,
});

/** The places that pay it; else the doubt, with a question mark, or what was done instead. */
export function found(made: Made, change: Partial<Payment> = {}): string {
  const { matches, doubt, miss } = findPayment(asked(change), read(made));
  if (matches.length > 0) return matches.map(({ path }) => path).join(' ');
  return doubt === undefined ? miss : `${doubt}?`;
}

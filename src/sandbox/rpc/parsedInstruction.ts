import { base58 } from '@scure/base';
import {
  associatedTokenProgram,
  memoProgram,
  systemProgram,
  token2022Program,
  tokenProgram,
} from '../solana/address.ts';
import { uiAmount } from './accounts.ts';

export type ShownInstruction = {
  programIndex: number;
  accounts: number[];
  data: Uint8Array;
  stackHeight: number | null;
};

type Parsed = { type: string; info: object };

/** An instruction's accounts by place, and its data. */
type Parts = { at: (place: number) => string; bytes: Buffer };

type Parser = (parts: Parts) => Parsed | undefined;

/** An instruction in words where its program is known here, else its accounts by name. */
export function parsedInstruction(
  { programIndex, accounts, data, stackHeight }: ShownInstruction,
  keys: string[],
): object {
  const programId = keys[programIndex] ?? '';
  const bytes = Buffer.from(data);
  if (programId === memoProgram)
    return { program: 'spl-memo', programId, parsed: bytes.toString('utf8'), stackHeight };
  const known = programs[programId];
  const parts = { at: (place: number) => keys[accounts[place] ?? -1] ?? '', bytes };
  const parsed = known?.parse(parts);
  if (known !== undefined && parsed !== undefined)
    return { program: known.program, programId, parsed, stackHeight };
  const named = accounts.map((index) => keys[index] ?? '');
  return { programId, accounts: named, data: base58.encode(data), stackHeight };
}

const systemInstructions: Readonly<Record<number, Parser>> = {
  0: ({ at, bytes }) => ({
    type: 'createAccount',
    info: {
      source: at(0),
      newAccount: at(1),
      lamports: bytes.readBigUInt64LE(4),
      space: bytes.readBigUInt64LE(12),
      owner: base58.encode(bytes.subarray(20, 52)),
    },
  }),
  2: ({ at, bytes }) => ({
    type: 'transfer',
    info: { source: at(0), destination: at(1), lamports: bytes.readBigUInt64LE(4) },
  }),
};

const tokenInstructions: Readonly<Record<number, Parser>> = {
  3: ({ at, bytes }) => ({
    type: 'transfer',
    info: {
      source: at(0),
      destination: at(1),
      authority: at(2),
      amount: bytes.readBigUInt64LE(1).toString(),
    },
  }),
  12: ({ at, bytes }) => ({
    type: 'transferChecked',
    info: { ...checkedParties(at), tokenAmount: uiAmount(bytes.readBigUInt64LE(1), bytes.readUInt8(9)) },
  }),
  18: ({ at, bytes }) => ({
    type: 'initializeAccount3',
    info: { account: at(0), mint: at(1), owner: base58.encode(bytes.subarray(1, 33)) },
  }),
  21: ({ at }) => ({
    type: 'getAccountDataSize',
    info: { mint: at(0), extensionTypes: ['immutableOwner'] },
  }),
  22: ({ at }) => ({ type: 'initializeImmutableOwner', info: { account: at(0) } }),
  26: ({ at, bytes }) => {
    if (bytes.readUInt8(1) !== 1) return undefined;
    const decimals = bytes.readUInt8(10);
    const tokenAmount = uiAmount(bytes.readBigUInt64LE(2), decimals);
    const feeAmount = uiAmount(bytes.readBigUInt64LE(11), decimals);
    return { type: 'transferCheckedWithFee', info: { ...checkedParties(at), tokenAmount, feeAmount } };
  },
};

const checkedParties = (at: Parts['at']): object => ({
  source: at(0),
  mint: at(1),
  destination: at(2),
  authority: at(3),
});

const makeTokenAccount: Parser = ({ at, bytes }) => ({
  type: bytes[0] === 1 ? 'createIdempotent' : 'create',
  info: {
    source: at(0),
    account: at(1),
    wallet: at(2),
    mint: at(3),
    systemProgram: at(4),
    tokenProgram: at(5),
  },
});

const byFirstByte =
  (parsers: Readonly<Record<number, Parser>>): Parser =>
  (parts) =>
    parsers[parts.bytes[0] ?? -1]?.(parts);

const programs: Readonly<Record<string, { program: string; parse: Parser }>> = {
  [systemProgram]: { program: 'system', parse: byFirstByte(systemInstructions) },
  [tokenProgram]: { program: 'spl-token', parse: byFirstByte(tokenInstructions) },
  [token2022Program]: { program: 'spl-token', parse: byFirstByte(tokenInstructions) },
  [associatedTokenProgram]: { program: 'spl-associated-token-account', parse: makeTokenAccount },
};

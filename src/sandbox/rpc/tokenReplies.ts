import type { Readings } from '../readings.ts';
import { token2022Program, tokenProgram } from '../solana/address.ts';
import type { Message } from '../solana/message.ts';
import type { TransactionMeta } from '../store/transactions.ts';

/** A transaction with its accounts by name, before it takes the form that a call asks for. */
export type Told = { signatures: string[]; message: Message; keys: string[]; meta: TransactionMeta };

const transferChecked = 12;
const transferFeeExtension = 26;
const transferCheckedWithFee = 1;
const batch = 255;

/** A token's payment as it was made, or as a client may find it on the real chain and this VM makes none. */
export function retold(told: Told, reading: Readings['token_replies']): Told {
  switch (reading) {
    case 'as-made':
      return told;
    case 'token-2022-fee':
      return withFee(told);
    case 'batch':
      return inBatch(told);
  }
}

type Instruction = Told['message']['instructions'][number];

const isTokenTransfer = ({ programIndex, data }: Instruction, keys: string[]): boolean =>
  keys[programIndex] === tokenProgram && data[0] === transferChecked;

/** One percent of what is sent, rounded up, stays in the recipient's account out of his reach. */
const feeOf = (units: bigint): bigint => (units + 99n) / 100n;

/** Token-2022 with a fee: the recipient's account gains less than what the instruction says. */
function withFee({ message, keys, meta, signatures }: Told): Told {
  const withheld = new Map<number, bigint>();
  const instructions = message.instructions.map((instruction) => {
    if (!isTokenTransfer(instruction, keys)) return instruction;
    const [, , destination = -1] = instruction.accounts;
    const bytes = Buffer.from(instruction.data);
    const fee = feeOf(bytes.readBigUInt64LE(1));
    withheld.set(destination, (withheld.get(destination) ?? 0n) + fee);
    const feeBytes = Buffer.alloc(8);
    feeBytes.writeBigUInt64LE(fee);
    const head = Buffer.of(transferFeeExtension, transferCheckedWithFee);
    return { ...instruction, data: Buffer.concat([head, bytes.subarray(1), feeBytes]) };
  });
  const renamed = (address: string): string => (address === tokenProgram ? token2022Program : address);
  const postTokenBalances = meta.postTokenBalances.map((balance) => {
    const fee = withheld.get(balance.accountIndex) ?? 0n;
    return { ...balance, amount: (BigInt(balance.amount) - fee).toString() };
  });
  const { writable, readonly } = meta.loaded;
  const loaded = { writable: writable.map(renamed), readonly: readonly.map(renamed) };
  return {
    signatures,
    message: { ...message, accounts: message.accounts.map(renamed), instructions },
    keys: keys.map(renamed),
    meta: { ...meta, loaded, postTokenBalances },
  };
}

/** All token transfers of the transaction in one instruction, where the last of them stood. */
function inBatch(told: Told): Told {
  const { message, keys, meta } = told;
  const transfers = message.instructions.filter((instruction) => isTokenTransfer(instruction, keys));
  const last = transfers.at(-1);
  if (last === undefined) return told;
  const wrapped = {
    programIndex: last.programIndex,
    accounts: transfers.flatMap(({ accounts }) => accounts),
    data: Buffer.concat([
      Buffer.of(batch),
      ...transfers.map(({ accounts, data }) =>
        Buffer.concat([Buffer.of(accounts.length, data.length), data]),
      ),
    ]),
  };
  const kept = message.instructions.filter((each) => each === last || !transfers.includes(each));
  const placeOf = (index: number): number => kept.indexOf(message.instructions[index] ?? last);
  return {
    ...told,
    message: { ...message, instructions: kept.map((each) => (each === last ? wrapped : each)) },
    meta: { ...meta, inner: meta.inner.map((called) => ({ ...called, index: placeOf(called.index) })) },
  };
}

import type { Instruction } from './instruction.ts';
import { Unreadable } from './reason.ts';

const systemProgram = '11111111111111111111111111111111';
export const tokenPrograms = {
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
} as const;

/** What an instruction moves from one account to another. */
export type Movement = {
  readonly path: string;
  /** Its purpose is to pay: making an account only moves lamports besides. */
  readonly isTransfer: boolean;
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
  readonly of: 'lamports' | TokenMovement;
};

export type TokenMovement = {
  readonly program: string;
  /** As the instruction says them, where it does. */
  readonly mint: string | undefined;
  readonly decimals: number | undefined;
};

export function movementsIn(instructions: readonly Instruction[]): Movement[] {
  return instructions.flatMap((one) => {
    if (one.program === systemProgram) return lamportsMovedBy(one);
    return isTokenProgram(one.program) ? tokensMovedBy(one) : [];
  });
}

function isTokenProgram(program: string): boolean {
  return program === tokenPrograms.token || program === tokenPrograms.token2022;
}

/** Of the system program: the number of the instruction, the accounts it moves between, and where the amount is. */
const lamportMoves: Readonly<Record<number, LamportMove>> = {
  0: { isTransfer: false, from: 0, to: 1, at: () => 4 },
  2: { isTransfer: true, from: 0, to: 1, at: () => 4 },
  // Behind the base address and the seed, whose length is a u64 before it.
  3: { isTransfer: false, from: 0, to: 1, at: (data) => 4 + 32 + 8 + Number(u64At(data, 36)) },
  5: { isTransfer: true, from: 0, to: 1, at: () => 4 },
  11: { isTransfer: true, from: 0, to: 2, at: () => 4 },
};

type LamportMove = {
  readonly isTransfer: boolean;
  readonly from: number;
  readonly to: number;
  readonly at: (data: Uint8Array) => number;
};

function lamportsMovedBy({ path, accounts, data }: Instruction): Movement[] {
  const move = data.length < 4 ? undefined : lamportMoves[viewOf(data).getUint32(0, true)];
  if (move === undefined) return [];
  return [
    {
      path,
      isTransfer: move.isTransfer,
      from: accountAt(accounts, move.from),
      to: accountAt(accounts, move.to),
      units: u64At(data, move.at(data)),
      of: 'lamports',
    },
  ];
}

const transfer = 3;
const transferChecked = 12;
const feeExtension = 26;
const transferCheckedWithFee = 1;
const batch = 255;

function tokensMovedBy(instruction: Instruction): Movement[] {
  const { program, data } = instruction;
  return data[0] === batch && program === tokenPrograms.token
    ? unbatched(instruction).flatMap(tokenMovedBy)
    : tokenMovedBy(instruction);
}

function tokenMovedBy({ path, program, accounts, data }: Instruction): Movement[] {
  if (data[0] === transfer) {
    const [from, to] = [accountAt(accounts, 0), accountAt(accounts, 1)];
    const of: TokenMovement = { program, mint: undefined, decimals: undefined };
    return [{ path, isTransfer: true, from, to, units: u64At(data, 1), of }];
  }
  const withFee =
    data[0] === feeExtension && data[1] === transferCheckedWithFee && program === tokenPrograms.token2022;
  if (data[0] !== transferChecked && !withFee) return [];
  const at = withFee ? 2 : 1;
  const of: TokenMovement = { program, mint: accountAt(accounts, 1), decimals: byteAt(data, at + 8) };
  const [from, to] = [accountAt(accounts, 0), accountAt(accounts, 2)];
  return [{ path, isTransfer: true, from, to, units: u64At(data, at), of }];
}

/** p-token's batch: for each a byte for its accounts, a byte for its data, and the data; the accounts in turn. */
function unbatched({ path, program, accounts, data }: Instruction): Instruction[] {
  const found: Instruction[] = [];
  let taken = 0;
  for (let at = 1; at < data.length; ) {
    const [count, length] = [byteAt(data, at), byteAt(data, at + 1)];
    const begin = at + 2;
    at = begin + length;
    if (at > data.length || taken + count > accounts.length) throw new Unreadable('batch/cut');
    found.push({
      path: `${path}:${found.length}`,
      program,
      accounts: accounts.slice(taken, taken + count),
      data: data.subarray(begin, at),
    });
    taken += count;
  }
  return found;
}

/** Token-2022's ways to move amounts that nobody else can read. */
const confidential: readonly (number | undefined)[] = [27, 37, 42];

export function movesConfidentially(instructions: readonly Instruction[]): boolean {
  return instructions.some(
    ({ program, data }) => program === tokenPrograms.token2022 && confidential.includes(data[0]),
  );
}

function accountAt(accounts: readonly string[], at: number): string {
  const account = accounts[at];
  if (account === undefined) throw new Unreadable('instruction/lacks-account');
  return account;
}

function byteAt(data: Uint8Array, at: number): number {
  const byte = data[at];
  if (byte === undefined) throw new Unreadable('instruction/cut');
  return byte;
}

function u64At(data: Uint8Array, at: number): bigint {
  if (data.length < at + 8) throw new Unreadable('instruction/cut');
  return viewOf(data).getBigUint64(at, true);
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

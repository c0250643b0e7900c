import { associatedTokenProgram, memoProgram, systemProgram, tokenProgram } from './address.ts';

export type AccountUse = { address: string; signer: boolean; writable: boolean };
export type Instruction = { program: string; accounts: AccountUse[]; data: Uint8Array };

const signerWritable = (address: string): AccountUse => ({ address, signer: true, writable: true });
const signerReadonly = (address: string): AccountUse => ({ address, signer: true, writable: false });
const writable = (address: string): AccountUse => ({ address, signer: false, writable: true });
const readonly = (address: string): AccountUse => ({ address, signer: false, writable: false });

export function transferSol(from: string, to: string, lamports: bigint): Instruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(lamports, 4);
  return { program: systemProgram, accounts: [signerWritable(from), writable(to)], data };
}

type TokenHolder = { owner: string; account: string };

/** Makes the recipient's token account at the payer's cost; where it exists, it does nothing. */
export function createTokenAccount(payer: string, holder: TokenHolder, mint: string): Instruction {
  return {
    program: associatedTokenProgram,
    accounts: [
      signerWritable(payer),
      writable(holder.account),
      readonly(holder.owner),
      readonly(mint),
      readonly(systemProgram),
      readonly(tokenProgram),
    ],
    data: Buffer.of(1),
  };
}

type TokenAmount = { mint: string; units: bigint; decimals: number };

export function transferToken(from: TokenHolder, to: TokenHolder, amount: TokenAmount): Instruction {
  const data = Buffer.alloc(10);
  data.writeUInt8(12, 0);
  data.writeBigUInt64LE(amount.units, 1);
  data.writeUInt8(amount.decimals, 9);
  return {
    program: tokenProgram,
    accounts: [
      writable(from.account),
      readonly(amount.mint),
      writable(to.account),
      signerReadonly(from.owner),
    ],
    data,
  };
}

export function memo(text: string): Instruction {
  return { program: memoProgram, accounts: [], data: Buffer.from(text, 'utf8') };
}

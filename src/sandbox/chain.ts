import { base58 } from '@scure/base';
import type { FailedTransactionMetadata, LiteSvm, TransactionMetadata } from 'litesvm/dist/internal.js';
import { associatedTokenProgram, memoProgram, systemProgram, tokenProgram } from './solana/address.ts';
import type { Instruction } from './solana/instructions.ts';
import type { Keypair } from './solana/keys.ts';
import {
  allAccounts,
  compileMessage,
  encodeMessage,
  encodeTransaction,
  inForm,
  type Message,
  type MessageForm,
} from './solana/message.ts';
import { loadNativeVm, type NativeVm, NoChainError } from './solana/nativeVm.ts';
import { readHolding } from './solana/token.ts';
import type { Account } from './store/accounts.ts';
import type { InnerInstructions, TokenBalance, TransactionMeta } from './store/transactions.ts';

/** What the VM asks of the ledger. */
export type AccountSource = {
  get(address: string): Account | undefined;
  decimalsOf(mint: string): number;
};

export type Execution =
  | { kind: 'executed'; signatures: string[]; wire: Uint8Array; accounts: Account[]; meta: TransactionMeta }
  | { kind: 'rejected'; verdict: string }
  | { kind: 'program'; address: string }
  | { kind: 'too-large' };

type ChainTransaction = {
  /** Who pays the fee, then who else signs. */
  signers: [Keypair, ...Keypair[]];
  instructions: Instruction[];
  blockhash: string;
  form: MessageForm;
  /** Where the accounts of a form with lookups are found. */
  table: string;
};

export type Chain = { execute(transaction: ChainTransaction, source: AccountSource): Execution };

let loaded: Chain | undefined;

/** The VM takes a while to load, so the first transfer loads it, once a process. */
export function loadChain(): Chain {
  loaded ??= new LiteChain(loadNativeVm());
  return loaded;
}

/** Why this machine has no chain, if it has none. */
export function chainTrouble(): NoChainError | undefined {
  try {
    loadChain();
    return undefined;
  } catch (error) {
    if (error instanceof NoChainError) return error;
    throw error;
  }
}

/** Solana's programs over accounts that live in the ledger: between orders the VM holds none of them. */
class LiteChain implements Chain {
  readonly #native: NativeVm;
  readonly #vm: LiteSvm;

  constructor(native: NativeVm) {
    this.#native = native;
    this.#vm = new native.LiteSvm();
    this.#vm.setTransactionHistory(0n);
    // The VM's only blockhash never changes; ours does.
    this.#vm.setBlockhashCheck(false);
  }

  execute(transaction: ChainTransaction, source: AccountSource): Execution {
    const { signers, instructions, blockhash, form, table } = transaction;
    const message = compileMessage(signers[0].address, instructions, blockhash);
    const before = new Map(message.accounts.map((address) => [address, source.get(address)]));
    const own = message.accounts.filter((address) => !programs.has(address));
    const program = writtenBy(instructions).find((address) => this.#isProgram(address, before.get(address)));
    if (program !== undefined) return { kind: 'program', address: program };
    // The VM runs the legacy form of it, signed for itself: what it does is the same in all forms.
    const executed = signedBy(signers, message);
    const shown = inForm(message, form, table);
    const kept = form === 'legacy' ? executed : signedBy(signers, shown.message);
    const { wire } = executed;
    if (wire.length > packetBytes) return { kind: 'too-large' };
    try {
      for (const account of before.values()) if (account !== undefined) this.#load(account);
      const addresses = allAccounts(shown.message, shown.loaded);
      const preBalances = this.#balances(addresses);
      const simulated = this.#vm.simulateLegacyTransaction(wire);
      if (isFailed(simulated)) return { kind: 'rejected', verdict: verdictOf(simulated) };
      const done = this.#vm.sendLegacyTransaction(wire);
      if (isFailed(done)) return { kind: 'rejected', verdict: verdictOf(done) };
      const accounts = own.map((address) => this.#read(address));
      const after = new Map(accounts.map((account) => [account.address, account]));
      return {
        kind: 'executed',
        ...kept,
        accounts,
        meta: {
          ...spent(done, preBalances, this.#balances(addresses)),
          preTokenBalances: tokenBalances(addresses, (address) => before.get(address), source),
          postTokenBalances: tokenBalances(addresses, (address) => after.get(address), source),
          inner: innerOf(done, message.accounts, addresses),
          loaded: shown.loaded,
        },
      };
    } finally {
      for (const address of own)
        this.#load({ address, lamports: 0n, owner: tokenProgram, data: new Uint8Array(0) });
    }
  }

  /** What the VM has of its own between orders: programs and system variables. */
  #isProgram(address: string, kept: Account | undefined): boolean {
    return (
      programs.has(address) || (kept === undefined && this.#vm.getAccount(base58.decode(address)) !== null)
    );
  }

  #load({ address, lamports, owner, data }: Account): void {
    const account = new this.#native.Account(lamports, data, base58.decode(owner), false, 0n);
    this.#vm.setAccount(base58.decode(address), account);
  }

  #read(address: string): Account {
    const account = this.#vm.getAccount(base58.decode(address));
    if (account === null) return { address, lamports: 0n, owner: systemProgram, data: new Uint8Array(0) };
    return {
      address,
      lamports: account.lamports(),
      owner: base58.encode(account.owner()),
      data: account.data(),
    };
  }

  #balances(addresses: string[]): string[] {
    return addresses.map((address) => (this.#vm.getBalance(base58.decode(address)) ?? 0n).toString());
  }
}

/** A transaction travels in one network packet; litesvm would run larger ones. */
const packetBytes = 1232;

const programs = new Set([systemProgram, tokenProgram, associatedTokenProgram, memoProgram]);

function writtenBy(instructions: Instruction[]): string[] {
  return instructions.flatMap(({ accounts }) =>
    accounts.filter((use) => use.writable).map((use) => use.address),
  );
}

function signedBy(signers: Keypair[], message: Message): { signatures: string[]; wire: Uint8Array } {
  const bytes = encodeMessage(message);
  const signatures = signers.map((signer) => signer.sign(bytes));
  return {
    signatures: signatures.map((signature) => base58.encode(signature)),
    wire: encodeTransaction(signatures, bytes),
  };
}

/** What programs called of each other, with their indexes in the order of the form that is shown. */
function innerOf(done: TransactionMetadata, executed: string[], shown: string[]): InnerInstructions[] {
  const placeOf = (index: number): number => shown.indexOf(executed[index] ?? '');
  return done.innerInstructions().flatMap((called, index) => {
    const instructions = called.map((inner) => {
      const instruction = inner.instruction();
      return {
        programIndex: placeOf(instruction.programIdIndex()),
        accounts: [...instruction.accounts()].map(placeOf),
        data: base58.encode(instruction.data()),
        stackHeight: inner.stackHeight(),
      };
    });
    return instructions.length === 0 ? [] : [{ index, instructions }];
  });
}

function isFailed(result: object): result is FailedTransactionMetadata {
  return 'err' in result;
}

/** `err()` gives bare numbers for plain errors; the printed form always has the name. */
function verdictOf(failed: FailedTransactionMetadata): string {
  const match = /err: (.*?), meta: TransactionMetadata/s.exec(failed.toString());
  return match?.[1] ?? 'unknown error';
}

type Spent = Pick<TransactionMeta, 'fee' | 'preBalances' | 'postBalances' | 'logs' | 'computeUnits'>;

/** What leaves the sum of all touched balances is the fee: nothing else burns lamports. */
function spent(done: TransactionMetadata, preBalances: string[], postBalances: string[]): Spent {
  const sum = (balances: string[]): bigint =>
    balances.reduce((total, lamports) => total + BigInt(lamports), 0n);
  return {
    fee: (sum(preBalances) - sum(postBalances)).toString(),
    preBalances,
    postBalances,
    logs: done.logs(),
    computeUnits: done.computeUnitsConsumed().toString(),
  };
}

function tokenBalances(
  addresses: string[],
  accountOf: (address: string) => Account | undefined,
  source: AccountSource,
): TokenBalance[] {
  return addresses.flatMap((address, accountIndex) => {
    const account = accountOf(address);
    const holding = account?.owner === tokenProgram ? readHolding(account.data) : undefined;
    if (holding === undefined) return [];
    const { mint, owner, units } = holding;
    return [{ accountIndex, mint, owner, amount: units.toString(), decimals: source.decimalsOf(mint) }];
  });
}

import { existsSync } from 'node:fs';
import { base58 } from '@scure/base';
import type {
  FailedTransactionMetadata,
  Account as LiteAccount,
  LiteSvm,
  TransactionMetadata,
} from 'litesvm/dist/internal.js';
import { hasNative, requireNative } from '../machine/engine/node.ts';
import {
  allAccounts,
  associatedTokenProgram,
  compileMessage,
  encodeMessage,
  encodeTransaction,
  type Instruction,
  inForm,
  type Keypair,
  type Message,
  type MessageForm,
  memoProgram,
  readHolding,
  systemProgram,
  tokenProgram,
} from './solana.ts';
import type { Account, InnerInstructions, TokenBalance, TransactionMeta } from './store/database.ts';

/** The accounts that the VM reads from the ledger. */
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
  /** The fee payer, then the other signers. */
  signers: [Keypair, ...Keypair[]];
  instructions: Instruction[];
  blockhash: string;
  form: MessageForm;
  /** The lookup table, for forms that have one. */
  table: string;
};

export type Chain = { execute(transaction: ChainTransaction, source: AccountSource): Execution };

let loaded: Chain | undefined;

/** The VM takes a while to load, so the first transfer of a process loads it. */
export function loadChain(): Chain {
  loaded ??= new LiteChain(loadNativeVm());
  return loaded;
}

/** Why transfers do not work on this machine, if they do not. */
export function chainTrouble(): NoChainError | undefined {
  try {
    loadChain();
    return undefined;
  } catch (error) {
    if (error instanceof NoChainError) return error;
    throw error;
  }
}

/** Runs Solana's programs over accounts in the ledger: between transactions the VM holds none of them. */
class LiteChain implements Chain {
  readonly #native: NativeVm;
  readonly #vm: LiteSvm;

  constructor(native: NativeVm) {
    this.#native = native;
    this.#vm = new native.LiteSvm();
    this.#vm.setTransactionHistory(0n);
    // The VM's only blockhash never changes; the sandbox's does.
    this.#vm.setBlockhashCheck(false);
  }

  execute(transaction: ChainTransaction, source: AccountSource): Execution {
    const { signers, instructions, blockhash, form, table } = transaction;
    const message = compileMessage(signers[0].address, instructions, blockhash);
    const before = new Map(message.accounts.map((address) => [address, source.get(address)]));
    const own = message.accounts.filter((address) => !programs.has(address));
    const program = writtenBy(instructions).find((address) => this.#isProgram(address, before.get(address)));
    if (program !== undefined) return { kind: 'program', address: program };
    // The VM runs the legacy form, with its own signatures: all forms have the same effect.
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

  /** Whether the VM itself holds this account: a program or a system variable. */
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

/** A transaction must fit one network packet; litesvm would run larger ones. */
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

/** The calls between programs, with account indexes in the order of the form that is shown. */
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

/** `err()` gives only numbers for plain errors; the printed form always has the name. */
function verdictOf(failed: FailedTransactionMetadata): string {
  const match = /err: (.*?), meta: TransactionMetadata/s.exec(failed.toString());
  return match?.[1] ?? 'unknown error';
}

type Spent = Pick<TransactionMeta, 'fee' | 'preBalances' | 'postBalances' | 'logs' | 'computeUnits'>;

/** The fee is the amount by which all touched balances shrink: nothing else burns lamports. */
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

/** The part of litesvm's native module that the sandbox uses. */
type NativeVm = {
  LiteSvm: new () => LiteSvm;
  Account: new (
    lamports: bigint,
    data: Uint8Array,
    owner: Uint8Array,
    executable: boolean,
    rentEpoch: bigint,
  ) => LiteAccount;
  FailedTransactionMetadata: new () => FailedTransactionMetadata;
};

/** Why transfers do not work on this machine, and what to do about it. */
export class NoChainError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.hint = hint;
  }
}

/** The platforms that this version of litesvm is built for, and their packages. */
const builds: Readonly<Record<string, readonly string[]>> = {
  'darwin-arm64': ['litesvm-darwin-arm64'],
  'darwin-x64': ['litesvm-darwin-x64'],
  'linux-arm64': ['litesvm-linux-arm64-gnu', 'litesvm-linux-arm64-musl'],
  'linux-x64': ['litesvm-linux-x64-gnu', 'litesvm-linux-x64-musl'],
};

/**
 * Loads the native package without litesvm's wrapper. The wrapper brings in @solana/kit, whose command line needs a
 * newer Node than botctl does, and for that npm silently skips the whole optional branch. The version is the newest
 * with a build for all six platforms.
 */
export function loadNativeVm(platform = process.platform, arch: string = process.arch): NativeVm {
  const packages = builds[`${platform}-${arch}`];
  if (packages === undefined) throw noBuild(`${platform}-${arch}`);
  let broken: unknown;
  for (const name of packages) {
    try {
      return requireNative(name) as NativeVm;
    } catch (cause) {
      if (!isMissing(cause)) broken ??= cause;
    }
  }
  throw unusable(ownOf(packages), broken);
}

/** Checks the same without loading anything. */
export function missingNativeVm(
  platform = process.platform,
  arch: string = process.arch,
): string | undefined {
  const packages = builds[`${platform}-${arch}`];
  if (packages === undefined) return noBuild(`${platform}-${arch}`).message;
  return packages.some(hasNative) ? undefined : unusable(ownOf(packages), undefined).message;
}

/** The package for this machine's C library. */
function ownOf(packages: readonly string[]): string {
  const [gnu = '', musl = gnu] = packages;
  return existsSync('/etc/alpine-release') ? musl : gnu;
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'MODULE_NOT_FOUND';
}

function noBuild(platform: string): NoChainError {
  return new NoChainError(
    `The sandbox’s transfers need litesvm, which has no build for ${platform}; messages work without it.`,
    'Make transfers in the sandbox on Linux or macOS.',
  );
}

function unusable(name: string, broken: unknown): NoChainError {
  const reason = broken instanceof Error ? broken.message.split('\n', 1)[0] : undefined;
  const is = reason === undefined ? 'is not installed' : `does not load here (${reason})`;
  return new NoChainError(
    `The sandbox’s transfers need the package ${name}, which ${is}; messages work without it.`,
    reason === undefined
      ? 'Install botctl again with its optional packages: npm without --omit=optional, pnpm without --no-optional.'
      : 'Install botctl again on this machine, or make transfers in the sandbox on another.',
    broken,
  );
}

import { existsSync } from 'node:fs';
import { base58 } from '@scure/base';
import type { FailedTransactionMetadata, Account as LiteAccount, LiteSvm } from 'litesvm/dist/internal.js';
import { requireNative } from '../machine/engine/node.ts';
import type { Account, Made, TokenBalance } from './ledger.ts';
import {
  associatedTokenProgram,
  compileMessage,
  type Instruction,
  type Keypair,
  memoProgram,
  readHolding,
  signedTransaction,
  systemProgram,
  tokenProgram,
} from './solana.ts';

/** Where the VM reads its accounts: the ledger. */
type AccountSource = {
  account(address: string): Account | undefined;
  decimalsOf(mint: string): number;
};

export type Execution =
  | { kind: 'executed'; signature: string; accounts: Account[]; fee: number; made: Made }
  | { kind: 'rejected'; verdict: string }
  | { kind: 'program' }
  | { kind: 'too-large' };

type ChainTransaction = { payer: Keypair; instructions: Instruction[]; blockhash: string };

export type SandboxChain = { execute(transaction: ChainTransaction, source: AccountSource): Execution };

let loaded: SandboxChain | undefined;

/** The VM takes a while to load, so the first transfer of a process loads it. */
export function loadChain(): SandboxChain {
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

/** Runs Solana's programs on accounts in the ledger. Between transactions the VM has none of them. */
class LiteChain implements SandboxChain {
  readonly #native: NativeVm;
  readonly #vm: LiteSvm;

  constructor(native: NativeVm) {
    this.#native = native;
    this.#vm = new native.LiteSvm();
    this.#vm.setTransactionHistory(0n);
    // The VM has one blockhash that never changes, so its check would reject the sandbox's.
    this.#vm.setBlockhashCheck(false);
  }

  execute({ payer, instructions, blockhash }: ChainTransaction, source: AccountSource): Execution {
    const { accounts, writable, bytes } = compileMessage(payer.address, instructions, blockhash);
    const before = new Map(accounts.map((address) => [address, source.account(address)]));
    const own = accounts.filter((address) => !programs.has(address));
    const changed = accounts.slice(0, writable);
    if (changed.some((address) => this.#isProgram(address, before.get(address)))) return { kind: 'program' };
    const signature = payer.sign(bytes);
    const wire = signedTransaction(signature, bytes);
    if (wire.length > packetBytes) return { kind: 'too-large' };
    try {
      for (const account of before.values()) if (account !== undefined) this.#load(account);
      const preBalances = this.#balances(accounts);
      const done = this.#vm.sendLegacyTransaction(wire);
      if (isFailed(done)) return { kind: 'rejected', verdict: verdictOf(done) };
      const postBalances = this.#balances(accounts);
      const after = new Map(own.map((address) => [address, this.#read(address)]));
      return {
        kind: 'executed',
        signature: base58.encode(signature),
        accounts: [...after.values()],
        // The touched balances shrink by the fee, because nothing else burns lamports.
        fee: Number(sum(preBalances) - sum(postBalances)),
        made: {
          accounts,
          writable,
          blockhash,
          instructions: instructions.map(({ program, accounts: used, data }) => ({
            program,
            accounts: used.map(({ address }) => address),
            data: base58.encode(data),
          })),
          preBalances: preBalances.map(String),
          postBalances: postBalances.map(String),
          preTokenBalances: tokenBalances(accounts, before, source),
          postTokenBalances: tokenBalances(accounts, after, source),
        },
      };
    } finally {
      for (const address of own)
        this.#load({ address, lamports: 0n, owner: tokenProgram, data: new Uint8Array(0) });
    }
  }

  /** Whether the VM itself has this account: a program or a system variable. */
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

  #balances(addresses: string[]): bigint[] {
    return addresses.map((address) => this.#vm.getBalance(base58.decode(address)) ?? 0n);
  }
}

/** A transaction must fit one network packet; litesvm would run larger ones. */
const packetBytes = 1232;

const programs = new Set([systemProgram, tokenProgram, associatedTokenProgram, memoProgram]);

const sum = (units: bigint[]): bigint => units.reduce((total, each) => total + each, 0n);

function isFailed(result: object): result is FailedTransactionMetadata {
  return 'err' in result;
}

/** Uses the printed form, which always has the error's name: `err()` gives only numbers for plain errors. */
function verdictOf(failed: FailedTransactionMetadata): string {
  const match = /err: (.*?), meta: TransactionMetadata/s.exec(failed.toString());
  return match?.[1] ?? 'unknown error';
}

function tokenBalances(
  addresses: string[],
  accounts: ReadonlyMap<string, Account | undefined>,
  source: AccountSource,
): TokenBalance[] {
  return addresses.flatMap((address, accountIndex) => {
    const account = accounts.get(address);
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

/** The native packages for a platform. One of them fits its C library. */
function packagesFor(platform: string, arch: string): string[] {
  const name = `litesvm-${platform}-${arch}`;
  if (platform !== 'linux') return [name];
  const [own, other] = existsSync('/etc/alpine-release') ? ['musl', 'gnu'] : ['gnu', 'musl'];
  return [`${name}-${own}`, `${name}-${other}`];
}

/**
 * Loads the native package without litesvm's wrapper. The wrapper brings in @solana/kit, whose command line needs a
 * newer Node than botctl does: npm then silently skips the whole optional branch. The version is the newest with a
 * build for all six platforms.
 */
export function loadNativeVm(platform: string = process.platform, arch: string = process.arch): NativeVm {
  const packages = packagesFor(platform, arch);
  let cause: unknown;
  for (const name of packages) {
    try {
      return requireNative(name) as NativeVm;
    } catch (error) {
      cause ??= error;
    }
  }
  const [reason] = cause instanceof Error ? cause.message.split('\n', 1) : [];
  throw new NoChainError(
    `The sandbox’s transfers need the package ${packages[0]}, which does not load here (${reason}); messages work without it.`,
    'Install botctl again on this machine, with its optional packages: npm without --omit=optional, pnpm without --no-optional.',
    cause,
  );
}

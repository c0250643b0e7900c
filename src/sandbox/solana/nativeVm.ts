import { createRequire } from 'node:module';
import type { Account, FailedTransactionMetadata, LiteSvm } from 'litesvm/dist/internal.js';

/** The part of litesvm's native module that is used here. */
export type NativeVm = {
  LiteSvm: new () => LiteSvm;
  Account: new (
    lamports: bigint,
    data: Uint8Array,
    owner: Uint8Array,
    executable: boolean,
    rentEpoch: bigint,
  ) => Account;
  FailedTransactionMetadata: new () => FailedTransactionMetadata;
};

export class NoChainError extends Error {
  constructor(platform: string, cause: unknown) {
    super(`Transfers need litesvm, which has no build for ${platform} here; messages work.`, { cause });
  }
}

/**
 * The native package itself, without litesvm's wrapper: the wrapper brings @solana/kit, whose command line
 * needs a newer Node than ours, and for that npm silently leaves out the whole optional branch. The version
 * is the newest that has a build for each of the six platforms.
 */
export function loadNativeVm(platform = process.platform, arch: string = process.arch): NativeVm {
  const require = createRequire(import.meta.url);
  const causes: unknown[] = [];
  for (const suffix of platform === 'linux' ? ['-gnu', '-musl'] : ['']) {
    try {
      return require(`litesvm-${platform}-${arch}${suffix}`) as NativeVm;
    } catch (cause) {
      causes.push(cause);
    }
  }
  throw new NoChainError(`${platform}-${arch}`, new AggregateError(causes));
}

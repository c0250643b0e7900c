import { existsSync } from 'node:fs';
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

/** Why there are no transfers on this machine, and what to do about it. */
export class NoChainError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.hint = hint;
  }
}

/** Where the version that is used has builds, and the packages they come in. */
const builds: Readonly<Record<string, readonly string[]>> = {
  'darwin-arm64': ['litesvm-darwin-arm64'],
  'darwin-x64': ['litesvm-darwin-x64'],
  'linux-arm64': ['litesvm-linux-arm64-gnu', 'litesvm-linux-arm64-musl'],
  'linux-x64': ['litesvm-linux-x64-gnu', 'litesvm-linux-x64-musl'],
};

/**
 * The native package itself, without litesvm's wrapper: the wrapper brings @solana/kit, whose command line
 * needs a newer Node than ours, and for that npm silently leaves out the whole optional branch. The version
 * is the newest that has a build for each of the six platforms.
 */
export function loadNativeVm(platform = process.platform, arch: string = process.arch): NativeVm {
  const packages = builds[`${platform}-${arch}`];
  if (packages === undefined) throw noBuild(`${platform}-${arch}`);
  const require = createRequire(import.meta.url);
  let broken: unknown;
  for (const name of packages) {
    try {
      return require(name) as NativeVm;
    } catch (cause) {
      if (!isMissing(cause)) broken ??= cause;
    }
  }
  throw unusable(ownOf(packages), broken);
}

/** The same, without loading anything. */
export function missingNativeVm(
  platform = process.platform,
  arch: string = process.arch,
): string | undefined {
  const packages = builds[`${platform}-${arch}`];
  if (packages === undefined) return noBuild(`${platform}-${arch}`).message;
  const { resolve } = createRequire(import.meta.url);
  const isThere = (name: string): boolean => {
    try {
      return resolve(name) !== '';
    } catch {
      return false;
    }
  };
  return packages.some(isThere) ? undefined : unusable(ownOf(packages), undefined).message;
}

/** Which of a platform's packages is for this machine's C library. */
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

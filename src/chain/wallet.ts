import { formatAmount } from '../once/entry/amount.ts';
import type { Reads } from '../once/journal/journal.ts';
import { fetchEach, type Gap, listFor } from './listing.ts';
import type { RpcNode } from './node.ts';
import { type ChainTransaction, type Change, tokenPrograms } from './transaction.ts';
import { signaturesOf } from './verify.ts';

/** What a wallet paid in one asset. SOL has no mint. */
type Outflow = { readonly mint: string | undefined; readonly amount: string; readonly to: readonly string[] };

/** A payment that left the wallet and has no entry. */
export type Stray = {
  readonly signature: string;
  readonly slot: number;
  readonly atMs: number | undefined;
  readonly paid: readonly Outflow[];
};

export type WalletLook = {
  /** Newest first. */
  readonly strays: readonly Stray[];
  /** How many of the wallet's transactions were looked at, in the list or fetched. */
  readonly read: number;
  /** Why these may not be all. */
  readonly gap: Gap | undefined;
  /** Entries without a signature that may have made some of the strays. */
  readonly unsigned: readonly string[];
};

/** The mints of wrapped SOL, of both programs. */
const wrappedSol: readonly string[] = [
  'So11111111111111111111111111111111111111112',
  '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXej9',
];

/** The least balance of a token account: 6,960 lamports for each byte and for 128 more. Token-2022 has up to 590. */
const rents: Readonly<Record<string, bigint>> = {
  [tokenPrograms.token]: 2_039_280n,
  [tokenPrograms.token2022]: 5_000_000n,
};

/**
 * The payment in a transaction: the wallet and its token accounts together lost some of an asset and gained nothing,
 * and another account gained some of that asset. Empty if the transaction is not a payment.
 */
export function outflowOf(
  wallet: string,
  { changes, showsTokens }: Pick<ChainTransaction, 'changes' | 'showsTokens'>,
): readonly Outflow[] | 'unclear' {
  const tokens = changes.filter(({ mint }) => mint !== undefined);
  if (!showsTokens || tokens.some(({ owner }) => owner === undefined)) return 'unclear';
  const tokenAt = (account: string, isAfter: boolean): Change | undefined =>
    tokens.find((one) => one.account === account && one.isAfter === isAfter);
  const gains = new Map<string | undefined, Map<string, bigint>>();
  const add = (mint: string | undefined, holder: string, units: bigint): void => {
    const ofMint = gains.get(mint) ?? new Map<string, bigint>();
    gains.set(mint, ofMint.set(holder, (ofMint.get(holder) ?? 0n) + units));
  };
  for (const { account, isAfter, mint, owner, units, isExact } of changes) {
    if (mint !== undefined && wrappedSol.includes(mint)) continue;
    // The lamports of a token account count for its owner at that time.
    const token = tokenAt(account, isAfter);
    const holder = owner ?? token?.owner ?? account;
    if (mint === undefined && holder === wallet && !isExact) return 'unclear';
    const isNew = mint === undefined && isAfter && token !== undefined && !tokenAt(account, false);
    const due = (isNew && holder !== wallet && rents[token.program ?? '']) || 0n;
    add(mint, holder, isNew && units < due ? 0n : units - due);
  }
  const own = [...gains].map(([mint, of]) => [mint, of, of.get(wallet) ?? 0n] as const);
  if (own.some(([, , gained]) => gained > 0n)) return [];
  return own.flatMap(([mint, of, gained]) => {
    const to = [...of].flatMap(([holder, units]) => (units > 0n ? [holder] : []));
    if (gained === 0n || to.length === 0) return [];
    const decimals = changes.find((one) => one.mint === mint)?.decimals ?? 0;
    return [{ mint, amount: formatAmount({ units: -gained, decimals }), to }];
  });
}

type Looking = {
  readonly wallet: string;
  readonly sinceMs: number;
  readonly node: RpcNode;
  readonly isOver: () => boolean;
};

/** Looks for payments that left the wallet after `sinceMs` and have no entry. It writes nothing. */
export async function lookAtWallet(
  { wallet, sinceMs, node, isOver }: Looking,
  reads: Reads,
): Promise<WalletLook> {
  const asking = { node, least: 'finalized', isOver } as const;
  const cluster = await node.cluster();
  if ('because' in cluster) return { strays: [], read: 0, gap: cluster.because, unsigned: [] };
  const { listed, gap: cut } = await listFor(wallet, sinceMs, asking);
  const since = listed.filter(({ timeS }) => timeS === undefined || 1000 * timeS >= sinceMs);
  const made = since.filter(({ failed }) => !failed);
  const unknown = await withoutEntry(made, reads);
  const unmatched: Stray[] = [];
  let left = unknown.length;
  const unread = await fetchEach(unknown, asking, async (transaction, { signature }) => {
    const paid = outflowOf(wallet, transaction);
    if (paid === 'unclear') return paid;
    left -= 1;
    const { slot, blockTimeS } = transaction;
    if (paid.length > 0) unmatched.push({ signature, slot, atMs: blockTimeS && 1000 * blockTimeS, paid });
    return undefined;
  });
  // Ask the journal again: a reply may have come meanwhile.
  const strays = (await withoutEntry(unmatched, reads)).sort((one, other) => other.slot - one.slot);
  const unsigned = strays.length === 0 ? [] : await reads.unsigned(sinceMs);
  const signed = unsigned.length === 0 ? [] : [...(await namedInReplies(reads)).values()];
  return {
    ...{ strays, read: since.length - left, gap: cut ?? unread },
    unsigned: unsigned.filter((id) => !signed.includes(id)),
  };
}

/** Those whose signature no entry has, in a receipt, an observation, or a reply that has not settled its entry. */
async function withoutEntry<One extends { readonly signature: string }>(
  all: readonly One[],
  reads: Reads,
): Promise<One[]> {
  const held = new Set(await reads.signaturesHeld(all.map(({ signature }) => signature)));
  const left = all.filter(({ signature }) => !held.has(signature));
  const named = left.length === 0 ? held : await namedInReplies(reads);
  return left.filter(({ signature }) => !named.has(signature));
}

/** Maps the signatures that a reply or an operator gave, for entries that are or were in doubt, to the entries' ids. */
async function namedInReplies(reads: Reads): Promise<ReadonlyMap<string, string>> {
  const named = new Map<string, string>();
  const states = ['sending', 'unknown', 'held', 'resolved'] as const;
  for await (const entry of reads.select({ kind: 'transfer', states, limit: Number.MAX_SAFE_INTEGER }))
    if (entry.wasInDoubt && entry.resolvedAs !== 'did-not-happen')
      for (const signature of await signaturesOf(entry, reads)) named.set(signature, entry.id);
  return named;
}

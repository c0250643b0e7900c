import { type RpcNode, readIn } from './node.ts';
import {
  type ChainTransaction,
  countOf,
  isNothing,
  listOf,
  objectOf,
  type Reason,
  textOf,
} from './transaction.ts';

/** Why what was read of a wallet's transactions is not all of them. */
export type Gap =
  /** The list ends too early, and nothing shows that the node has all blocks since then. */
  'cut-short' | 'too-many' | 'too-slow' | Reason;

export type Listed = {
  readonly signature: string;
  readonly timeS: number | undefined;
  readonly memo: string | undefined;
  readonly failed: boolean;
  readonly isFinal: boolean;
};

type Least = 'confirmed' | 'finalized';

/** The most that a node lists at once. */
const pageLength = 1000;
const mostListed = 10_000;
const mostAtATime = 8;

/** What the node lists for these addresses, the newest first, until something is older. */
export async function listFor(
  addresses: Iterable<string>,
  sinceMs: number,
  least: Least,
  node: RpcNode,
): Promise<{ readonly listed: readonly Listed[]; readonly gap: Gap | undefined }> {
  const listed = new Map<string, Listed>();
  let gap: Gap | undefined;
  for (const address of addresses) {
    const own = new Map<string, Listed>();
    gap ??= await readList(own, { address, sinceMs, least }, node);
    for (const [signature, one] of own) listed.set(signature, one);
  }
  return { listed: [...listed.values()], gap };
}

type Span = { readonly address: string; readonly sinceMs: number; readonly least: Least };

async function readList(
  list: Map<string, Listed>,
  { address, sinceMs, least }: Span,
  node: RpcNode,
): Promise<Gap | undefined> {
  let before: string | undefined;
  while (list.size < mostListed) {
    const page = { limit: pageLength, commitment: least, before };
    const read = readIn(await node.ask('getSignaturesForAddress', [address, page]), listedIn);
    if ('because' in read) return read.because;
    // A node that does not know where to go on says the same again.
    const fresh = read.filter(({ signature }) => !list.has(signature));
    for (const one of fresh) list.set(one.signature, one);
    if (fresh.some(({ timeS }) => isBefore(timeS, sinceMs))) return undefined;
    // A page that is not full need not be the last. A node whose storage is down lists nothing.
    if (fresh.length === 0)
      return list.size > 0 && (await hasAllSince(sinceMs, node)) ? undefined : 'cut-short';
    before = fresh.at(-1)?.signature;
  }
  return 'too-many';
}

function isBefore(timeS: number | undefined, atMs: number): boolean {
  return timeS !== undefined && 1000 * timeS < atMs;
}

async function hasAllSince(sinceMs: number, node: RpcNode): Promise<boolean> {
  const first = readIn(await node.ask('getFirstAvailableBlock', []), countOf);
  if (typeof first !== 'number') return false;
  if (first === 0) return true;
  const time = readIn(await node.ask('getBlockTime', [first]), countOf);
  return typeof time === 'number' && isBefore(time, sinceMs);
}

function listedIn(result: unknown): Listed[] {
  return listOf(result).map((each) => {
    const { signature, blockTime, memo, err, confirmationStatus } = objectOf(each);
    return {
      signature: textOf(signature),
      timeS: isNothing(blockTime) ? undefined : countOf(blockTime),
      // A node writes the length of each memo before it.
      memo: typeof memo === 'string' ? memo.replace(/^\[\d+\] /u, '') : undefined,
      failed: !isNothing(err),
      isFinal: confirmationStatus === 'finalized',
    };
  });
}

type Reading = { readonly least: Least; readonly node: RpcNode; readonly isOver: () => boolean };

/** Fetches these, eight at a time, until it is over or the node is dead. `onEach` says whether it shows what it paid. */
export async function fetchEach(
  listed: readonly Listed[],
  { least, node, isOver }: Reading,
  onEach: (transaction: ChainTransaction, one: Listed) => Promise<Gap | undefined>,
): Promise<Gap | undefined> {
  const fetchOne = async (one: Listed): Promise<Gap | undefined> => {
    const lookup = await node.transaction(one.signature, least);
    if (lookup.saw === 'transaction') return onEach(lookup.transaction, one);
    return lookup.saw === 'nothing' ? lookup.because : 'not-final';
  };
  let gap: Gap | undefined;
  for (let from = 0; from < listed.length; from += mostAtATime) {
    if (isOver()) return 'too-slow';
    const gaps = await Promise.all(listed.slice(from, from + mostAtATime).map(fetchOne));
    gap ??= gaps.find((each) => each !== undefined);
    if (gaps.every((each) => each === 'no-answer')) break;
  }
  return gap;
}

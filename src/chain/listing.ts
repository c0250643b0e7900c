import { type RpcNode, readIn } from './node.ts';
import {
  type ChainTransaction,
  countOf,
  isNothing,
  listOf,
  objectOf,
  type Reason,
  stringIn,
} from './transaction.ts';

/** Why not all of a wallet's transactions were read. */
export type Gap =
  /** The list does not reach back to `sinceMs`, and nothing shows that the node has all blocks since then. */
  'cut-short' | 'too-many' | 'too-slow' | 'paid-more' | Reason;

type Listed = ReturnType<typeof listedIn>[number];

type Asking = { readonly node: RpcNode; readonly least: 'confirmed' | 'finalized' };

/** The most signatures that a node lists at once. */
const pageLength = 1000;
const mostListed = 10_000;
const mostAtATime = 8;

/** What a node lists for an address, newest first, until a transaction is older than `sinceMs`. */
export async function listFor(
  address: string,
  sinceMs: number,
  { node, least }: Asking,
): Promise<{ readonly listed: readonly Listed[]; readonly gap: Gap | undefined }> {
  const listed: Listed[] = [];
  while (listed.length < mostListed) {
    const before = listed.at(-1)?.signature;
    const page = { limit: pageLength, commitment: least, before };
    const read = readIn(await node.ask('getSignaturesForAddress', [address, page]), listedIn);
    if ('because' in read) return { listed, gap: read.because };
    const isOlder = read.some(({ timeS }) => timeS !== undefined && 1000 * timeS < sinceMs);
    // A short page need not be the last. A node that cannot continue repeats the same page.
    const isOver = read.length === 0 || read.at(-1)?.signature === before;
    if (!isOver) listed.push(...read);
    if (isOlder) return { listed, gap: undefined };
    // A node whose storage is down lists nothing.
    const isWhole = isOver && listed.length > 0 && (await hasAllSince(sinceMs, node));
    if (isOver) return { listed, gap: isWhole ? undefined : 'cut-short' };
  }
  return { listed, gap: 'too-many' };
}

async function hasAllSince(sinceMs: number, node: RpcNode): Promise<boolean> {
  const first = readIn(await node.ask('getFirstAvailableBlock', []), countOf);
  if (typeof first !== 'number') return false;
  const timeS = first === 0 ? 0 : readIn(await node.ask('getBlockTime', [first]), countOf);
  return typeof timeS === 'number' && 1000 * timeS < sinceMs;
}

function listedIn(result: unknown) {
  return listOf(result).map((each) => {
    const { signature, blockTime, memo, err, confirmationStatus } = objectOf(each);
    return {
      signature: stringIn(signature),
      timeS: isNothing(blockTime) ? undefined : countOf(blockTime),
      // A node writes the length of each memo before it.
      memo: typeof memo === 'string' ? memo.replace(/^\[\d+\] /u, '') : undefined,
      failed: !isNothing(err),
      isFinal: confirmationStatus === 'finalized',
    };
  });
}

/** Fetches these, eight at a time, until the time is up or the node fails. `onEach` returns a gap if one is unclear. */
export async function fetchEach(
  listed: readonly Listed[],
  { node, least, isOver }: Asking & { readonly isOver: () => boolean },
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

import type { Intent, Journal } from '../journal/journal.ts';
import type { Cluster } from './cluster.ts';
import { type NodeAnswer, type RpcNode, readable } from './node.ts';
import { memoOf, type Payment } from './payment.ts';
import { judgeUnsettled } from './settle.ts';
import type { ChainView } from './standing.ts';
import { countOf, type Exact, isNothing, listOf, objectOf, type Reason, textOf } from './transaction.ts';
import { graceMs } from './verdict.ts';

/** A payment of exactly what a transfer in doubt was to pay. Nothing shows that it is that transfer. */
export type Candidate = {
  readonly signature: string;
  readonly slot: number;
  readonly atMs: number | undefined;
  readonly memo: string | undefined;
};

/** Why a search does not show all that left the wallet. */
export type Gap =
  /** The list ends after the first attempt. */
  'cut-short' | 'too-many' | 'too-slow' | 'unclear' | Reason;

export type Search = {
  readonly candidates: readonly Candidate[];
  /** The first attempt. */
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly gap: Gap | undefined;
};

type Searched = {
  readonly intent: Intent;
  readonly payment: Payment & { readonly wallet: string };
  readonly cluster: Cluster;
  readonly node: RpcNode;
};

/** The most that a node lists at once. */
const mostListed = 1000;
const longestMs = 30_000;
const mostAtATime = 8;

/**
 * Looks for a transfer that has no signature among what left the wallet since its first attempt. It records nothing:
 * a payment that looks the same is no evidence, and only a person can say whether it is the one.
 */
export async function searchFor(searched: Searched, journal: Journal): Promise<Search> {
  const { intent, payment, node } = searched;
  const untilMs = journal.clock.now();
  const [first] = await journal.reads.attemptsOf(intent.id);
  const sinceMs = first?.startedAtMs ?? intent.createdAtMs;
  const whole = { sinceMs, untilMs, candidates: [] };
  const other = await node.ofAnother();
  if (other !== undefined) return { ...whole, gap: other };
  const isOld = ({ timeS }: ListedTransaction): boolean => (timeS ?? Infinity) * 1000 < sinceMs - graceMs;
  const goesBack = ({ timeS }: ListedTransaction): boolean => (timeS ?? Infinity) * 1000 < sinceMs;
  const lists = await listsOf(payment, node);
  if ('because' in lists) return { ...whole, gap: lists.because };
  const listed = new Map(lists.flat().map((entry) => [entry.signature, entry]));
  const since = [...listed.values()].filter((entry) => !entry.failed && !isOld(entry));
  const newest = since.sort((one, another) => another.slot - one.slot).slice(0, mostListed);
  const found = await exactly(newest, searched, journal);
  const gaps: (Gap | undefined)[] = [
    lists.some((list) => list.length >= mostListed && !list.some(goesBack)) || since.length > mostListed
      ? 'too-many'
      : undefined,
    lists.some((list) => !list.some(goesBack)) ? 'cut-short' : undefined,
    found.gap,
  ];
  return { ...whole, candidates: found.candidates, gap: gaps.find((gap) => gap !== undefined) };
}

type ListedTransaction = {
  readonly signature: string;
  readonly slot: number;
  readonly timeS: number | undefined;
  readonly failed: boolean;
};

type NotListed = { readonly because: Reason };

/** What the node lists for the wallet and, of a token, for its accounts. */
async function listsOf(
  { wallet, asset }: Searched['payment'],
  node: RpcNode,
): Promise<ListedTransaction[][] | NotListed> {
  const config = { commitment: 'finalized', encoding: 'base64', dataSlice: { offset: 0, length: 0 } };
  const owned =
    asset === 'SOL'
      ? []
      : listIn(await node.ask('getTokenAccountsByOwner', [wallet, asset, config]), accountsIn);
  if ('because' in owned) return owned;
  const lists: ListedTransaction[][] = [];
  for (const address of new Set([wallet, ...owned])) {
    const most = { limit: mostListed, commitment: 'finalized' };
    const read = listIn(await node.ask('getSignaturesForAddress', [address, most]), entriesIn);
    if ('because' in read) return read;
    lists.push(read);
  }
  return lists;
}

function listIn<Each>(answer: NodeAnswer, read: (value: Exact) => Each[]): Each[] | NotListed {
  return answer.is === 'trouble' ? { because: answer.because } : readable(() => read(answer.value));
}

function accountsIn(result: Exact): string[] {
  const accounts = listOf(objectOf(result, 'accounts').value, 'accounts');
  return accounts.map((each) => textOf(objectOf(each, 'account').pubkey, 'pubkey'));
}

function entriesIn(result: Exact): ListedTransaction[] {
  return listOf(result, 'signatures').map((each) => {
    const { signature, slot, blockTime, err } = objectOf(each, 'signature');
    return {
      signature: textOf(signature, 'signature'),
      slot: countOf(slot, 'slot'),
      timeS: isNothing(blockTime) ? undefined : countOf(blockTime, 'blockTime'),
      failed: !isNothing(err),
    };
  });
}

type Compared = {
  readonly candidates: readonly Candidate[];
  readonly gap: 'too-slow' | 'unclear' | undefined;
};

/** Those that pay exactly this, and belong to no other intent. */
async function exactly(
  entries: readonly ListedTransaction[],
  { intent, payment, cluster, node }: Searched,
  journal: Journal,
): Promise<Compared> {
  const { clock } = journal;
  const endsAtMs = clock.now() + longestMs;
  const candidates: Candidate[] = [];
  let isUnclear = false;
  for (let from = 0; from < entries.length; from += mostAtATime) {
    if (clock.now() > endsAtMs) return { candidates, gap: 'too-slow' };
    const signatures = entries.slice(from, from + mostAtATime).map(({ signature }) => signature);
    const statuses = await node.statusesOf(signatures);
    const looks = signatures.map(async (signature) => {
      const sighting = await node.sight(signature, statuses, 'finalized');
      const look = { signature, sighting, payment, cluster, host: node.host };
      return { look, view: await judgeUnsettled(look, intent.id, journal) };
    });
    for (const { look, view } of await Promise.all(looks)) {
      const { signature, sighting } = look;
      if (view.verdict !== 'proven' || sighting.saw !== 'transaction') isUnclear ||= !isAnother(view);
      else {
        const { slot, blockTimeS } = sighting.transaction;
        const atMs = blockTimeS === undefined ? undefined : 1000 * blockTimeS;
        candidates.push({ signature, slot, atMs, memo: memoOf(sighting.transaction) });
      }
    }
  }
  return { candidates, gap: isUnclear ? 'unclear' : undefined };
}

/** It certainly does not pay this. */
function isAnother(view: ChainView): boolean {
  return (
    view.verdict === 'contradicted' ||
    view.reasons.some((reason) => reason === 'other-time' || reason === 'other-source')
  );
}

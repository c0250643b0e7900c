import type { Intent, Journal } from '../journal/journal.ts';
import type { Cluster } from './cluster.ts';
import type { ChainNodes, NodeAnswer } from './nodes.ts';
import { memoOf, type Payment } from './payment.ts';
import { judgeUnsettled } from './settle.ts';
import { type ChainView, chainBefore, isOfOtherTime } from './standing.ts';
import {
  countOf,
  type Exact,
  isNothing,
  listOf,
  objectOf,
  type Reason,
  textOf,
  Unreadable,
} from './transaction.ts';
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
  readonly nodes: ChainNodes;
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
  const { intent, payment, cluster, nodes } = searched;
  const untilMs = journal.clock.now();
  const [first] = await journal.reads.attemptsOf(intent.id);
  const sinceMs = first?.startedAtMs ?? intent.createdAtMs;
  const whole = { sinceMs, untilMs, candidates: [] };
  const other = await nodes.ofAnother();
  if (other !== undefined) return { ...whole, gap: other.because };
  const before = chainBefore(await journal.reads.observationsOf(intent.id), cluster);
  const isOlder = ({ slot, timeS }: ListedTransaction): boolean =>
    (before !== undefined && slot <= before.slot) || (timeS ?? Infinity) * 1000 < sinceMs - graceMs;
  const lists = await listsOf(payment, nodes);
  if ('because' in lists) return { ...whole, gap: lists.because };
  const listed = new Map(lists.flat().map((entry) => [entry.signature, entry]));
  const since = [...listed.values()].filter((entry) => !entry.failed && !isOlder(entry));
  const newest = since.sort((one, another) => another.slot - one.slot).slice(0, mostListed);
  const found = await exactly(newest, searched, journal);
  const gaps: (Gap | undefined)[] = [
    lists.some((list) => list.length >= mostListed && !list.some(isOlder)) || since.length > mostListed
      ? 'too-many'
      : undefined,
    lists.some((list) => !list.some(isOlder)) ? 'cut-short' : undefined,
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

/** What each node lists for the wallet and, of a token, for its accounts. */
async function listsOf(
  { wallet, asset }: Searched['payment'],
  nodes: ChainNodes,
): Promise<ListedTransaction[][] | NotListed> {
  const accounts =
    asset === 'SOL'
      ? []
      : await nodes.ask('getTokenAccountsByOwner', [
          wallet,
          asset,
          { commitment: 'finalized', encoding: 'base64', dataSlice: { offset: 0, length: 0 } },
        ]);
  const owned = readEach(accounts, accountsIn);
  if ('because' in owned) return owned;
  const lists: ListedTransaction[][] = [];
  for (const address of new Set([wallet, ...owned.flat()])) {
    const config = { limit: mostListed, commitment: 'finalized' };
    const read = readEach(await nodes.ask('getSignaturesForAddress', [address, config]), entriesIn);
    if ('because' in read) return read;
    lists.push(...read);
  }
  return lists;
}

function readEach<Read>(answers: readonly NodeAnswer[], read: (value: Exact) => Read): Read[] | NotListed {
  const all: Read[] = [];
  for (const answer of answers) {
    if (answer.is === 'trouble') return { because: answer.because };
    try {
      all.push(read(answer.value));
    } catch (error) {
      if (error instanceof Unreadable) return { because: error.reason };
      throw error;
    }
  }
  return all;
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
  { intent, payment, cluster, nodes }: Searched,
  journal: Journal,
): Promise<Compared> {
  const { clock } = journal;
  const endsAtMs = clock.now() + longestMs;
  const candidates: Candidate[] = [];
  let isUnclear = false;
  for (let from = 0; from < entries.length; from += mostAtATime) {
    if (clock.now() > endsAtMs) return { candidates, gap: 'too-slow' };
    const signatures = entries.slice(from, from + mostAtATime).map(({ signature }) => signature);
    const statuses = await nodes.statusesOf(signatures);
    const looks = signatures.map(async (signature) => {
      const sighting = await nodes.sight(signature, statuses, 'finalized');
      const look = { signature, sighting, payment, cluster, hosts: nodes.hosts };
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
  return view.verdict === 'contradicted' || isOfOtherTime(view) || view.reasons.includes('other-source');
}

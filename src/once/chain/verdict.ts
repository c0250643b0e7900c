import type { Findings, Match } from './payment.ts';
import type { ChainTransaction, Reason } from './transaction.ts';

export const chainVerdicts = ['proven', 'likely', 'contradicted', 'undecided'] as const;
export type ChainVerdict = (typeof chainVerdicts)[number];

export const commitments = ['processed', 'confirmed', 'finalized'] as const;
export type Commitment = (typeof commitments)[number];

/** All that one look at the chain is judged by. */
export type ChainEvidence =
  /** Nothing can be made of what the nodes say. */
  | { readonly saw: 'nothing'; readonly because: Reason }
  | { readonly saw: 'status'; readonly commitment: 'processed' }
  | { readonly saw: 'failure'; readonly commitment: 'confirmed' | 'finalized' }
  | {
      readonly saw: 'transaction';
      readonly commitment: 'confirmed' | 'finalized';
      /** Whether the signature asked for is the first of it: only then it is ours. */
      readonly isOurs: boolean;
      readonly findings: Findings;
      /** Of the instructions that pay it, those that no other intent has claimed. */
      readonly free: readonly Match[];
      /** Whether the recipient gained what all intents together claim of it. */
      readonly isGained: boolean;
      readonly age: Age;
      /** Whether it is known whose money it must be. */
      readonly isSourceKnown: boolean;
    };

type ChainRuling = { readonly verdict: ChainVerdict; readonly reason: Reason | undefined };

type ChainRow = {
  readonly saw: string;
  readonly matches: (evidence: ChainEvidence) => boolean;
  readonly finalized: (evidence: ChainEvidence) => ChainRuling;
  /** What is not final yet contradicts nothing. */
  readonly confirmed: (evidence: ChainEvidence) => ChainRuling;
};

type Seen = ChainEvidence & { saw: 'transaction' };

const ruling = (verdict: ChainVerdict, reason?: Reason) => (): ChainRuling => ({ verdict, reason });
const undecided = (reason: Reason) => {
  const rule = ruling('undecided', reason);
  return { finalized: rule, confirmed: rule };
};
const against = (finalized: ChainRow['finalized']) => ({
  finalized,
  confirmed: ruling('undecided', 'only-confirmed'),
});
const seen =
  (matches: (evidence: Seen) => boolean) =>
  (evidence: ChainEvidence): boolean =>
    evidence.saw === 'transaction' && matches(evidence);

/** What one look at the chain proves. First match, top to bottom. A miss proves nothing, ever. */
export const chainTable: readonly ChainRow[] = [
  {
    // null, lag, 429, an RPC error, what cannot be read, nodes that disagree
    saw: 'nothing',
    matches: ({ saw }) => saw === 'nothing',
    finalized: (evidence) => becauseOf(evidence),
    confirmed: (evidence) => becauseOf(evidence),
  },
  { saw: 'processed', matches: ({ saw }) => saw === 'status', ...undecided('only-processed') },
  { saw: 'failure', matches: ({ saw }) => saw === 'failure', ...against(ruling('contradicted', 'failed')) },
  {
    // a transaction that our signature is not the first of
    saw: 'not-first-signature',
    matches: seen(({ isOurs }) => !isOurs),
    ...undecided('not-first-signature'),
  },
  {
    // an instruction that pays it, of a transaction of another time, or of a time that nobody knows
    saw: 'other-time',
    matches: seen(({ free, age }) => free.length > 0 && isOfAnotherTime(age)),
    finalized: (evidence) => becauseOf(evidence),
    confirmed: (evidence) => becauseOf(evidence),
  },
  {
    // an instruction that pays it, and the recipient has not gained what is claimed of the transaction
    saw: 'no-gain',
    matches: seen(({ free, isGained }) => free.length > 0 && !isGained),
    ...undecided('no-gain'),
  },
  {
    // an instruction that pays it, where nobody knows whose money it must be
    saw: 'source-unchecked',
    matches: seen(({ free, isSourceKnown }) => free.length > 0 && !isSourceKnown),
    finalized: ruling('likely'),
    confirmed: ruling('likely', 'only-confirmed'),
  },
  {
    // an instruction that pays it, and that no other intent has claimed
    saw: 'payment',
    matches: seen(({ free }) => free.length > 0),
    finalized: ruling('proven'),
    confirmed: ruling('likely', 'only-confirmed'),
  },
  {
    // instructions that pay it, and all claimed by other intents
    saw: 'claimed',
    matches: seen(({ findings }) => findings.matches.length > 0),
    ...against(ruling('contradicted', 'claimed')),
  },
  {
    // a balance without an instruction, an unclear owner or source, parts, a scaled or confidential amount
    saw: 'doubt',
    matches: seen(({ findings }) => findings.doubt !== undefined),
    finalized: (evidence) => becauseOf(evidence),
    confirmed: (evidence) => becauseOf(evidence),
  },
  {
    // another recipient, mint or amount
    saw: 'miss',
    matches: seen(() => true),
    ...against((evidence) => ({
      verdict: 'contradicted',
      reason: evidence.saw === 'transaction' ? evidence.findings.miss : undefined,
    })),
  },
];

function becauseOf(evidence: ChainEvidence): ChainRuling {
  return { verdict: 'undecided', reason: reasonOf(evidence) };
}

function reasonOf(evidence: ChainEvidence): Reason | undefined {
  if (evidence.saw === 'nothing') return evidence.because;
  if (evidence.saw !== 'transaction') return undefined;
  const { free, age, findings } = evidence;
  return free.length > 0 && isOfAnotherTime(age) ? age : findings.doubt;
}

function isOfAnotherTime(age: Age): age is Exclude<Age, 'in-time' | 'earlier'> {
  return age !== 'in-time' && age !== 'earlier';
}

export function judgeChain(evidence: ChainEvidence): ChainRuling {
  const row = chainTable.find(({ matches }) => matches(evidence));
  const isFinal = 'commitment' in evidence && evidence.commitment === 'finalized';
  return row?.[isFinal ? 'finalized' : 'confirmed'](evidence) ?? { verdict: 'undecided', reason: undefined };
}

/** How far a chain had come before an intent's first attempt: what is final at this slot is older. */
export type ChainBefore = {
  readonly slot: number;
  /** When that was by the node's own clock, where it told. */
  readonly nodeMs: number | undefined;
};

/** What is known of an intent's beginning: a transaction from before it is another payment. */
export type Beginning = {
  /** When its first attempt began. */
  readonly atMs: number;
  /** Known where a node was asked before that. */
  readonly before: ChainBefore | undefined;
  /** Another machine may have paid a little earlier under the same key, and this journal need not know. */
  readonly mayBeEarlier: boolean;
  readonly nowMs: number;
};

export type Age = 'in-time' | 'earlier' | (Reason & ('other-time' | 'clock' | 'no-time'));

const hourMs = 3_600_000;
/** A cluster's clock once ran half an hour behind, and machines' clocks drift. */
export const graceMs = 2 * hourMs;
/** As long as a transfer's re-run window: no daily payment fits in. */
const earlierMs = 20 * hourMs;

/**
 * When a transaction was, beside an intent's beginning. A slot shows that it is older, and not that it is newer: the
 * node may have lagged. The node's own clock, where it was heard of before the first attempt, spares this machine's.
 */
export function ageOf(
  { slot, blockTimeS }: Pick<ChainTransaction, 'slot' | 'blockTimeS'>,
  nodesMs: readonly number[],
  { atMs, before, mayBeEarlier, nowMs }: Beginning,
): Age {
  const isOlder = before !== undefined && slot <= before.slot;
  if (isOlder && !mayBeEarlier) return 'other-time';
  if (blockTimeS === undefined) return isOlder ? 'other-time' : 'no-time';
  const byNode = before?.nodeMs !== undefined && nodesMs.length > 0;
  if (!byNode && nodesMs.some((nodeMs) => Math.abs(nodeMs - nowMs) > graceMs)) return 'clock';
  const timeMs = 1000 * blockTimeS;
  if (timeMs > (byNode ? Math.max(...nodesMs) : nowMs) + graceMs) return 'other-time';
  const beganMs = (byNode ? before?.nodeMs : undefined) ?? atMs;
  if (!isOlder && timeMs >= beganMs - graceMs) return 'in-time';
  return mayBeEarlier && timeMs >= beganMs - earlierMs ? 'earlier' : 'other-time';
}

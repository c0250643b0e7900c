import type { Findings, Match } from './payment.ts';
import type { ChainTransaction, Reason } from './transaction.ts';

export const chainVerdicts = ['proven', 'likely', 'contradicted', 'undecided'] as const;
export type ChainVerdict = (typeof chainVerdicts)[number];

export const commitments = ['processed', 'confirmed', 'finalized'] as const;
export type Commitment = (typeof commitments)[number];

/** Everything that one look at the chain is judged by. */
export type ChainEvidence =
  /** The nodes' answers cannot be used. */
  | { readonly saw: 'nothing'; readonly because: Reason }
  | { readonly saw: 'processed' }
  | { readonly saw: 'failure'; readonly commitment: 'confirmed' | 'finalized' }
  | {
      readonly saw: 'transaction';
      readonly commitment: 'confirmed' | 'finalized';
      /** Whether the signature looked up is the transaction's first. Only then is the transaction ours. */
      readonly isOurs: boolean;
      readonly findings: Findings;
      /** The paying instructions that no other intent has claimed. */
      readonly free: readonly Match[];
      /** Whether the recipient gained at least what all intents together claim. */
      readonly isGained: boolean;
      /** It is from a time before this intent. */
      readonly isOlder: boolean;
      /** Whether it is known which wallet must pay. */
      readonly isSourceKnown: boolean;
    };

type ChainRuling = { readonly verdict: ChainVerdict; readonly reason: Reason | undefined };

type ChainRow = {
  readonly matches: (evidence: ChainEvidence) => boolean;
  readonly finalized: (evidence: ChainEvidence) => ChainRuling;
  /** A transaction that is not final yet contradicts nothing. */
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

/** What one look at the chain proves. The first row that matches counts. A miss never proves anything. */
export const chainTable: readonly ChainRow[] = [
  {
    // null, a node that lags, 429, an RPC error, an unreadable answer, nodes that disagree
    matches: ({ saw }) => saw === 'nothing',
    finalized: (evidence) => becauseOf(evidence),
    confirmed: (evidence) => becauseOf(evidence),
  },
  { matches: ({ saw }) => saw === 'processed', ...undecided('only-processed') },
  { matches: ({ saw }) => saw === 'failure', ...against(ruling('contradicted', 'failed')) },
  {
    // a transaction whose first signature is not ours
    matches: seen(({ isOurs }) => !isOurs),
    ...undecided('not-first-signature'),
  },
  {
    // a paying instruction, in a transaction from an earlier time or an unknown time
    matches: seen(({ free, isOlder: older }) => free.length > 0 && older),
    ...undecided('other-time'),
  },
  {
    // a paying instruction, but the recipient gained less than what intents claim of the transaction
    matches: seen(({ free, isGained }) => free.length > 0 && !isGained),
    ...undecided('no-gain'),
  },
  {
    // a paying instruction, but it is not known which wallet must pay
    matches: seen(({ free, isSourceKnown }) => free.length > 0 && !isSourceKnown),
    finalized: ruling('likely'),
    confirmed: ruling('likely', 'only-confirmed'),
  },
  {
    // a paying instruction that no other intent has claimed
    matches: seen(({ free }) => free.length > 0),
    finalized: ruling('proven'),
    confirmed: ruling('likely', 'only-confirmed'),
  },
  {
    // paying instructions, all claimed by other intents
    matches: seen(({ findings }) => findings.matches.length > 0),
    ...against(ruling('contradicted', 'claimed')),
  },
  {
    // a balance without an instruction, an unclear owner or source, parts, a scaled or confidential amount
    matches: seen(({ findings }) => findings.doubt !== undefined),
    finalized: (evidence) => becauseOf(evidence),
    confirmed: (evidence) => becauseOf(evidence),
  },
  {
    // another recipient, mint or amount
    matches: seen(() => true),
    ...against((evidence) => ({ verdict: 'contradicted', reason: reasonOf(evidence) })),
  },
];

function becauseOf(evidence: ChainEvidence): ChainRuling {
  return { verdict: 'undecided', reason: reasonOf(evidence) };
}

function reasonOf(evidence: ChainEvidence): Reason | undefined {
  if (evidence.saw === 'nothing') return evidence.because;
  if (evidence.saw !== 'transaction') return undefined;
  return evidence.findings.doubt ?? evidence.findings.miss;
}

export function judgeChain(evidence: ChainEvidence): ChainRuling {
  const row = chainTable.find(({ matches }) => matches(evidence));
  const isFinal = 'commitment' in evidence && evidence.commitment === 'finalized';
  return row?.[isFinal ? 'finalized' : 'confirmed'](evidence) ?? { verdict: 'undecided', reason: undefined };
}

/** When an intent began, and whether other machines may have paid it under the same key. */
export type Beginning = { readonly atMs: number; readonly isNamed: boolean };

/** A cluster's clock once ran half an hour late, and machines' clocks drift. */
export const graceMs = 2 * 3_600_000;

/** Whether a transaction is older than an unnamed intent. Another machine may have paid a named one at any time. */
export function isOlder(
  { blockTimeS }: Pick<ChainTransaction, 'blockTimeS'>,
  { atMs, isNamed }: Beginning,
): boolean {
  return !isNamed && (blockTimeS === undefined || 1000 * blockTimeS < atMs - graceMs);
}

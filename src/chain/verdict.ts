import type { Age } from './age.ts';
import type { Findings, Match } from './payment.ts';
import type { Reason } from './reason.ts';

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
    saw: 'null, lag, 429, an RPC error, what cannot be read, nodes that disagree',
    matches: ({ saw }) => saw === 'nothing',
    finalized: (evidence) => becauseOf(evidence),
    confirmed: (evidence) => becauseOf(evidence),
  },
  { saw: 'processed', matches: ({ saw }) => saw === 'status', ...undecided('only-processed') },
  { saw: 'an error', matches: ({ saw }) => saw === 'failure', ...against(ruling('contradicted', 'failed')) },
  {
    saw: 'a transaction that our signature is not the first of',
    matches: seen(({ isOurs }) => !isOurs),
    ...undecided('not-first-signature'),
  },
  {
    saw: 'an instruction that pays it, of a transaction of another time, or of a time that nobody knows',
    matches: seen(({ free, age }) => free.length > 0 && isOfAnotherTime(age)),
    finalized: (evidence) => becauseOf(evidence),
    confirmed: (evidence) => becauseOf(evidence),
  },
  {
    saw: 'an instruction that pays it, and the recipient has not gained what is claimed of the transaction',
    matches: seen(({ free, isGained }) => free.length > 0 && !isGained),
    ...undecided('no-gain'),
  },
  {
    saw: 'an instruction that pays it, where nobody knows whose money it must be',
    matches: seen(({ free, isSourceKnown }) => free.length > 0 && !isSourceKnown),
    finalized: ruling('likely'),
    confirmed: ruling('likely', 'only-confirmed'),
  },
  {
    saw: 'an instruction that pays it, and that no other intent has claimed',
    matches: seen(({ free }) => free.length > 0),
    finalized: ruling('proven'),
    confirmed: ruling('likely', 'only-confirmed'),
  },
  {
    saw: 'instructions that pay it, and all claimed by other intents',
    matches: seen(({ findings }) => findings.matches.length > 0),
    ...against(ruling('contradicted', 'claimed')),
  },
  {
    saw: 'a balance without an instruction, an unclear owner or source, parts, a scaled or confidential amount',
    matches: seen(({ findings }) => findings.doubt !== undefined),
    finalized: (evidence) => becauseOf(evidence),
    confirmed: (evidence) => becauseOf(evidence),
  },
  {
    saw: 'another recipient, mint or amount',
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

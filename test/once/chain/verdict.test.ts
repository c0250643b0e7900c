import { describe, expect, test } from 'vitest';
import {
  type ChainEvidence,
  chainTable,
  chainVerdicts,
  judgeChain,
} from '../../../src/once/chain/verdict.ts';

const match = { path: '0', units: 1n, decimals: 9, received: 1n };
const findings = {
  ...{ matches: [], doubt: undefined, miss: 'other-amount', hasMemo: true, gained: 1n, credits: [] },
} as const;
type Stage = 'confirmed' | 'finalized';

const transaction = (change: object, free: (typeof match)[] = [], more: object = {}) => ({
  ...{ saw: 'transaction', isOurs: true, findings: { ...findings, ...change }, free },
  ...{ isGained: true, isOlder: false, isSourceKnown: true, ...more },
});
const paid = (more: object) => transaction({ matches: [match] }, [match], more);

/** Each row of the table: what is seen, what it proves while it is confirmed, and what once it is final. */
const rows: readonly (readonly [string, object, string, string])[] = [
  ['nothing', { saw: 'nothing', because: 'not-seen' }, 'undecided not-seen', 'undecided not-seen'],
  ['lag', { saw: 'nothing', because: 'lagging' }, 'undecided lagging', 'undecided lagging'],
  ['an error', { saw: 'failure' }, 'undecided only-confirmed', 'contradicted failed'],
  [
    'another’s transaction',
    paid({ isOurs: false }),
    'undecided not-first-signature',
    'undecided not-first-signature',
  ],
  ['a payment', paid({}), 'likely only-confirmed', 'proven'],
  ['an older payment', paid({ isOlder: true }), 'undecided other-time', 'undecided other-time'],
  ['one that was taken back', paid({ isGained: false }), 'undecided no-gain', 'undecided no-gain'],
  ['one of whoever’s money', paid({ isSourceKnown: false }), 'likely only-confirmed', 'likely'],
  [
    'a payment that is claimed',
    transaction({ matches: [match] }),
    'undecided only-confirmed',
    'contradicted claimed',
  ],
  [
    'a doubt',
    transaction({ doubt: 'balance-differs' }),
    'undecided balance-differs',
    'undecided balance-differs',
  ],
  [
    'a doubt of another time',
    transaction({ doubt: 'in-parts' }, [], { isOlder: true }),
    'undecided in-parts',
    'undecided in-parts',
  ],
  ...[{}, { isOlder: true }, { isSourceKnown: false }, { isGained: false }].map(
    (more) =>
      [
        `another amount, ${Object.keys(more).join()}`,
        transaction({}, [], more),
        ...(['undecided only-confirmed', 'contradicted other-amount'] as const),
      ] as const,
  ),
  [
    'wrapped SOL',
    transaction({ miss: 'wrapped-sol' }),
    'undecided only-confirmed',
    'contradicted wrapped-sol',
  ],
];

function judged(evidence: object, commitment: Stage): string {
  const { verdict, reason } = judgeChain({ ...evidence, commitment } as ChainEvidence);
  return reason === undefined ? verdict : `${verdict} ${reason}`;
}

describe('what one look at the chain proves', () => {
  test.each(rows)('%s', (_what, evidence, confirmed, finalized) => {
    expect(judged(evidence, 'confirmed')).toBe(confirmed);
    expect(judged(evidence, 'finalized')).toBe(finalized);
  });

  test('what is processed proves nothing', () => {
    expect(judgeChain({ saw: 'processed' })).toEqual({
      verdict: 'undecided',
      reason: 'only-processed',
    });
  });

  test('proven comes of payments in time only, and contradicted of nothing that is not final', () => {
    const all = rows.flatMap(([, , confirmed, finalized]) => [confirmed, finalized]);
    expect(all.filter((one) => one.startsWith('proven'))).toHaveLength(1);
    expect(rows.map(([, , confirmed]) => confirmed).join()).not.toContain('contradicted');
    expect(chainTable).toHaveLength(11);
    expect([...new Set(all.map((one) => one.split(' ')[0]))].sort()).toEqual([...chainVerdicts].sort());
  });
});

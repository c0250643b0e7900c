import { expect, test } from 'vitest';
import type { Lookup } from '../../src/chain/node.ts';
import {
  type ChainView,
  isFinalMatch,
  isPaidAgain,
  judgeLook,
  latestView,
  ownSignatures,
  signatureIn,
  wasRepeated,
} from '../../src/chain/verdict.ts';
import type { Attempt, Decision, Entry, Observation } from '../../src/once/journal/journal.ts';
import { ada, asked, bob, key, type Made, paying, read, signature, wallet } from './transactions.ts';

const sol = 1_000_000_000n;
const cluster = { genesis: key(42), name: 'test' };
const paid = paying(ada, sol);
const began = { atMs: 1_795_000_000_000, isNamed: false };

const saw = (made: Made, commitment: 'confirmed' | 'finalized'): Lookup => ({
  ...{ saw: 'transaction', commitment, transaction: read(made), cluster },
});

type Known = { isAnothers?: true; noWallet?: true; later?: true };
type Row = readonly [string, Made, string, string, Known];

/** What a transaction proves while it is confirmed, and once it is final. */
const rows: readonly Row[] = [
  ['the payment', paid, 'likely not-final', 'proven', {}],
  ['the payment of nobody known', paid, 'likely not-final', 'likely', { noWallet: true }],
  ['less', paying(ada, sol - 1n), 'undecided not-final', 'contradicted not-paid', {}],
  ['another recipient', paying(bob, sol), 'undecided not-final', 'contradicted not-paid', {}],
  ['a failure', { ...paid, err: 'x' }, 'undecided not-final', 'contradicted not-paid', {}],
  ['more', paying(ada, 2n * sol), 'undecided not-final', 'undecided unclear', {}],
  ['somebody else’s money', paying(ada, sol, bob), 'undecided not-final', 'undecided unclear', {}],
  ['the payment of another entry', paid, 'undecided anothers', 'undecided anothers', { isAnothers: true }],
  [
    'less than another entry wanted',
    paying(ada, 1n),
    'undecided not-final',
    'contradicted not-paid',
    { isAnothers: true },
  ],
  ['an older payment', paid, 'undecided anothers', 'undecided anothers', { later: true }],
  [
    'a transaction with another first signature',
    { ...paid, at: { slot: 100, blockTime: 1_795_000_000, signature: key(8) } },
    'undecided unclear',
    'undecided unclear',
    {},
  ],
];

test.each(rows)('%s proves what it proves', (_what, made, confirmed, finalized, more) => {
  const payment = asked(more.noWallet === true ? { wallet: undefined } : {});
  const beginning = more.later === true ? { ...began, atMs: began.atMs + 7_200_001 } : began;
  const told = (commitment: 'confirmed' | 'finalized'): string => {
    const look = { signature, lookup: saw(made, commitment), payment, host: 'node' };
    const { verdict, reasons } = judgeLook(look, more.isAnothers === true, beginning);
    return [verdict, ...reasons].join(' ');
  };
  expect([told('confirmed'), told('finalized')]).toEqual([confirmed, finalized]);
});

test('what is not seen is undecided, for the reason that the node gives', () => {
  const look = { signature, payment: asked(), host: 'node' };
  const sightings: Lookup[] = [
    { saw: 'nothing', because: 'no-answer' },
    { saw: 'status', commitment: 'processed' },
  ];
  expect(sightings.map((lookup) => judgeLook({ ...look, lookup }, false, began))).toEqual([
    { verdict: 'undecided', signature, rpc: 'node', reasons: ['no-answer'] },
    { verdict: 'undecided', signature, rpc: 'node', commitment: 'processed', reasons: ['not-final'] },
  ]);
});

test('a view has all of a payment', () => {
  const look = { signature, lookup: saw(paid, 'finalized'), payment: asked(), host: 'node' };
  expect(judgeLook(look, false, began)).toEqual({
    ...{ verdict: 'proven', signature, rpc: 'node', commitment: 'finalized', cluster: 'test', slot: 100 },
    ...{ block_time: 1_795_000_000, reasons: [] },
    paid: { to: ada, units: `${sol}`, decimals: 9, received: `${sol}`, fee_units: '0' },
  });
});

const hourS = 3600;
test.each([
  ['two hours older', -2 * hourS, false, false],
  ['older than that', -2 * hourS - 1, false, true],
  ['much younger', 1000 * hourS, false, false],
  ['of no known time', undefined, false, true],
  ['a month older, and another machine may have paid under the same name', -720 * hourS, true, false],
  ['of no known time, and named', undefined, true, false],
])('a transaction that is %s', (_what, byS, isNamed, expected) => {
  const blockTimeS = byS === undefined ? undefined : began.atMs / 1000 + byS;
  const transaction = { ...read(paid), blockTimeS };
  const lookup: Lookup = { saw: 'transaction', commitment: 'finalized', transaction, cluster };
  const look = { signature, lookup, payment: asked(), host: 'node' };
  const { verdict } = judgeLook(look, false, { ...began, isNamed });
  expect(verdict).toBe(expected ? 'undecided' : 'proven');
});

const look = (verdict: Observation['verdict'], slot = 1): Observation =>
  ({ verdict, facts: JSON.stringify({ slot }) }) as Observation;
test.each<[string, Observation[], string]>([
  ['none counts', [], 'undefined'],
  ['the latest counts', [look('contradicted', 1), look('undecided', 2)], 'undecided 2'],
  ['one that proved it counts', [look('proven', 1), look('proven', 2), look('undecided', 3)], 'proven 2'],
  ['one that is damaged says nothing', [{ ...look('proven'), facts: '{' }], 'undefined'],
])('of all looks %s', (_what, observations, expected) => {
  const one = latestView(observations);
  expect(one === undefined ? 'undefined' : `${one.verdict} ${one.slot}`).toBe(expected);
});

test.each<[Partial<ChainView>, boolean]>([
  [{ verdict: 'proven', commitment: 'finalized' }, true],
  [{ verdict: 'likely', commitment: 'finalized' }, true],
  [{ verdict: 'likely', commitment: 'confirmed' }, false],
  [{ verdict: 'contradicted', commitment: 'finalized' }, false],
])('%o was paid: %s', (view, expected) => {
  expect(isFinalMatch(view as ChainView)).toBe(expected);
});

test('two payments are one too many', () => {
  const view = { verdict: 'proven', rpc: 'node', reasons: [] } as const;
  const payments = [{ signature }, { signature: wallet }];
  expect([undefined, payments.slice(1), payments].map((each) => isPaidAgain(withPayments(each)))).toEqual([
    ...[false, false, true],
  ]);
  function withPayments(each: typeof payments | undefined): ChainView {
    return each === undefined ? view : { ...view, payments: each };
  }
});

test.each<[string, Partial<Entry>, boolean]>([
  ['asked again after a doubt', {}, true],
  ['asked once', { attempts: 1 }, false],
  ['never in doubt', { wasInDoubt: false }, false],
  ['not accepted', { state: 'unknown' }, false],
  ['a message', { kind: 'message' }, false],
])('a service was asked twice: %s', (_what, change, expected) => {
  const entry = { kind: 'transfer', state: 'accepted', wasInDoubt: true, attempts: 2, ...change };
  expect(wasRepeated(entry as Entry)).toBe(expected);
});

const body = (json: object): Uint8Array => Buffer.from(JSON.stringify(json));
const replied = (status: number | undefined, reply: Uint8Array | undefined): Attempt =>
  ({ status, reply, headers: {} }) as Attempt;
test.each([
  [199, body({ signature }), undefined],
  [200, body({ signature }), signature],
  [299, body({ signature }), signature],
  [200, body({ transfer: { signature } }), signature],
  [300, body({ signature }), undefined],
  [undefined, body({ signature }), undefined],
  [200, undefined, undefined],
  [200, Buffer.from('x'), undefined],
  [200, body({ signature: 5 }), undefined],
])('the signature in a reply of status %s', (status, reply, expected) => {
  expect(signatureIn(replied(status, reply))).toBe(expected);
});

const other = `${signature.slice(0, -1)}${signature.endsWith('a') ? 'b' : 'a'}`;
const named = (verdict: string, text = signature): Attempt =>
  ({ ...replied(200, body({ signature: text })), verdict }) as Attempt;
const decided = [{ signature: other }, { signature: undefined }] as Decision[];
test.each<[string, Partial<Entry>, Attempt[], string[]]>([
  ['accepted', { state: 'accepted' }, [named('unknown', other), named('accepted')], [signature]],
  ['accepted by a person', { state: 'accepted' }, [named('unknown')], [signature]],
  ['unknown', { state: 'unknown' }, [named('unknown'), named('accepted', other)], [signature, other]],
  ['the same twice', { state: 'unknown' }, [named('unknown'), named('unknown')], [signature]],
  ['resolved', { state: 'resolved', resolvedAs: 'happened' }, [named('held')], [signature, other]],
  ['resolved otherwise', { state: 'resolved', resolvedAs: 'did-not-happen' }, [named('held')], [signature]],
  ['no signature', { state: 'unknown' }, [named('unknown', 'sig_1')], []],
])('is looked up of an entry that is %s', (_what, entry, attempts, expected) => {
  expect(ownSignatures(entry as Entry, attempts, decided)).toEqual(expected);
});

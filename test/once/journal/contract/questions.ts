import type { BatchInput, Selection } from '../../../../src/once/journal/journal.ts';
import {
  allOf,
  baseUrl,
  done,
  endWith,
  type JournalInHand,
  newEntry,
  nowMs,
} from '../../../support/journals.ts';
import { narrowings } from './narrowings.ts';

/** What is asked or changed, in a journal that `fill` filled. */
export type Deed = readonly [what: string, work: (journal: JournalInHand) => Promise<unknown>];

export const many = 600;
const scope = { baseUrl, kind: 'transfer' } as const;
const paymentOf = (n: number): string => JSON.stringify(['ada', 'sol', `${n}`]);

const transfer = (n: number, name = 'many') => ({
  ...({ kind: 'transfer', payment: paymentOf(n), identity: `identity-${n}`, key: `key-${n}` } as const),
  ...({ id: `filled-${n}`, namedBy: 'row', name, rowId: `r${n}` } as const),
});

/** Many payments to one address, nearly all of them in one batch and accepted. */
export async function fill(journal: JournalInHand, count = many): Promise<void> {
  const guards = { beforeSending: true };
  for (let from = 0; from < count; from += 200)
    await journal.commit(async (tx) => {
      const filled = Array.from({ length: Math.min(200, count) }, async (_, more) => {
        const n = from + more;
        const state = n < 50 && n % 10 === 0 ? 'unknown' : 'accepted';
        const id = await done(tx, state, transfer(n, n < 20 ? 'few' : 'many'), nowMs + n * 1000);
        await tx.keepReceipts(id, [{ origin: baseUrl, what: 'signature', value: `signature-${n}` }]);
        await tx.decide(id, { ...word, kind: 'proposed' });
        await tx.observe(id, { ...observed, verdict: 'undecided' });
      });
      await Promise.all(filled);
    }, guards);
}

const word = { who: 'w', atMs: nowMs, reason: 'r', signature: undefined } as const;
const observed = {
  ...{ atMs: nowMs, signature: undefined, genesis: undefined },
  facts: '{}',
} as const;

const page = (journal: JournalInHand, selection: Partial<Selection>) =>
  allOf(journal.select({ limit: 20, ...selection }));

const id = 'filled-500';
const receipts = [{ origin: baseUrl, what: 'signature', value: 'signature-3' }] as const;
const payment = paymentOf(500);

/** Each is about few entries, so that it reads few of them. */
export const fewRead: readonly Deed[] = [
  ['an unnamed one', (to) => to.findUnnamed('identity-500', 0)],
  ['a key', (to) => to.findByKey(scope, 'key-500')],
  ['an ID', (to) => to.get(id)],
  ['the beginning of an ID', (to) => to.startingWith('filled-50')],
  [
    'an equal payment',
    (to) => to.equalEntries({ payment, origin: baseUrl, id: 'other', batch: '', sinceMs: 0 }),
  ],
  ['which batches paid', (to) => to.batchesPaying([payment, 'none'], 'few', 0)],
  ['the latest number', (to) => to.latestSeq()],
  ['the latest rows of a name', (to) => to.rowsSince('few', 2000)],
  ['what a payment has settled', (to) => to.settledBy(payment, id)],
  ['attempts', (to) => to.attemptsOf(id)],
  ['the decisive attempt', (to) => to.decisiveAttempt(id)],
  ['decisions', (to) => to.decisionsOf(id)],
  ['observations', (to) => to.observationsOf(id)],
  ['receipts', (to) => to.receiptsOf(id)],
  ['who holds a receipt', (to) => to.otherHolder(id, receipts)],
  ['how a small batch stands', (to) => to.rowsStanding('few')],
  ['what a batch asked for', (to) => to.batchInputs('few')],
  ['the latest', (to) => page(to, {})],
  ['the first', (to) => page(to, { oldestFirst: true })],
  ['the latest accepted', (to) => page(to, { states: ['accepted'] })],
  ['what is unknown', (to) => page(to, { states: ['unknown', 'held'] })],
  ['the latest transfers', (to) => page(to, { kind: 'transfer' })],
  ['the latest to somebody', (to) => page(to, { to: 'ada' })],
  ['the next to somebody', (to) => page(to, { to: 'ada', oldestFirst: true, sinceMs: nowMs + 9_000 })],
  ['the latest of a name', (to) => page(to, { name: 'few' })],
  ['the latest accepted transfers', (to) => page(to, { kind: 'transfer', states: ['accepted'] })],
  ['a stretch of time', (to) => page(to, { sinceMs: nowMs + 9_000, untilMs: nowMs + 19_000 })],
  ['a batch', (to) => page(to, { batch: 'few' })],
  ['what is unknown of a batch', (to) => page(to, { batch: 'many', states: ['unknown'] })],
];

const one = (n: number) => `filled-${n}`;
const input = {
  ...scope,
  name: 'few',
  rows: 20,
  invalid: 0,
} satisfies BatchInput;

/** Each changes one entry, or a small batch. */
export const fewChanged: readonly Deed[] = [
  ['begin', (to) => to.begin(newEntry(), 'h', nowMs)],
  ['propose', (to) => to.propose(newEntry(transfer(many + 1)), 'approval', nowMs)],
  [
    'claim, and try again',
    async (to) => {
      await to.claim(one(0), nowMs);
      await to.startAttempt(one(0), 'h', nowMs);
    },
  ],
  ['end an attempt', (to) => to.endAttempt(one(0), 2, endWith('unknown'), nowMs)],
  ['conclude', (to) => to.conclude(one(0), 'unknown', undefined, nowMs)],
  ['hold', (to) => to.hold(one(0), 'why', nowMs)],
  ['record a death', (to) => to.recordDeath(one(10), nowMs)],
  ['keep a receipt', (to) => to.keepReceipts(one(20), [{ ...receipts[0], value: 'new' }])],
  ['decide', (to) => to.decide(one(20), { ...word, kind: 'happened' })],
  ['observe', (to) => to.observe(one(20), { ...observed, verdict: 'undecided' })],
  ['report', (to) => to.markReported(one(5), nowMs)],
];

/** They read as much as they are about, by an index. */
export const indexed: readonly Deed[] = [
  ...fewRead,
  ['what was paid to somebody', (to) => to.paidBefore('ada')],
  ['recipients', (to) => to.recipients('a')],
  ['batches', (to) => to.batchNames()],
  ['all that can be selected', (to) => Promise.all(narrowings.map((narrowing) => page(to, narrowing)))],
];

/** What a shared journal allows only to who joined the batch. */
export const inFile: readonly Deed[] = [['keep a batch', (to) => to.keepBatch(input)]];

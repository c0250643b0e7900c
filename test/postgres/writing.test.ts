import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Intent, NewIntent, Writes } from '../../src/once/journal/journal.ts';
import type { Note } from '../../src/postgres/facts.ts';
import type { Row, StatementName } from '../../src/postgres/statements.ts';
import { spendingReads, writeVerbs } from '../../src/postgres/writing.ts';
import { endWith, newIntent } from '../../testing/journals.ts';

const intent: NewIntent = newIntent({ namedBy: 'once', name: 'n' });
/** What the server answers to everything: an intent, and whatever else is asked for. */
const row: Row = {
  ...{ id: intent.id, kind: 'message', base_url: intent.baseUrl, bot: 'b', key: 'k', identity: 'i' },
  ...{ fingerprint: 'f', body: Buffer.from('{}'), state: 'unknown', tainted: false, attempts: 2 },
  ...{ created_at: 1, updated_at: 1, count: 0, last: 0 },
};

type Told = { readonly asked: StatementName[]; readonly started: Intent[]; readonly recorded: Note[] };

/** What these verbs ask and tell, while the server fails at that statement. */
function verbsOn(answers: Partial<Record<StatementName, readonly Row[]>>, failing?: StatementName) {
  const told: Told = { asked: [], started: [], recorded: [] };
  const ask = async (name: StatementName): Promise<readonly Row[]> => {
    await setImmediate();
    if (name === failing) throw new Error(name);
    told.asked.push(name);
    return answers[name] ?? [row];
  };
  const verbs = writeVerbs(ask, {
    owner: 'us',
    silentSinceMs: () => 0,
    started: (one) => void told.started.push(one),
    recorded: (note) => void told.recorded.push(note),
    startedHere: () => undefined,
  });
  return { verbs, told };
}

const word = { who: 'w', atMs: 7, reason: 'r', signature: undefined } as const;
const observation = {
  ...{ who: 'w', atMs: 8, facts: '{}', signature: undefined, genesis: undefined, instruction: undefined },
  verdict: 'undecided',
} as const;
const scope = { baseUrl: intent.baseUrl, kind: 'message' } as const;
const batch = {
  ...{
    ...scope,
    name: 'b',
    rows: 1,
    skipped: 0,
    skippedInDoubt: 0,
    totals: [],
    beyond: { rows: 0, totals: [] },
  },
} as unknown as Parameters<Writes['keepBatch']>[0];

const deeds: readonly (readonly [string, readonly StatementName[], (verbs: Writes) => Promise<unknown>])[] = [
  ['begins', ['begin'], (to) => to.begin(intent, 'h', 1)],
  ['proposes', ['propose', 'get'], (to) => to.propose(intent, 'proposed', 1)],
  ['claims', ['claim'], (to) => to.claim('i', 1)],
  ['rewrites', ['rewrite'], (to) => to.rewrite('i', Buffer.from('{}'), 'f', undefined)],
  ['records a death', ['endOwners', 'endDeadAttempts', 'markDead'], (to) => to.recordDeath('i', 1)],
  ['tries', ['startAttempt'], (to) => to.startAttempt('i', 'h', 1)],
  ['ends a try', ['endAttempt'], (to) => to.endAttempt('i', 1, endWith('accepted'), 1)],
  ['concludes', ['conclude', 'get'], (to) => to.conclude('i', 'accepted', undefined, 1)],
  [
    'keeps receipts',
    ['keepReceipt'],
    (to) => to.keepReceipts('i', [{ origin: 'o', what: 'signature', value: 'v' }]),
  ],
  ['keeps no receipts', [], (to) => to.keepReceipts('i', [])],
  ['holds', ['hold'], (to) => to.hold('i', 'w', 1)],
  ['holds back', ['holdBack'], (to) => to.holdBack('i', 'w', 1)],
  ['decides', ['addDecision', 'resolve'], (to) => to.decide('i', { ...word, kind: 'happened' })],
  [
    'decides against',
    ['addDecision', 'dateLanding', 'resolve'],
    (to) => to.decide('i', { ...word, kind: 'did-not-happen' }),
  ],
  ['lets go', ['addDecision', 'dateLanding'], (to) => to.decide('i', { ...word, kind: 'send-again' })],
  ['approves', ['addDecision', 'dateLanding'], (to) => to.decide('i', { ...word, kind: 'approved' })],
  ['proposes a decision', ['addDecision'], (to) => to.decide('i', { ...word, kind: 'proposed' })],
  ['observes', ['observe'], (to) => to.observe('i', observation)],
  ['reports', ['markReported'], (to) => to.markReported('i', 1)],
  ['reports rows', ['markRowsReported'], (to) => to.markRowsReported(scope, 'b', 1)],
  ['supersedes', ['supersede'], (to) => to.supersede('i')],
  ['keeps a batch', ['keepBatch'], (to) => to.keepBatch(batch)],
];

test.each(deeds)('who %s asks %j, one after the other, and fails where the server does', async (...deed) => {
  const [, names, work] = deed;
  const { verbs, told } = verbsOn({});
  await work(verbs);
  expect(told.asked).toEqual(names);
  for (const name of names) await expect(work(verbsOn({}, name).verbs)).rejects.toThrow(name);
});

test('what came too late to conclude is accepted late, and nothing else is', async () => {
  const late = { conclude: [] };
  const { verbs, told } = verbsOn(late);
  for (const state of ['accepted', 'rejected'] as const)
    expect(await verbs.conclude('i', state, undefined, 1)).toBeUndefined();
  expect(told.asked).toEqual(['conclude', 'acceptLate', 'conclude']);
  const failing = verbsOn(late, 'acceptLate').verbs;
  await expect(failing.conclude('i', 'accepted', undefined, 1)).rejects.toThrow('acceptLate');
});

test('nobody owns a proposal', async () => {
  const { verbs } = verbsOn({ get: [{ ...row, owner: 'them' }] });
  expect(await verbs.propose(intent, 'proposed', 1)).toMatchObject({ owner: 'them', ownerLives: false });
});

test('every attempt, decision and observation is told to who notes it', async () => {
  const { verbs, told } = verbsOn({});
  await verbs.begin(intent, 'h', 1);
  await verbs.startAttempt('i', 'h', 1);
  await verbs.decide('i', { ...word, kind: 'happened' });
  await verbs.observe('i', observation);
  expect(told.started.map(({ attempts, ownerLives }) => [attempts, ownerLives])).toEqual([
    [1, true],
    [2, true],
  ]);
  expect(told.recorded).toEqual([
    { what: 'decision', id: 'i', number: 7 },
    { what: 'observation', id: 'i', number: 8 },
  ]);
});

test('sums are asked for once within a transaction, each time outside, and made where many are not', async () => {
  const asked: unknown[] = [];
  const unsummed = { complete_since: null, hour: null, units: null, unsummed: 500 };
  const read = async (within?: { policyNumber: undefined }, count = 500): Promise<unknown[]> => {
    asked.length = 0;
    const reads = spendingReads(
      async (name, item) => {
        await setImmediate();
        asked.push(item?.recipient ?? name);
        return [{ ...unsummed, unsummed: count }];
      },
      async () => 1,
      within,
    );
    for (const recipient of [undefined, undefined, 'ada', 'ada'])
      await reads.spending({ asset: 'SOL', sinceHour: 0, recipient });
    return asked;
  };
  expect(await read()).toEqual(['', '', '', 'ada', '', 'ada']);
  expect(await read({ policyNumber: undefined }, 499)).toEqual(['', 'ada']);
  expect(await read({ policyNumber: undefined })).toEqual(['', 'sumUp', 'ada', 'sumUp']);
});

test('sums cannot be believed where making them fails', async () => {
  const failing = spendingReads(
    async (name) => {
      await setImmediate();
      if (name === 'sumUp') throw new Error(name);
      return [{ complete_since: null, hour: null, units: null, unsummed: 500 }];
    },
    async () => 1,
    { policyNumber: undefined },
  );
  const scope = { asset: 'SOL', sinceHour: 0, recipient: undefined };
  await expect(failing.spending(scope)).rejects.toThrow('sumUp');
});

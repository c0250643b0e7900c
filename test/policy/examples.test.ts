// What the policies mean for a payment: each rule on both sides of its border, with two policies at once, in a claim, and
// in a dry run. What a history of claims spends is in the model (spendingModel.ts).
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PolicyAnswer } from '../../src/once/engine/context.ts';
import { amountOf, unitsOf } from '../../src/once/entry/amount.ts';
import type { Entry, Journal, Transaction } from '../../src/once/journal/journal.ts';
import type { Refusal } from '../../src/policy/failures.ts';
import {
  dayMs,
  freeAtMs,
  needsApproval,
  type Policies,
  refusedByItself,
  withAddress,
} from '../../src/policy/policy.ts';
import { spendWithin } from '../../src/policy/spend.ts';
import { allowed, cells, claims } from '../once/engine/design.ts';
import { policyOf } from '../support/policies.ts';
import {
  ada,
  bob,
  endOf,
  key,
  lost,
  message,
  noRetries,
  once,
  paid,
  posted,
  reply,
  run,
  ScriptedEngine,
  transfer,
  unsent,
} from '../support/scriptedEngine.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

const rejected = reply(400, { error: 'invalid_transfer' });
const two = (one: object, other: object): Policies => [policyOf(one, 'first'), policyOf(other, 'second')];
const sol = (line: object): object => ({ limits: { SOL: line } });
const under = (written: object): { policies: Policies } => ({ policies: [policyOf(written)] });
const aDay = (day: string): { policies: Policies } => under(sol({ day }));
const rent = (amount = '1.5') => transfer({ amount }, once('rent'));

const spend = (amount: string, to = ada, asset = 'SOL', assetNames = [asset.toLowerCase()]) => ({
  ...{ to, asset, assetNames },
  units: unitsOf(amount),
});
/** Of no entry on record. */
const anew = { entry: undefined, proposes: false, isShared: false };

/** A refusal with its amounts as text. */
function told(refusal: Refusal | undefined): object | undefined {
  if (refusal === undefined || !('limit' in refusal)) return refusal;
  const { units: _, limit, remaining, ...rest } = refusal;
  return { ...rest, limit: amountOf(limit), remaining: amountOf(remaining) };
}

describe('what needs no journal', () => {
  test.each([
    ['an asset that one of two does not name', two({ limits: { SOL: {}, USDC: {} } }, {}), 'USDC', 'second'],
    ['an asset that neither names', two({}, {}), 'USDC', 'first'],
    ['an asset that both name', two({}, {}), 'SOL', undefined],
  ])('%s', (_what, policies, asset, source) => {
    const refusal = refusedByItself(policies, spend('1', ada, asset));
    expect(refusal).toEqual(source && { rule: 'asset', source, asset });
  });

  const only = (recipients: object): object => ({ recipients, only_recipients: true });
  test.each([
    ['the first of its recipients', [policyOf(only({ ada, bob }))], ada, undefined],
    ['the last of its recipients', [policyOf(only({ ada, bob }))], bob, undefined],
    ['somebody else', [policyOf(only({ ada }))], bob, 'the policy'],
    ['somebody, where there are none', [policyOf(only({}))], ada, 'the policy'],
    ['somebody else, where recipients are only named', [policyOf({ recipients: { ada } })], bob, undefined],
    [
      'whom only the one that asks for nothing lists',
      two(only({ ada }), { recipients: { bob } }),
      bob,
      'first',
    ],
    ['whom only the other of two lists', two(only({ ada }), only({ ada, bob })), bob, 'first'],
    ['whom only the first of two lists', two(only({ ada, bob }), only({ ada })), bob, 'second'],
    ['whom both list', two(only({ ada, bob }), only({ bob })), bob, undefined],
  ] as const)('a recipient is %s', (_what, policies, to, source) => {
    expect(refusedByItself(policies, spend('1', to))).toEqual(source && { rule: 'recipient', source, to });
  });

  test.each([
    ['as much as the limit', [policyOf(sol({ transfer: '5' }))], '5', undefined],
    ['a little more', [policyOf(sol({ transfer: '5' }))], '5.000000001', ['the policy', '5']],
    [
      'the stricter of two, which is the first',
      two(sol({ transfer: '2' }), sol({ transfer: '5' })),
      '6',
      ['first', '2'],
    ],
    [
      'the stricter of two, which is the second',
      two(sol({ transfer: '5' }), sol({ transfer: '2' })),
      '6',
      ['second', '2'],
    ],
    [
      'the only one of two that is passed',
      two(sol({ transfer: '5' }), sol({ transfer: '2' })),
      '3',
      ['second', '2'],
    ],
    ['none, where it limits a day only', [policyOf(sol({ day: '1' }))], '3', undefined],
  ] as const)('the limit of one transfer: %s', (_what, policies, amount, refused) => {
    expect(told(refusedByItself(policies, spend(amount)))).toEqual(
      refused && {
        rule: 'transfer',
        source: refused[0],
        line: 'SOL',
        asset: 'SOL',
        limit: refused[1],
        remaining: refused[1],
      },
    );
  });

  const above = (assets: object): object => ({ approve_above: assets, limits: { SOL: {}, USDC: {} } });
  test.each([
    ['no', [policyOf({})], '100', false],
    ['no, for as much as it may be', [policyOf(above({ SOL: '1' }))], '1', false],
    ['yes, for more', [policyOf(above({ SOL: '1' }))], '1.000000001', true],
    ['no, for another asset', [policyOf(above({ USDC: '1' }))], '2', false],
    ['yes, by the first of two', two(above({ SOL: '1' }), above({ SOL: '9' })), '2', true],
    ['yes, by the second of two', two(above({ SOL: '9' }), above({ SOL: '1' })), '2', true],
    ['yes, by the only one of two that asks', two({}, above({ SOL: '1' })), '2', true],
    ['no, by two', two(above({ SOL: '9' }), above({ SOL: '8' })), '2', false],
  ] as const)('does it need a person’s word? %s', (_what, policies, amount, needs) => {
    const why = needsApproval(policies, spend(amount));
    expect(why !== undefined).toBe(needs);
    if (needs) expect(why).toMatch(/^[\d.]+ SOL is above 1 SOL, approve_above of /u);
  });
});

test('a day has room again when enough is gone, in whatever order it is told; else a day from now', () => {
  const hourMs = 3_600_000;
  const nowMs = 500_000 * hourMs;
  const ago = (hours: number) => ({ id: `${hours}`, atMs: nowMs - hours * hourMs, units: unitsOf('1') });
  const refusal = { units: unitsOf('1'), limit: unitsOf('2'), spent: unitsOf('2') };
  expect(freeAtMs([ago(1), ago(3), ago(2)], refusal, nowMs)).toBe(ago(3).atMs + dayMs);
  // What else was spent is not on record yet.
  expect(freeAtMs([ago(3)], { ...refusal, spent: unitsOf('4') }, nowMs)).toBe(nowMs + dayMs);
});

describe('a name for an address', () => {
  const complaintOf = (to: unknown, policies: Policies): unknown =>
    withAddress({ to_address: to }, policies).complaint;
  const complaint = (value: unknown) => ({ field: 'to_address', rule: 'recipient', value });
  test('becomes the address, and the other fields stay', () => {
    const fields = { to_address: '@ada', amount: '1' };
    expect(withAddress(fields, two({ recipients: { bob } }, { recipients: { ada } }))).toEqual({
      fields: { to_address: ada, amount: '1' },
    });
    expect(
      withAddress({ to_address: '@ada' }, two({ recipients: { ada } }, { recipients: { ada } })),
    ).toEqual({
      fields: { to_address: ada },
    });
  });

  test.each([[{ to_address: ada }], [{ to_address: 'x@ada' }], [{ to_address: 7 }], [{}]])(
    'is not in %j',
    (fields) => {
      const { fields: same, ...rest } = withAddress(fields, [policyOf({ recipients: { ada } })]);
      expect(same).toBe(fields);
      expect(rest).toEqual({});
    },
  );

  test('that is in no policy, or means two, is refused', () => {
    expect(complaintOf('@ada', [])).toEqual(complaint('no-policy'));
    expect(complaintOf('@ada', [policyOf({})])).toEqual(complaint({ noneOf: [] }));
    expect(complaintOf('@eve', two({ recipients: { ada, bob } }, { recipients: { bob } }))).toEqual(
      complaint({ noneOf: ['@ada', '@bob'] }),
    );
    expect(complaintOf('@ada', two({ recipients: { ada } }, { recipients: { ada: bob } }))).toEqual(
      complaint('several-addresses'),
    );
  });
});

test('on a shared journal, a transfer without a name is refused before anything is journaled or sent', async () => {
  const shared = (): { journal: Journal } => ({ journal: { ...scripted.open(), isShared: true } });
  await expect(scripted.run(transfer(), [paid], shared())).rejects.toMatchObject({ code: 'unnamed-shared' });
  expect([await scripted.entries(), scripted.sent]).toEqual([[], []]);
  for (const [nth, naming] of [once('n'), run('n'), key('k')].entries())
    expect(endOf(await scripted.run(transfer({ amount: `${nth + 1}` }, naming), [paid], shared()))).toBe(
      'accepted',
    );
  expect(endOf(await scripted.run(message(), [posted], shared()))).toBe('accepted');
});

describe('over a limit', () => {
  test('what was never sent is refused, and stays as it was', async () => {
    expect(await scripted.run(rent(), [], aDay('1'))).toMatchObject({
      is: 'not-sent',
      because: 'refused',
      failure: {
        fields: { rule: 'day', units: unitsOf('1.5'), limit: unitsOf('1'), remaining: unitsOf('1') },
      },
    });
    expect(await scripted.entries()).toEqual([]);
    await scripted.run(rent(), [unsent], noRetries);
    expect(endOf(await scripted.run(rent(), [], aDay('1')))).toBe('not sent: refused');
    expect(await scripted.only()).toMatchObject({ state: 'open', attempts: 1, wasInDoubt: false });
    expect(endOf(await scripted.run(rent(), [paid], aDay('1.5')))).toBe('accepted');
  });

  test('what may have happened is never called refused: it is held', async () => {
    await scripted.run(rent(), [lost], noRetries);
    expect(endOf(await scripted.run(rent(), [], aDay('1')))).toBe('held');
    expect(await scripted.only()).toMatchObject({
      state: 'held',
      heldReason: 'not-allowed',
      wasInDoubt: true,
      attempts: 1,
    });
  });

  type Asked = readonly [amount: string, asset: string, is: PolicyAnswer['is'] | 'asked'];
  const names = ['mint', 'usdc'];
  test.each<[string, object, readonly string[], readonly Asked[]]>([
    [
      'counts at once, and what waits for a person does not',
      { ...sol({ day: '9' }), approve_above: { SOL: '4' } },
      ['sol'],
      [
        ...([
          ['8', 'SOL', 'needs-approval'],
          ['4', 'SOL', 'allowed'],
          ['4', 'SOL', 'allowed'],
        ] as const),
        ...([
          ['4', 'SOL', 'refused'],
          ['1', 'SOL', 'allowed'],
          ['1', 'SOL', 'refused'],
        ] as const),
      ],
    ],
    [
      'is not what was only asked about',
      sol({ day: '4' }),
      ['sol'],
      [
        ['1.5', 'SOL', 'asked'],
        ['1.5', 'SOL', 'allowed'],
        ['1.5', 'SOL', 'allowed'],
        ['1.5', 'SOL', 'refused'],
      ],
    ],
    [
      'counts in all names of an asset, whichever was claimed',
      { limits: { MINT: {}, usdc: { day: '9' } } },
      names,
      [
        ['4', 'USDC', 'allowed'],
        ['4', 'MINT', 'allowed'],
        ['4', 'MINT', 'refused'],
        ['4', 'USDC', 'refused'],
      ],
    ],
  ])('what is claimed in one commit %s', async (_what, written, assetNames, asked) => {
    await scripted.open().commit(async (tx) => {
      for (const [amount, asset, is] of asked) {
        const order = { spend: spend(amount, ada, asset, [...assetNames]), ...anew };
        const word = await spendWithin([policyOf(written)], order, tx, scripted.clock.now());
        if (is !== 'asked' && word.is === 'allowed') word.reserve?.();
        expect(word.is).toBe(is === 'asked' ? 'allowed' : is);
      }
    });
  });
});

describe('a person’s word', () => {
  const above = under({ ...sol({ day: '9' }), approve_above: { SOL: '1' } });
  const approve = (id: string): Promise<Entry> => scripted.answer(id, 'approved');

  test.each([
    ['was never sent', unsent],
    ['was rejected', rejected],
  ] as const)('is waited for by what %s', async (_what, flight) => {
    await scripted.run(rent(), [flight], noRetries);
    expect(endOf(await scripted.run(rent(), [], above))).toBe('held');
    const { id, ...waiting } = await scripted.only();
    expect(waiting).toMatchObject({ heldReason: 'approval', wasInDoubt: false, attempts: 1 });
    expect(await approve(id)).toMatchObject({ state: 'open', approved: true });
    expect(endOf(await scripted.run(rent(), [paid], above))).toBe('accepted');
  });

  test.each([
    ['nothing was sent since', []],
    ['it did not leave since', [unsent]],
    ['it was rejected since', [rejected]],
  ] as const)('is waited for by what a person has settled: %s', async (_since, flights) => {
    await scripted.run(rent(), [lost], noRetries);
    await scripted.decide((await scripted.only()).id, 'did-not-happen');
    for (const flight of flights) await scripted.run(rent(), [flight], noRetries);
    for (const changes of [above, { proposes: true }])
      expect(endOf(await scripted.run(rent(), [], changes))).toBe('held');
    expect(await scripted.only()).toMatchObject({ heldReason: 'approval', wasInDoubt: true });
  });

  test('is not asked of what may have happened: it is held as no longer allowed', async () => {
    await scripted.run(rent(), [lost], noRetries);
    expect(endOf(await scripted.run(rent(), [], above))).toBe('held');
    const { id, heldReason } = await scripted.only();
    expect(heldReason).toBe('not-allowed');
    const word = scripted.word('send-again');
    expect(endOf(await scripted.resume(id, [], { ...above, word }))).toBe('held');
    expect(await scripted.only()).toMatchObject({ heldReason: 'not-allowed', attempts: 1 });
  });

  test('does not lift a limit, and what waits for it spends nothing', async () => {
    expect(endOf(await scripted.run(rent('10'), [], above))).toBe('not sent: refused');
    expect(endOf(await scripted.run(rent('8'), [], above))).toBe('held');
    for (const to of [ada, bob])
      expect(endOf(await scripted.run(transfer({ amount: '1', to }, once(to)), [paid], above))).toBe(
        'accepted',
      );
    const { id } = (await scripted.entries())[0] ?? { id: '' };
    await approve(id);
    expect(endOf(await scripted.resume(id, [], above))).toBe('not sent: refused');
    expect(endOf(await scripted.run(rent('8'), [], above))).toBe('not sent: refused');
  });
});

test('a claim is what the design says, whatever a policy, a person and the command say', async () => {
  const limits = {
    within: { SOL: {} },
    over: { SOL: { transfer: '1' } },
    'asset without a line': {},
    'recipient not allowed': { SOL: {} },
  };
  const made = (...roles: readonly (string | undefined)[]) =>
    (['proposed', 'approved'] as const).map((kind, at) => ({ ...scripted.word(kind), role: roles[at] }));
  await scripted.open().commit(async (real) => {
    for (const cell of cells(claims)) {
      if (cell.kind === 'message' || !cell.named || cell.inDoubt) continue;
      const isShared = cell.journal === 'server';
      const roles = isShared ? ['r', cell.approved === 'by another' ? 's' : 'r'] : [];
      const tx: Transaction = { ...real, decisionsOf: async () => made(...roles) };
      const policy = policyOf({
        limits: limits[cell.limits],
        ...(cell.limits === 'recipient not allowed' && { only_recipients: true }),
        ...(cell.aboveApproval && cell.limits !== 'asset without a line' && { approve_above: { SOL: '1' } }),
        ...(cell.byOther && { approvals: 'other' }),
      });
      const entry = { id: 'a', approved: cell.approved !== 'no', countsAtMs: undefined };
      const order = { spend: spend('2'), entry, proposes: cell.propose, isShared };
      const word = await spendWithin([policy], order, tx, scripted.clock.now());
      const says = { allowed: 'goes on', refused: 'refused', 'needs-approval': 'held' }[word.is];
      expect(says, JSON.stringify(cell)).toBe(allowed(cell).says);
    }
  });
});

describe('a dry run says', () => {
  type Asked = { amount?: string; entry?: Entry; isShared?: boolean; to?: string };
  const ask = (policies: Policies, { amount = '1.5', to = ada, ...more }: Asked, journal?: Journal) => {
    const order = { spend: spend(amount, to), ...anew, ...more };
    return spendWithin(policies, order, journal?.reads, scripted.clock.now());
  };
  const above = [policyOf({ limits: { SOL: { transfer: '4' } }, approve_above: { SOL: '1' } })];

  test('that it is allowed once a person has said so, and refused on a file if another role must', async () => {
    await scripted.run(rent(), [], { policies: above });
    const entry = { ...(await scripted.only()), approved: true };
    const journal = scripted.open();
    expect(await ask(above, { entry }, journal)).toMatchObject({ is: 'allowed' });
    const other = [policyOf({ limits: { SOL: {} }, approve_above: { SOL: '1' }, approvals: 'other' })];
    for (const asked of [{}, { entry }])
      expect(await ask(other, asked, journal)).toMatchObject({ failure: { fields: { rule: 'approvals' } } });
    const needed = {
      is: 'needs-approval',
      needs: 'another-role',
      why: expect.stringContaining('another database role must approve it'),
    };
    expect(await ask(other, { entry, isShared: true }, journal)).toEqual(needed);
    expect(await ask(other, { amount: '1' }, journal)).toMatchObject({ is: 'allowed' });
  });

  test('that there is room for what may have been paid when others are a day old, not itself', async () => {
    await scripted.run(transfer({ amount: '3' }, once('own')), [lost], noRetries);
    scripted.clock.advance(3_600_000);
    await scripted.run(transfer({ amount: '3', to: bob }, once('other')), [paid]);
    const [entry, other] = await scripted.entries();
    const asked = { amount: '3', ...(entry && { entry }) };
    expect(await ask([policyOf(sol({ day: '5' }))], asked, scripted.open())).toMatchObject({
      failure: {
        fields: { rule: 'day', remaining: unitsOf('2'), freeAtMs: (other?.countsAtMs ?? 0) + dayMs },
      },
    });
  });

  test('what is left, and counts nothing', async () => {
    await scripted.run(rent(), [paid]);
    const journal = scripted.open();
    const day = [policyOf({ limits: { SOL: { day: '3' } } })];
    for (const _ of [1, 2]) expect(await ask(day, {}, journal)).toMatchObject({ is: 'allowed' });
    expect(await ask(day, { amount: '2' }, journal)).toMatchObject({
      failure: { fields: { rule: 'day', remaining: unitsOf('1.5') } },
    });
    expect(await ask([policyOf({ limits: { SOL: { day: '1' } } })], {})).toMatchObject({
      failure: { fields: { rule: 'day', remaining: unitsOf('1'), freeAtMs: undefined } },
    });
  });
});

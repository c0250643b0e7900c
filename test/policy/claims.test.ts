// What the policies mean for an entry: asked in its claim, and by a dry run.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PolicyAnswer } from '../../src/once/engine/context.ts';
import { unitsOf } from '../../src/once/entry/amount.ts';
import type { Entry, Journal, Transaction } from '../../src/once/journal/journal.ts';
import type { Policies } from '../../src/policy/policy.ts';
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

const hour = 3_600_000;
const rejected = reply(400, { error: 'invalid_transfer' });

const held = (written: object): { policies: Policies } => ({ policies: [policyOf(written)] });
const aDay = (day: string): { policies: Policies } => held({ limits: { SOL: { day } } });
const rent = (amount = '1.5') => transfer({ amount }, once('rent'));

/** Of no entry on record. */
const anew = { entry: undefined, proposes: false, isShared: false };

/** What may be sent is sent. */
function sent(word: PolicyAnswer): PolicyAnswer['is'] {
  if (word.is === 'allowed') word.reserve?.();
  return word.is;
}

describe('on a shared journal', () => {
  const shared = (): Journal => ({ ...scripted.open(), isShared: true });

  test('a transfer without a name is refused before anything is journaled or sent', async () => {
    await expect(scripted.run(transfer(), [paid], { journal: shared() })).rejects.toMatchObject({
      code: 'unnamed-shared',
    });
    expect([await scripted.entries(), scripted.sent]).toEqual([[], []]);
  });

  test.each([
    ['a transfer named by --once', transfer({}, once('n')), paid],
    ['a transfer named by --run', transfer({}, run('n')), paid],
    ['a transfer named by a key', transfer({}, key('k')), paid],
    ['a message without a name', message(), posted],
  ] as const)('%s is sent', async (_what, order, answer) => {
    expect(endOf(await scripted.run(order, [answer], { journal: shared() }))).toBe('accepted');
  });
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

  test('what it has spent itself is not spent twice, and what others spent is', async () => {
    await scripted.run(rent('3'), [lost], { ...noRetries, ...aDay('5') });
    expect(endOf(await scripted.run(transfer({ amount: '3' }, once('b')), [], aDay('5')))).toBe(
      'not sent: refused',
    );
    expect(endOf(await scripted.run(transfer({ amount: '2' }, once('c')), [paid], aDay('5')))).toBe(
      'accepted',
    );
    expect(endOf(await scripted.run(rent('3'), [paid], aDay('5')))).toBe('accepted');
    expect(endOf(await scripted.run(transfer({ amount: '0.1' }, once('d')), [], aDay('5')))).toBe(
      'not sent: refused',
    );
  });

  test('what is claimed in one commit counts at once, and what waits for a person does not', async () => {
    const policies = [policyOf({ limits: { SOL: { day: '9' } }, approve_above: { SOL: '4' } })];
    const said = await scripted.open().commit(async (tx) => {
      const words: string[] = [];
      for (const amount of ['8', '4', '4', '4', '1', '1']) {
        const order = {
          spend: { to: ada, asset: 'SOL', assetNames: ['sol'], units: unitsOf(amount) },
          ...anew,
        };
        words.push(sent(await spendWithin(policies, order, tx, scripted.clock.now())));
      }
      return words;
    });
    expect(said).toEqual(['needs-approval', 'allowed', 'allowed', 'refused', 'allowed', 'refused']);
  });

  test('what is only asked about takes nothing from what is sent in the same commit', async () => {
    const { policies } = aDay('4');
    const spend = { to: ada, asset: 'SOL', assetNames: ['sol'], units: unitsOf('1.5') };
    const said = await scripted.open().commit(async (tx) => {
      const ask = (): Promise<PolicyAnswer> =>
        spendWithin(policies, { spend, ...anew }, tx, scripted.clock.now());
      const [asked, first, second] = [(await ask()).is, sent(await ask()), sent(await ask())];
      return [asked, first, second, (await ask()).is];
    });
    expect(said).toEqual(['allowed', 'allowed', 'allowed', 'refused']);
  });

  test('what is claimed in one commit counts in all assetNames, whichever was claimed', async () => {
    const policies = [policyOf({ limits: { MINT: {}, usdc: { day: '9' } } })];
    const said = await scripted.open().commit(async (tx) => {
      const words: string[] = [];
      for (const asset of ['USDC', 'MINT', 'MINT', 'USDC']) {
        const spend = { to: ada, asset, assetNames: ['mint', 'usdc'], units: unitsOf('4') };
        words.push(sent(await spendWithin(policies, { spend, ...anew }, tx, scripted.clock.now())));
      }
      return words;
    });
    expect(said).toEqual(['allowed', 'allowed', 'refused', 'refused']);
  });

  test('what is claimed again in one commit with others is not counted twice', async () => {
    await scripted.run(rent('3'), [lost], { ...noRetries, ...aDay('9') });
    const entry = await scripted.only();
    scripted.clock.advance(2 * hour);
    const { policies } = aDay('5');
    const said = await scripted.open().commit(async (tx) => {
      const words: string[] = [];
      const again = {
        spend: { to: ada, asset: 'SOL', assetNames: ['sol'], units: unitsOf('3') },
        ...anew,
        entry,
      };
      const other = {
        spend: { to: bob, asset: 'SOL', assetNames: ['sol'], units: unitsOf('1') },
        ...anew,
      };
      for (const order of [again, other, other, other])
        words.push(sent(await spendWithin(policies, order, tx, scripted.clock.now())));
      return words;
    });
    expect(said).toEqual(['allowed', 'allowed', 'allowed', 'refused']);
  });

  test('what was spent before there was a policy counts, and what was given back since does not', async () => {
    const earlier = (name: string, to = ada) => transfer({ amount: '1', to }, once(name));
    await scripted.run(earlier('paid'), [paid]);
    await scripted.run(earlier('paid bob', bob), [paid]);
    await scripted.run(earlier('unknown'), [lost], { ...noRetries, besides: 'all' });
    await scripted.run(earlier('rejected'), [rejected], { besides: 'all' });
    await scripted.run(earlier('unsent'), [unsent], { ...noRetries, besides: 'all' });
    scripted.clock.advance(hour / 3);
    const left = async (line: object, amount: string): Promise<string> =>
      endOf(
        await scripted.run(transfer({ amount }, once(`n ${amount}`)), [unsent], {
          ...noRetries,
          ...held({ limits: { SOL: line } }),
        }),
      );
    expect(await left({ day: '5' }, '2.1')).toBe('not sent: refused');
    expect(await left({ day: '5' }, '2')).toBe('open');
    // It is its own: not spent twice.
    expect(endOf(await scripted.run(earlier('unknown'), [paid], aDay('3')))).toBe('accepted');
    expect(await left({ day: '3' }, '0.1')).toBe('not sent: refused');
    const [, , unknown] = await scripted.entries();
    expect(unknown).toMatchObject({ name: 'unknown', state: 'accepted' });
  });

  test('it is a day, and then there is room again', async () => {
    await scripted.run(rent('3'), [paid], aDay('5'));
    const next = (name: string) => scripted.run(transfer({ amount: '3' }, once(name)), [paid], aDay('5'));
    scripted.clock.advance(24 * hour - 1);
    const refused = await next('b');
    expect(refused).toMatchObject({
      because: 'refused',
      failure: { fields: { rule: 'day', remaining: unitsOf('2'), freeAtMs: scripted.clock.now() + 1 } },
    });
    scripted.clock.advance(1);
    expect(endOf(await next('b'))).toBe('accepted');
  });
});

describe('a person’s word', () => {
  const above = held({ limits: { SOL: { day: '9' } }, approve_above: { SOL: '1' } });
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
  const spend = { to: ada, asset: 'SOL', assetNames: ['sol'], units: unitsOf('2') };
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
      const order = { spend, entry, proposes: cell.propose, isShared };
      const word = await spendWithin([policy], order, tx, scripted.clock.now());
      const says = { allowed: 'goes on', refused: 'refused', 'needs-approval': 'held' }[word.is];
      expect(says, JSON.stringify(cell)).toBe(allowed(cell).says);
    }
  });
});

describe('a dry run says', () => {
  type Asked = { amount?: string; entry?: Entry; isShared?: boolean; to?: string };
  const ask = (policies: Policies, { amount = '1.5', to = ada, ...more }: Asked, journal?: Journal) => {
    const order = {
      spend: { to, asset: 'SOL', assetNames: ['sol'], units: unitsOf(amount) },
      ...anew,
      ...more,
    };
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

  test('no entry’s own twice', async () => {
    await scripted.run(transfer({ amount: '1' }, once('a')), [paid]);
    await scripted.run(transfer({ amount: '2', to: bob }, once('b')), [paid]);
    await scripted.run(transfer({ amount: '5', asset: 'USDC' }, once('c')), [paid]);
    await scripted.run(transfer({ amount: '3' }, once('d')), [lost], noRetries);
    const journal = scripted.open();
    const day = [policyOf({ limits: { SOL: { day: '6' } } })];
    const unknown = (await scripted.entries())[3];
    expect(await ask(day, { amount: '3', ...(unknown && { entry: unknown }) }, journal)).toMatchObject({
      is: 'allowed',
    });
    expect(await ask(day, { amount: '3' }, journal)).toMatchObject({
      failure: { fields: { remaining: 0n } },
    });
  });
});

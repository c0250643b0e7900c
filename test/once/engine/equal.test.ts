import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { settleAsPaid } from '../../../src/once/engine/paidAs.ts';
import { identify, newEntry } from '../../../src/once/engine/plan.ts';
import { assetNamesIn } from '../../../src/once/entry/assetNames.ts';
import type { Order } from '../../../src/once/entry/naming.ts';
import {
  ada,
  bob,
  endOf,
  lost,
  noRetries,
  once,
  paid,
  ScriptedEngine,
  transfer,
} from '../../support/scriptedEngine.ts';
import { cells, equal, equalPayment, equalWithin, settlings } from './design.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

const hour = 3_600_000;
const rent = transfer({}, once('rent'));
const other = transfer({}, once('rent-again'));

test('what settles a row is what the design says', { timeout: 60_000 }, async () => {
  const about = { mode: 'batch row', named: true, skipRepeats: true, sameOrigin: true } as const;
  const none = { inDoubt: false, proposes: false, sameEntry: false, rowOfInput: false, repeat: false };
  const asked = { ...about, ...none, asks: false, saidYes: false, wasThere: false, heldInDoubt: true };
  const others = ['accepted', 'unknown', 'resolved as happened'] as const;
  for (const cell of cells({ state: others, ...settlings })) {
    const { state, proven, severalRows, hasSettled, rowOfName } = cell;
    const at = new ScriptedEngine();
    try {
      const row = (name: string, id: string) => ({ by: 'row', name, row: `id:${id}`, id }) as const;
      const other = transfer({}, rowOfName ? row('payroll', 'x1') : once('rent'));
      await at.run(other, [state === 'accepted' ? paid : lost], noRetries);
      const paying = await at.only();
      if (state === 'resolved as happened') await at.decide(paying.id, 'happened');
      const saw = { signature: 's', genesis: 'g', facts: '{}', atMs: at.clock.now() };
      const look = { ...saw, verdict: proven ? 'proven' : 'likely' } as const;
      await at.look((journal) =>
        journal.commit(async (tx) => {
          await tx.keepReceipts(paying.id, [{ origin: 'g', what: 'signature', value: 's' }]);
          await tx.observe(paying.id, look);
        }),
      );
      const engine = at.engine();
      const settle = (order: Order, oneOfSeveral: boolean) =>
        settleAsPaid(identify(order, engine.bot, engine.journal), paying, engine, oneOfSeveral);
      const word = { ...at.word('happened'), reason: paying.id };
      if (hasSettled)
        await engine.journal.commit(async (tx) => {
          const order = transfer({}, row('bonus', 'b1'));
          const entry = newEntry(identify(order, engine.bot, engine.journal), engine.bot, engine.chance.uuid);
          const { id } = await tx.propose(entry, 'approval', at.clock.now());
          await tx.decide(id, word);
        });
      const end = endOf(await settle(transfer({}, row('payroll', 'r1')), severalRows));
      const { does } = equalPayment({ ...asked, state, mayHavePaid: 'within 12 h' }, cell);
      const ends = does === 'skip as resolved' ? 'resolved' : 'not sent: paid-already';
      expect(end, JSON.stringify(cell)).toBe(ends);
    } finally {
      at.remove();
    }
  }
});

describe('an equal payment under another entry', () => {
  test('counts for 12 hours from its latest attempt, and in doubt for ever', async () => {
    await scripted.run(rent, [paid]);
    await scripted.run(transfer({ to: bob }, once('in doubt')), [lost], noRetries);
    scripted.clock.advance(equalWithin + 1);
    expect(endOf(await scripted.run(other, [paid]))).toBe('accepted');
    scripted.clock.advance(1000 * hour);
    expect(endOf(await scripted.run(transfer({ to: bob }, once('later'))))).toBe('not sent: paid-already');
  });

  test('is asked about where a person is: Yes pays that one, and no other', async () => {
    await scripted.run(rent, [paid]);
    const engine = scripted.engine();
    const { claim } = await import('../../../src/once/engine/claim.ts');
    const seen: (string | undefined)[] = [];
    const step = await claim(other, engine, async (_plan, course) => {
      seen.push(course.is === 'paid-already' ? course.equal.name : undefined);
      return 'pay';
    });
    expect(seen).toEqual(['rent']);
    expect(step.is).toBe('claim');
    const third = transfer({}, once('third'));
    expect(await claim(third, scripted.engine(), async () => 'go')).toMatchObject({
      because: 'paid-already',
    });
  });
});

describe('equal is', () => {
  const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v';
  const assets = [{ name: 'USDC', mint }];
  const payments = [
    { to: ada, asset: 'SOL', amount: '1.5' },
    { to: bob, asset: 'SOL', amount: '1.5' },
    { to: ada, asset: 'SOL', amount: '15' },
    { to: ada, asset: 'sol', amount: '1.5' },
    { to: ada, asset: 'USDC', amount: '1.5' },
    { to: ada, asset: 'usdc', amount: '1.5' },
    { to: ada, asset: mint, amount: '1.5' },
  ];

  test.each(payments)('what the design says: $to $asset $amount', async (first) => {
    for (const [index, second] of payments.entries()) {
      const at = new ScriptedEngine();
      try {
        await at.run(transfer(first, once('first')), [paid]);
        const assetNames = assetNamesIn([{ USDC: mint }]);
        const end = endOf(await at.run(transfer(second, once('second')), [paid], { assetNames }));
        expect(end, JSON.stringify({ index })).toBe(
          equal(first, second, assets) ? 'not sent: paid-already' : 'accepted',
        );
      } finally {
        at.remove();
      }
    }
  });

  test('at one origin, whatever the path and the bot', async () => {
    await scripted.run(rent, [paid]);
    const path = 'https://bots.example/v2' as never;
    expect(endOf(await scripted.run(other, [], { spelledUrl: path, bot: 'second' }))).toBe(
      'not sent: paid-already',
    );
    const elsewhere = 'https://elsewhere.example' as never;
    expect(endOf(await scripted.run(other, [paid], { spelledUrl: elsewhere }))).toBe('accepted');
  });
});

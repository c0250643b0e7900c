import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { EngineContext } from '../../../src/once/engine/context.ts';
import { codeAhead, decide } from '../../../src/once/engine/decide.ts';
import { outcomeToTell } from '../../../src/once/engine/outcome.ts';
import type { Plan } from '../../../src/once/engine/plan.ts';
import { exitOf, type Failure } from '../../../src/once/failures.ts';
import { whyClosed } from '../../../src/once/journal/failures.ts';
import type { Closing, Entry } from '../../../src/once/journal/journal.ts';
import { policyOf } from '../../support/policies.ts';
import {
  lost,
  noRetries,
  once,
  paid,
  ScriptedEngine,
  transfer,
  unsent,
} from '../../support/scriptedEngine.ts';
import { type Attempt, attempts, becomes } from './decided.ts';
import { cells } from './design.ts';

const closings: Readonly<Record<Attempt['journal'], readonly Closing[]>> = {
  open: [],
  closed: [
    { kind: 'person', who: 'ada@here', atMs: 0, reason: 'a look', endedAtMs: undefined, endedBy: undefined },
  ],
  moved: [
    { kind: 'moved', who: 'ada@here', atMs: 0, reason: 'a server', endedAtMs: undefined, endedBy: undefined },
  ],
};

test('what is decided is what the design says, and a command would end so', () => {
  const found = { id: 'a', bot: 'tips' } as Entry;
  const plans: Readonly<Record<Attempt['about'], Exclude<Plan, { is: 'name-taken' }>>> = {
    new: { is: 'new-entry', entry: undefined },
    'never sent': { is: 'send-same-key', entry: found },
    'in doubt': { is: 'retry', entry: found },
  };
  const words = {
    'allows it': { is: 'allowed' },
    'refuses it': { is: 'refused', failure: { code: 'policy-limit' } as Failure },
    'wants an approval': { is: 'needs-approval', why: 'asked for' },
  } as const;
  let asked = 0;
  for (const cell of cells(attempts)) {
    const answers = {
      policy: words[cell.policy],
      closed: whyClosed('journal.db', closings[cell.journal]),
      equal: cell.equalPaid ? [{ id: 'other' } as Entry] : [],
      isNamed: cell.named,
    };
    const { does, code, exit } = becomes(cell);
    const plan = plans[cell.about];
    const course = decide(plan, answers);
    expect(course.is, JSON.stringify(cell)).toBe(does);
    // What is done is done to what is on record.
    if ('entry' in course) expect(course.entry).toBe(plan.entry);
    const ahead = codeAhead(plan, answers, { name: 'tips' });
    expect([ahead, ahead && exitOf(ahead)], JSON.stringify(cell)).toEqual([code, exit]);
    asked += 1;
  }
  expect(asked).toBe(108);
});

test('what becomes of it is what the design says, and what is not sent stays as it was', async () => {
  const rent = (named: boolean, amount = '1.5') =>
    transfer({ amount }, named ? once('rent') : { by: 'nothing' });
  const limits = {
    'allows it': { limits: { SOL: {} } },
    'refuses it': { limits: { SOL: { transfer: '1.2' } } },
    'wants an approval': { limits: { SOL: {} }, approve_above: { SOL: '1' } },
  };
  for (const cell of cells(attempts)) {
    const { about, policy, journal: standing, equalPaid, named } = cell;
    const scripted = new ScriptedEngine(existsSync('/dev/shm') ? '/dev/shm' : undefined);
    try {
      if (equalPaid) await scripted.run(transfer({}, once('other')), [paid]);
      // Its name may be given to another amount as long as nothing has left.
      const first = rent(named, about === 'never sent' && named ? '1' : '1.5');
      const reply = about === 'in doubt' ? lost : unsent;
      if (about !== 'new') await scripted.run(first, [reply], { ...noRetries, besides: 'all' });
      const before = (await scripted.entries()).slice(equalPaid ? 1 : 0);
      const sent = scripted.sent.length;
      const journal = scripted.open();
      const commit: EngineContext['commit'] = (work, guards) =>
        journal.commit((tx) => work({ ...tx, closings: async () => closings[standing] }), guards);
      const changes = { policies: [policyOf(limits[policy])], journal, commit };
      const outcome = await scripted.run(rent(named), [paid], changes);
      const { does, code, exit } = becomes(cell);
      const ended = outcomeToTell(outcome).code;
      expect.soft([ended, ended && exitOf(ended)], JSON.stringify(cell)).toEqual([code, exit]);
      const after = (await scripted.entries()).slice(equalPaid ? 1 : 0);
      expect.soft(scripted.sent.length - sent, JSON.stringify(cell)).toBe(does === 'send' ? 1 : 0);
      if (does === 'leave' || does === 'refuse' || does === 'paid-already')
        expect.soft(after, JSON.stringify(cell)).toEqual(before);
      const amountOf = ({ body }: Entry) =>
        (JSON.parse(Buffer.from(body).toString()) as { amount: string }).amount;
      if (does === 'send' || does === 'propose') expect.soft(after.map(amountOf)).toEqual(['1.5']);
      const why = after[0]?.heldReason;
      if (does === 'hold') expect.soft(why).toBe('not-allowed');
      if (does === 'propose') expect.soft(why).toBe('approval');
    } finally {
      scripted.remove();
    }
  }
}, 120_000);

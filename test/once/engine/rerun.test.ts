import { expect, test } from 'vitest';
import { allowed } from '../../../src/once/engine/context.ts';
import { codeAhead } from '../../../src/once/engine/decide.ts';
import type { Plan } from '../../../src/once/engine/plan.ts';
import { meaningOf, planFor, planKinds, type RerunFacts } from '../../../src/once/engine/planKinds.ts';
import { exitOf } from '../../../src/once/failures.ts';
import type { Entry, State } from '../../../src/once/journal/journal.ts';
import { cells, decide, type Found as InDesign, impossible, plans, situations } from './design.ts';

type State0 = Exclude<InDesign, 'none'>;

/** The states of the design as they stand in a journal. */
const stateOf = (found: State0): Pick<RerunFacts, 'state' | 'resolvedAs' | 'ownerAlive'> => {
  const ownerAlive = found === 'sending, owner alive';
  if (found.startsWith('sending')) return { state: 'sending', resolvedAs: undefined, ownerAlive };
  const resolvedAs = (
    { 'resolved as happened': 'happened', 'resolved as did-not-happen': 'did-not-happen' } as const
  )[found as 'resolved as happened'];
  return { state: resolvedAs === undefined ? (found as State) : 'resolved', resolvedAs, ownerAlive };
};

test('a re-run is what the design says, for everything that a journal may have', () => {
  const used = new Set<string>();
  for (const cell of cells(situations)) {
    if (cell.found === 'none' || impossible(cell) !== undefined) continue;
    const { kind, named, given, doubt, proposal, reported, latest } = cell;
    const plan = planFor({
      ...stateOf(cell.found),
      kind: kind === 'payment' ? 'transfer' : 'message',
      wasInDoubt: doubt !== 'never',
      named,
      sameBot: given !== 'another bot',
      sameBody: given !== 'another body',
      decided: proposal !== 'never' || cell.found.startsWith('resolved'),
      reported,
      // Without an attempt, it was left out because another entry had paid it. Such rows have names.
      recent: latest !== 'older' && latest !== 'no attempt',
      holds: cell.tooOld || (kind === 'payment' && cell.anotherToken),
    });
    used.add(plan);
    if (plan !== decide(cell).plan) expect.fail(JSON.stringify({ plan, cell, design: decide(cell) }));
  }
  expect([...used].sort()).toEqual(Object.keys(planKinds).sort());
});

test('each plan means what the design says', () => {
  const found = { bot: 'tips', state: 'held' } as Entry;
  const answers = { policy: allowed, closed: undefined, equal: [], isNamed: true };
  for (const [plan, { sends, exit }] of Object.entries(plans)) {
    const meaning = meaningOf({ is: plan as keyof typeof plans });
    expect.soft(meaning.sends !== 'nothing', plan).toBe(sends);
    const code = codeAhead({ is: plan, entry: found, why: 'too-old' } as Plan, answers, { name: 'tips' });
    expect.soft(code === undefined ? [0, 'as it ends'] : [exitOf(code)], plan).toContain(exit);
    expect.soft(meaning.asks === 'do-again', plan).toBe(plan === 'already-done');
  }
});

// What a plan rests on beside the table of re-runs: other URLs, names, declined bodies, what would be repeated.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { execute } from '../../../src/once/engine/execute.ts';
import { identify, makePlan, planOfNewJournal } from '../../../src/once/engine/plan.ts';
import { mayHaveTakenEffect } from '../../../src/once/engine/standing.ts';
import { claimedBy } from '../../../src/once/failures.ts';
import { states } from '../../../src/once/journal/columns.ts';
import { policyOf } from '../../support/policies.ts';
import {
  endOf,
  message,
  once,
  paid,
  posted,
  ScriptedEngine,
  transfer,
} from '../../support/scriptedEngine.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

const rent = (amount = '1.5') => transfer({ amount }, once('rent'));

describe('a plan', () => {
  test('on an empty journal is the one without a journal', async () => {
    const engine = scripted.engine();
    const identity = identify(rent(), engine.bot, engine.journal);
    expect(await makePlan(identity, engine, engine.journal.reads)).toEqual(planOfNewJournal);
  });

  test('is in doubt of what is unknown or being sent', () => {
    const doubtful = states.filter((state) => mayHaveTakenEffect({ state }));
    expect([doubtful.toSorted(), mayHaveTakenEffect(undefined)]).toEqual([['sending', 'unknown'], false]);
  });
});

describe('a claim', () => {
  test('is noted for the end of the process, and what is not claimed is not', async () => {
    const engine = scripted.engine();
    scripted.script.push(posted);
    await execute(message('Hello', once('n')), engine);
    const { id } = await scripted.only();
    expect(id).toMatch(/^[0-9a-f]{12}$/u);
    await execute(message('Hello', once('n')), engine);
    expect(claimedBy(engine.interrupts)).toEqual({ entries: 1, lastId: id });
  });

  test('refused by a policy begins nothing anew', async () => {
    await scripted.runAndReport(transfer());
    scripted.clock.advance(12 * 3_600_000 + 1);
    const refused = await scripted.run(transfer(), [], { policies: [policyOf({ limits: {} })] });
    expect(refused).toEqual({ is: 'not-sent', because: 'refused', failure: expect.anything() });
  });
});

describe('a question', () => {
  const asked = (answer: () => 'no' | 'go') => execute(transfer(), scripted.engine(), async () => answer());
  const unanswered = () => {
    throw new Error('nobody answered');
  };

  test('that nobody answers is told where nothing is in doubt', async () => {
    await expect(asked(unanswered)).rejects.toThrow('nobody answered');
    await scripted.run(transfer(), [paid]);
    await expect(asked(unanswered)).rejects.toThrow('nobody answered');
    expect(endOf(await asked(() => 'no'))).toBe('not sent: declined');
  });
});

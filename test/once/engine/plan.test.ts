// What a plan rests on beside the table of re-runs: other URLs, names, declined bodies, what would be repeated.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EngineContext } from '../../../src/once/engine/context.ts';
import { execute } from '../../../src/once/engine/execute.ts';
import type { Outcome } from '../../../src/once/engine/outcome.ts';
import { identify, makePlan, planOfNewJournal } from '../../../src/once/engine/plan.ts';
import { mayHaveTakenEffect } from '../../../src/once/engine/standing.ts';
import type { Order } from '../../../src/once/entry/naming.ts';
import { claimedBy } from '../../../src/once/failures.ts';
import { states } from '../../../src/once/journal/columns.ts';
import type { Entry } from '../../../src/once/journal/journal.ts';
import { policyOf } from '../../support/policies.ts';
import {
  endOf,
  lost,
  message,
  noRetries,
  once,
  paid,
  posted,
  ScriptedEngine,
  transfer,
  unsent,
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

describe('what the disk has changed', () => {
  const named = transfer({}, once('rent'));

  /** A run whose journal reads an entry otherwise than it was written. */
  async function runOn(change: Partial<Entry>, order: Order): Promise<Outcome> {
    const journal = scripted.open();
    const changed = (found: Entry | undefined) => found && { ...found, ...change };
    const commit: EngineContext['commit'] = (work, guards) =>
      journal.commit(
        (tx) =>
          work({
            ...tx,
            findByKey: async (scope, key) => changed(await tx.findByKey(scope, key)),
            get: async (id) => changed(await tx.get(id)) as Entry,
            startAttempt: async (...given) => changed(await tx.startAttempt(...given)) as Entry,
          }),
        guards,
      );
    return scripted.run(order, [paid], { journal, commit });
  }
  const other = { body: Buffer.from('{"amount":"9"}') };

  test.each([
    ['what was done', [paid], named, { kind: 'entry-changed', fields: { before: 'done' } }],
    [
      'what another body is compared with',
      [paid],
      rent('2'),
      { kind: 'entry-changed', fields: { before: undefined } },
    ],
    ['a request', [unsent], named, { kind: 'entry-changed', fields: { before: undefined } }],
    ['a request in doubt', [lost], named, { kind: 'entry-changed', fields: { before: 'in-doubt' } }],
  ] as const)('is not told or sent: %s', async (_what, replies, order, failure) => {
    await scripted.run(named, replies, noRetries);
    await expect(runOn(other, order)).rejects.toMatchObject(failure);
    expect(scripted.sent).toHaveLength(1);
  });
});

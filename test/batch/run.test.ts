import { expect, test } from 'vitest';
import { type BatchPlan, lookAgain, type Row, rowsToDo } from '../../src/batch/plan.ts';
import { runBatch } from '../../src/batch/run.ts';
import type { EngineContext } from '../../src/once/engine/context.ts';
import { settleAsPaid } from '../../src/once/engine/paidAs.ts';
import { identify } from '../../src/once/engine/plan.ts';
import type { Order } from '../../src/once/entry/naming.ts';
import type { Journal } from '../../src/once/journal/journal.ts';
import {
  bob,
  lost,
  message,
  noRetries,
  once,
  paid,
  posted,
  ScriptedEngine,
  transfer,
} from '../support/scriptedEngine.ts';

function rowOf(order: Order, context: EngineContext, nth = 0): Row {
  const head = {
    line: nth + 2,
    ordinal: nth + 1,
    id: `${nth}`,
    columns: undefined,
    written: {},
    paidAs: undefined,
  };
  const untold = { equal: undefined, equalIds: [], entry: undefined, outcome: undefined, problem: undefined };
  const identity = identify(order, context.bot, context.journal);
  return { ...head, ...untold, identity, ahead: 'to-send', sent: false };
}

const plannedOf = (rows: readonly Row[]): BatchPlan =>
  ({ rows, keys: new Set<string>() }) as Partial<BatchPlan> as BatchPlan;

const asUsual = {
  order: { kind: 'message', name: 'b', recipients: [] as never },
  concurrency: 4,
  ratePerS: undefined,
  maxFailures: undefined,
  repeats: undefined,
  onWaiting: () => {},
  onEnd: async () => {},
} as const;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('rows that nobody has been told of yet stop a batch, and it goes on when they are told', async () => {
  const engine = new ScriptedEngine();
  try {
    const context = engine.engine();
    const rows = Array.from({ length: 40 }, (_none, nth): Row => {
      const order = message(`Hello ${nth}`, { by: 'row', name: 'b', row: `id:${nth}`, id: `${nth}` });
      return rowOf(order, context, nth);
    });
    engine.script.push(...rows.map(() => posted));
    let read = (): void => {};
    const isRead = new Promise<void>((resolve) => {
      read = resolve;
    });
    const told: string[] = [];
    const running = runBatch(plannedOf(rows), {
      ...asUsual,
      engine: context,
      onEnd: async (row) => {
        told.push(row.id ?? '');
        await isRead;
      },
    });
    while (told.length < 8) await turn();
    for (let turns = 0; turns < 200; turns += 1) await turn();
    expect(engine.sent).toHaveLength(8);
    read();
    expect(await running).toBeUndefined();
    expect(told).toHaveLength(40);
  } finally {
    engine.remove();
  }
});

test('a row is not settled under an id that was taken meanwhile by another payment, or bot', async () => {
  const engine = new ScriptedEngine();
  try {
    const row = { by: 'row', name: 'b', row: 'id:r1', id: 'r1' } as const;
    await engine.run(transfer({ to: bob }, row), [paid]);
    await engine.run(transfer({}, once('rent')), [paid]);
    const [, rent] = await engine.entries();
    const because: string[] = [];
    for (const bot of ['tips', 'second']) {
      const context = engine.engine({ bot });
      const identity = identify(transfer({}, row), context.bot, context.journal);
      const outcome = await settleAsPaid(identity, { id: rent?.id ?? '' }, context, false);
      because.push(outcome.is === 'not-sent' ? outcome.because : outcome.is);
    }
    expect(because).toEqual(['other-body', 'other-bot']);
  } finally {
    engine.remove();
  }
});

test('a row that a person decided did not happen is not sent, however this run meets it', async () => {
  const engine = new ScriptedEngine();
  try {
    const order = message('Hello', { by: 'row', name: 'b', row: 'id:0', id: '0' });
    await engine.run(order, [lost], noRetries);
    const { id } = await engine.only();
    const context = engine.engine(noRetries);
    const row = rowOf(order, context);
    // Decided as the lost reply is recorded.
    const commitTogether: Journal['commitTogether'] = (works) =>
      context.journal.commitTogether(
        works.map(({ work, guards }) => ({
          guards,
          work: (tx) => {
            const conclude: typeof tx.conclude = async (...end) => {
              const isOwn = await tx.conclude(...end);
              await tx.decide(id, engine.word('did-not-happen'));
              return isOwn;
            };
            return work({ ...tx, conclude });
          },
        })),
      );
    engine.script.push(lost);
    await runBatch(plannedOf([row]), {
      ...asUsual,
      engine: { ...context, journal: { ...context.journal, commitTogether } },
    });
    expect(row.outcome).toBe('not-sent');
    row.outcome = undefined;
    await lookAgain(rowsToDo({ rows: [row] }), context);
    expect(row.outcome).toBe('not-sent');
  } finally {
    engine.remove();
  }
});

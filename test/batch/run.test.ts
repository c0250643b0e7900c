import { expect, test } from 'vitest';
import type { BatchPlan, Row } from '../../src/batch/plan.ts';
import { runBatch } from '../../src/batch/run.ts';
import { identify } from '../../src/once/engine/plan.ts';
import { message, posted, ScriptedEngine } from '../../testing/scriptedEngine.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('rows that nobody has been told of yet stop a batch, and it goes on when they are told', async () => {
  const engine = new ScriptedEngine();
  try {
    const context = engine.engine();
    const rows = Array.from({ length: 40 }, (_none, nth): Row => {
      const order = message(`Hello ${nth}`, { by: 'row', name: 'b', row: `id:${nth}`, id: `${nth}` });
      const identity = identify(order, context.bot, context.journal);
      const head = { line: nth + 2, ordinal: nth + 1, id: `${nth}`, columns: undefined };
      const untold = { equal: undefined, entry: undefined, outcome: undefined, problem: undefined };
      return { ...head, ...untold, identity, standing: 'new', sent: false };
    });
    engine.script.push(...rows.map(() => posted));
    let read = (): void => {};
    const isRead = new Promise<void>((resolve) => {
      read = resolve;
    });
    const told: string[] = [];
    const running = runBatch({ rows } as Partial<BatchPlan> as BatchPlan, {
      order: { kind: 'message', name: 'b', recipients: [] as never },
      engine: context,
      concurrency: 4,
      ratePerS: undefined,
      maxFailures: undefined,
      repeats: undefined,
      onWaiting: () => {},
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

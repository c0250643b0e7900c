import { expect, test } from 'vitest';
import { type Row, totalsOf } from '../../src/batch/plan.ts';
import { type RowAhead, rowStates } from '../../src/batch/rowState.ts';
import { identify } from '../../src/once/engine/plan.ts';
import { formatAmount } from '../../src/once/entry/amount.ts';
import { ScriptedEngine, transfer } from '../support/scriptedEngine.ts';

test('what a run would send leaves out rows that are done, wait for a person or cannot be sent', () => {
  const engine = new ScriptedEngine();
  try {
    const { bot, journal } = engine.engine();
    const identity = identify(transfer({ amount: '1.5' }), bot, journal);
    const leftOf = (ahead: RowAhead): string | undefined => {
      const row: Partial<Row> = { identity, ahead };
      const total = totalsOf({ rows: [row as Row] }).get('SOL');
      return total && formatAmount(total.left);
    };
    const left = ['to-send' as const, ...rowStates].filter((ahead) => leftOf(ahead) === '1.5');
    expect(left).toEqual(['to-send', 'sending']);
  } finally {
    engine.remove();
  }
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import { BatchPace, InFlightLimit } from '../../src/batch/pace.ts';
import { runRows } from '../../src/batch/runRows.ts';
import { Sheet } from '../../src/batch/sheet.ts';
import { type RowEnd, StopRules } from '../../src/batch/stopRules.ts';
import { lost, noRetries, posted, reply, ScriptedEngine } from '../../testing/scriptedEngine.ts';

let scripted: ScriptedEngine;
let sheet: Sheet;
beforeEach(() => {
  scripted = new ScriptedEngine();
  sheet = new Sheet();
});
afterEach(() => {
  sheet.close();
  scripted.remove();
});

function addRows(count: number): void {
  for (let ordinal = 1; ordinal <= count; ordinal += 1) {
    const request = JSON.stringify({ content: `row ${ordinal}`, conversation_id: 'conv_1' });
    const rest = { id: undefined, intent: undefined, problem: undefined };
    sheet.add({ ordinal, line: ordinal, row: `r${ordinal}`, standing: 'new', request, ...rest });
  }
}

test('a row is explained once, and what is said of it is what the report says', async () => {
  addRows(3);
  scripted.script.push(posted, reply(404), lost);
  const engine = scripted.engine({ ...noRetries, journal: scripted.open() });
  const rules = new StopRules({ kind: 'message', concurrency: 1, maxFailures: undefined });
  const explained: RowEnd[] = [];
  const told: number[] = [];
  const explain = (end: RowEnd) => {
    explained.push(end);
    const tell = async () => void told.push(end.row.ordinal);
    return end.ending.code === undefined
      ? { tell }
      : Promise.resolve({ problem: `${end.ending.code} in line ${end.row.line}`, tell });
  };
  const { counts, needs } = await runRows({
    order: { kind: 'message', name: 'news', recipients: 'any' },
    sheet,
    engine,
    pace: new BatchPace(engine.clock),
    rules,
    inFlightLimit: new InFlightLimit(1, rules.signal),
    lanes: { count: 1, isAhead: false },
    rows: 3,
    onWaiting: () => {},
    explain,
  });
  expect(explained.map(({ row, sent }) => [row.ordinal, sent])).toEqual([
    [1, true],
    [2, true],
    [3, true],
  ]);
  expect(told).toEqual([1, 2, 3]);
  expect([...sheet.rows()].map(({ outcome, problem }) => [outcome, problem])).toEqual([
    ['accepted', undefined],
    ['rejected', 'not-found in line 2'],
    ['unknown', 'unknown in line 3'],
  ]);
  expect(counts).toMatchObject({ accepted: 1, rejected: 1, unknown: 1 });
  expect([...needs]).toEqual(['after-fix', 'same-command']);
});

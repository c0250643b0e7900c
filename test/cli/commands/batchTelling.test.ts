import { describe, expect, test } from 'vitest';
import type { ReportFile } from '../../../src/batch/report.ts';
import type { SheetRow } from '../../../src/batch/sheet.ts';
import type { RowEnd } from '../../../src/batch/stopRules.ts';
import type { Batch } from '../../../src/cli/commands/batch/options.ts';
import { RowTeller } from '../../../src/cli/commands/batch/telling.ts';
import { ParsedArgs } from '../../../src/cli/parse/command.ts';
import { endingOf, type Outcome } from '../../../src/once/engine/outcome.ts';

const accepted = { is: 'concluded', intent: { state: 'accepted', kind: 'message' } } as Outcome;
const declined: Outcome = { is: 'not-sent', because: 'declined' };

function endOf(outcome: Outcome): RowEnd {
  return { row: { line: 2, id: 'a' } as SheetRow, ending: endingOf(outcome), sent: true };
}

/** Tells people, on a display that keeps what it was given. */
function tellerFor({ report }: { report?: ReportFile } = {}) {
  const shown: string[] = [];
  const display = { face: 'human', warn: (text: string) => shown.push(text) };
  const given = new ParsedArgs('batch send', [], [], new Set(['report', 'once']));
  const teller = new RowTeller({ given, context: { display }, report } as unknown as Batch);
  return { teller, shown };
}

describe('a row’s end is put in words', () => {
  test('where it is not well: once, for its line and for the report', async () => {
    const { teller, shown } = tellerFor();
    const { problem, tell } = await teller.explain(endOf(declined), 0);
    await tell();
    expect(shown).toEqual([`line 2 (id a): ${problem}`]);
  });

  test('nowhere else: what is well is not even waited for', async () => {
    const { teller, shown } = tellerFor();
    const explained = teller.explain(endOf(accepted), 0);
    expect(explained).not.toBeInstanceOf(Promise);
    const { problem, tell } = await explained;
    await tell();
    expect([problem, shown]).toEqual([undefined, []]);
  });

  test('no more once no further row is listed, unless a report is asked for', async () => {
    for (const [report, words] of [
      [undefined, undefined],
      [{} as ReportFile, 'Answered No. This row was not sent this time.'],
    ] as const) {
      const { teller } = tellerFor({ ...(report && { report }) });
      for (let row = 1; row <= 20; row += 1) await (await teller.explain(endOf(declined), 0)).tell();
      expect((await teller.explain(endOf(declined), 0)).problem).toBe(words);
    }
  });
});

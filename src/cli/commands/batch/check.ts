import { inputName, readRecords } from '../../../batch/readRows.ts';
import type { ReportFile } from '../../../batch/report.ts';
import type { Sheet } from '../../../batch/sheet.ts';
import type { Survey } from '../../../batch/survey.ts';
import { type Exit, exitOf } from '../../../once/failures.ts';
import { formatAmount } from '../../../once/intent/amount.ts';
import { type Policies, refusalCodes } from '../../../once/policy/policy.ts';
import { settingsOfChoice } from '../../bot/chooseBot.ts';
import { moreAlike, samePaymentWords } from '../../say/batch.ts';
import {
  allRowsValid,
  emptySkipped,
  keptColumns,
  recipientsOf,
  reportGivenUp,
  type Total,
  totalOf,
  wrongRows,
} from '../../say/rows.ts';
import { problemOf, told } from '../../say/told.ts';
import type { View } from '../../show/display.ts';
import { type LabelledValue, labelled } from '../../show/report.ts';
import { harmlessCell, safeLine, sameCsvLine } from '../../show/text.ts';
import { botOptions, botToCheck } from '../openBot.ts';
import { policiesOfCommand } from '../policies.ts';
import { alikeJson, type Batch, reportFormatOf } from './options.ts';
import { badRowsJson } from './telling.ts';

/** The batch of a file alone: without a token, a connection or a journal. */
export async function batchToCheck(unopened: Omit<Batch, 'bot' | 'journal'>): Promise<Batch> {
  const { given, context, order, options } = unopened;
  const { path, report } = options;
  if (report !== undefined && (path === '-' || reportFormatOf(report) !== 'csv'))
    throw told('usage')`Without --once, --report writes a copy of the file, as CSV
      Name a file instead of stdin, and a report that ends in .csv.`;
  const own = given.flag('sandbox') ? {} : await settingsOfChoice(botOptions(given), context);
  const policies = order.kind === 'message' ? [] : withoutDays(await policiesOfCommand(given, context));
  return {
    ...unopened,
    order: { ...order, policies },
    bot: botToCheck(own, given),
    journal: undefined,
    report: undefined,
  };
}

/** What was spent is not a matter of the file. */
function withoutDays(policies: Policies): Policies {
  return policies.map((policy) => ({
    ...policy,
    limits: new Map(
      [...policy.limits].map(([asset, { day: _day, recipientDay: _each, ...line }]) => [asset, line]),
    ),
  }));
}

const problemColumn = 'problem';

/** Each record as it is, and what is wrong with it. A column that an earlier check made is written again. */
async function* copyOf(records: ReturnType<typeof readRecords>, sheet: Sheet): AsyncGenerator<string> {
  const rows = sheet.rows();
  let header: readonly string[] | undefined;
  let place: Place = { at: 0, isNew: true };
  for await (const { cells, delimiter } of records) {
    if (delimiter === undefined) {
      if (header === undefined) yield sameCsvLine(['line', 'row', problemColumn], ',');
      header ??= [];
      const { value: row } = rows.next();
      yield sameCsvLine([String(row?.line ?? ''), cells[0] ?? '', harmlessCell(row?.problem ?? '')], ',');
    } else if (header === undefined) {
      header = cells;
      const at = cells.indexOf(problemColumn);
      place = at === -1 ? { at: cells.length, isNew: true } : { at, isNew: false };
      yield sameCsvLine(withCell(cells, place, problemColumn), delimiter);
    } else {
      const { value: row } = rows.next();
      yield sameCsvLine(withCell(cells, place, harmlessCell(row?.problem ?? '')), delimiter);
    }
  }
}

/** A row with fewer cells than the header is filled up; in a longer one the cells beyond it move on. */
function withCell(cells: readonly string[], { at, isNew }: Place, cell: string): string[] {
  const before = Array.from({ length: at }, (_, index) => cells[index] ?? '');
  return [...before, cell, ...cells.slice(isNew ? at : at + 1)];
}

type Place = { readonly at: number; readonly isNew: boolean };

/** Tells what is wrong with the rows, and writes a copy of the file with it. */
export async function tellCheck(
  surveyed: Survey,
  batch: Batch,
  report: ReportFile | undefined,
): Promise<Exit> {
  const { options, context } = batch;
  const { display } = context;
  const { tally, refused, rows, alike } = surveyed;
  for (const words of [...alike.first.map(samePaymentWords), ...moreAlike(alike)]) display.warn(words);
  const copied = report !== undefined && (await writeCopy(report, batch)) ? options.report : undefined;
  const { invalid } = tally.standings;
  const view = checkView(surveyed, batch, copied);
  if (invalid + refused.rows === 0) {
    await display.show(view);
    return 0;
  }
  const code =
    invalid > 0 || refused.refusal === undefined ? 'bad-input' : refusalCodes[refused.refusal.rule];
  const wrong = { wrong: invalid + refused.rows, rows, source: inputName(options), copied };
  const problem = problemOf(wrongRows(code, wrong));
  await display.fail(problem, { ...view.json, ...badRowsJson(surveyed), error: problem });
  return exitOf(code);
}

async function writeCopy(report: ReportFile, { options, context, sheet }: Batch): Promise<boolean> {
  const { stdin, interrupts, display } = context;
  const input = { path: options.path, stdin, interrupted: interrupts.first };
  const lines = copyOf(readRecords(input), sheet);
  const { value: heading = '' } = await lines.next();
  await report.refuseUnlike(heading);
  const text = { heading, line: (line: string) => line };
  const isWhole = await report.finish(text, lines, interrupts.second);
  if (!isWhole) display.warn(reportGivenUp(options.report ?? ''));
  return isWhole;
}

function checkView(
  { rows, tally, refused, unsent, alike }: Survey,
  { given, order, options, sheet, notes: { emptyRows } }: Batch,
  copied: string | undefined,
): View {
  const { kind } = order;
  const recipients = sheet.recipients();
  const { invalid } = tally.standings;
  const totals: Total[] = [...tally.totals].flatMap(([asset, { all }]) => {
    const sum = formatAmount(all);
    return sum === '0' ? [] : [{ asset, all: sum, left: sum }];
  });
  const money =
    kind === 'message'
      ? {}
      : {
          totals: totals.map(({ asset, all }) => ({ asset, all })),
          recipients: recipients.distinct,
          recipients_paid_more_than_once: recipients.repeated,
        };
  return {
    json: {
      schema: 'botctl/1',
      command: given.command,
      kind,
      rows: {
        ...{ all: rows, invalid, refused: refused.rows },
        ...(emptyRows === 0 ? {} : { empty: emptyRows }),
      },
      ...(unsent.length === 0 ? {} : { columns: unsent.slice(0, shownColumns) }),
      ...money,
      ...(alike.rows === 0 ? {} : { alike: alike.first.map(alikeJson) }),
      report: copied,
    },
    human: (canvas) => {
      const { paint, own } = canvas;
      const sums = totals.map(
        (total, index): LabelledValue => [index === 0 ? checkedLabels.total : '', totalOf(total)],
      );
      const lines: LabelledValue[] = [
        [checkedLabels.empty, emptyRows === 0 ? undefined : emptySkipped(emptyRows)],
        ...sums,
        [
          checkedLabels.recipients,
          kind === 'message' ? undefined : recipientsOf(recipients.distinct, recipients.repeated),
        ],
        [checkedLabels.kept, unsent.length === 0 ? undefined : own(keptColumns(unsent))],
        [checkedLabels.copy, copied],
      ];
      const source = safeLine(inputName(options));
      return `${paint.green(own('✔'))} ${paint.bold(allRowsValid(source, rows))}
${labelled(lines, canvas)}`;
    },
  };
}

const shownColumns = 20;

const checkedLabels = {
  empty: 'Empty rows',
  total: 'Total',
  recipients: 'Recipients',
  kept: 'Kept',
  copy: 'Copy',
} as const;

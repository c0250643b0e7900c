import type { BatchOrder } from '../../../batch/checkRow.ts';
import { kindOfRows, readRecords, readRows } from '../../../batch/readRows.ts';
import { ReportFile } from '../../../batch/report.ts';
import { Sheet } from '../../../batch/sheet.ts';
import { type Survey, survey } from '../../../batch/survey.ts';
import { exitOf } from '../../../once/failures.ts';
import { anyAddress } from '../../../once/intent/address.ts';
import { formatAmount } from '../../../once/intent/amount.ts';
import type { Kind } from '../../../once/intent/wanted.ts';
import { type Policies, refusalCodes } from '../../../once/policy/policy.ts';
import { settingsOfChoice } from '../../bot/chooseBot.ts';
import type { ParsedArgs, Run } from '../../parse/command.ts';
import { moreAlike, notPaidAgain, samePaymentWords } from '../../say/batch.ts';
import { rowSentences } from '../../say/intent.ts';
import { policyWords } from '../../say/outcomes.ts';
import {
  allRowsValid,
  checkedLabels,
  checkedNotWhole,
  checkingInput,
  checkNeedsFile,
  keptColumns,
  noRows,
  recipientsOf,
  type Total,
  totalOf,
  wrongRows,
} from '../../say/rows.ts';
import { problemOf } from '../../say/told.ts';
import type { View } from '../../show/display.ts';
import { type LabelledValue, labelled } from '../../show/report.ts';
import { harmlessCell, safeLine, sameCsvLine } from '../../show/text.ts';
import { allowedRecipients } from '../inputs.ts';
import { botOptions, botToCheck } from '../openBot.ts';
import { policiesOfCommand } from '../policies.ts';
import { alikeJson, templateOf } from './options.ts';
import { badRowsJson, listBadRows } from './telling.ts';

/** Checks the rows of a file by themselves, and writes a copy with what is wrong beside each. It needs no token. */
export const run: Run = async (given, context) => {
  const { display, interrupts, clock } = context;
  const [path = ''] = given.args;
  if (path === '-') throw checkNeedsFile();
  const input = { path, stdin: context.stdin, interrupted: interrupts.first };
  const kind = given.text('template') === undefined ? await kindOfRows(input) : 'message';
  const order = await orderOf(kind, given, context);
  const template = (await templateOf({ given, context, order }))?.parsed;
  const own = given.flag('sandbox') ? {} : await settingsOfChoice(botOptions(given), context);
  const bot = botToCheck(own, given);
  const copied = `${path}.checked.csv`;
  const copy = await ReportFile.begin(copied);
  const sheet = new Sheet();
  try {
    const surveyed = await display.waiting(
      checkingInput(path),
      survey(readRows(input, kind, { template, isStrict: given.flag('strict') }), order, {
        sheet,
        bot,
        journal: undefined,
        now: () => clock.now(),
        interrupted: interrupts.first,
        inWords: rowSentences,
        isSent: (title) => template?.names(title) === true,
        refusalInWords: (refusal) => policyWords(refusal).message,
        repeatInWords: notPaidAgain,
      }),
    );
    if (surveyed.rows === 0) throw noRows(path);
    listBadRows(surveyed, given, display, copied);
    const { alike } = surveyed;
    for (const words of [...alike.first.map(samePaymentWords), ...moreAlike(alike)]) display.warn(words);
    const lines = { heading: '', line: (line: string) => line };
    const isWhole = await copy.finish(lines, copyOf(readRecords(input), sheet), interrupts.second);
    if (!isWhole) display.warn(checkedNotWhole(copied));
    return await tell(surveyed, { kind, path, copied, recipients: sheet.recipients() }, given, display);
  } finally {
    await copy.close();
    sheet.close();
  }
};

async function orderOf(kind: Kind, given: ParsedArgs, context: Parameters<Run>[1]): Promise<BatchOrder> {
  if (kind === 'message') return { kind, name: '', recipients: anyAddress };
  const policies = withoutDays(await policiesOfCommand(given, context));
  const recipients = allowedRecipients(given);
  return { kind, name: '', recipients, policies: policies.length === 0 ? undefined : policies };
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

type Checked = {
  readonly kind: Kind;
  readonly path: string;
  readonly copied: string;
  readonly recipients: { readonly distinct: number; readonly repeated: number };
};

async function tell(
  surveyed: Survey,
  checked: Checked,
  { command }: ParsedArgs,
  display: Parameters<Run>[1]['display'],
): ReturnType<Run> {
  const { tally, refused, rows } = surveyed;
  const { path, copied } = checked;
  const { invalid } = tally.standings;
  const view = checkView(surveyed, checked, command);
  if (invalid + refused.rows === 0) {
    await display.show(view);
    return 0;
  }
  const code =
    invalid > 0 || refused.refusal === undefined ? 'bad-input' : refusalCodes[refused.refusal.rule];
  const problem = problemOf(wrongRows(code, { wrong: invalid + refused.rows, rows, source: path, copied }));
  await display.fail(problem, { ...view.json, ...badRowsJson(surveyed), error: problem });
  return exitOf(code);
}

function checkView({ rows, tally, refused, unsent, alike }: Survey, checked: Checked, command: string): View {
  const { kind, path, copied, recipients } = checked;
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
      command,
      kind,
      rows: { all: rows, invalid, refused: refused.rows },
      ...(unsent.length === 0 ? {} : { columns: unsent.slice(0, shownColumns) }),
      ...money,
      ...(alike.rows === 0 ? {} : { alike: alike.first.map(alikeJson) }),
      checked: copied,
    },
    human: (canvas) => {
      const { paint, own } = canvas;
      const sums = totals.map(
        (total, index): LabelledValue => [index === 0 ? checkedLabels.total : '', totalOf(total)],
      );
      const lines: LabelledValue[] = [
        ...sums,
        [
          checkedLabels.recipients,
          kind === 'message' ? undefined : recipientsOf(recipients.distinct, recipients.repeated),
        ],
        [checkedLabels.kept, unsent.length === 0 ? undefined : own(keptColumns(unsent))],
        [checkedLabels.copy, copied],
      ];
      return `${paint.green(own('✔'))} ${paint.bold(allRowsValid(safeLine(path), rows))}\n${labelled(lines, canvas)}`;
    },
  };
}

const shownColumns = 20;

import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { folded, type ReadOptions, rowFields } from '../../../batch/columns.ts';
import { nameAnother } from '../../../batch/failures.ts';
import type { BatchOrder, EqualRow, Row } from '../../../batch/plan.ts';
import type { FileFacts } from '../../../batch/read.ts';
import {
  type ReportFile,
  type ReportText,
  type RowReport,
  type RowReportInputs,
  reportColumns,
} from '../../../batch/report.ts';
import type { Template } from '../../../batch/template.ts';
import { concluded, outcomeToTell } from '../../../once/engine/outcome.ts';
import { isDone } from '../../../once/engine/standing.ts';
import { namingFrom } from '../../../once/entry/naming.ts';
import type { Kind } from '../../../once/entry/wanted.ts';
import { failureWith } from '../../../once/failures.ts';
import type { Journal } from '../../../once/journal/journal.ts';
import { isoExact, listed } from '../../../once/phrases.ts';
import type { Suggestion } from '../../../once/sentence.ts';
import type { App } from '../../app.ts';
import type { ChainBot } from '../../bot/chooseBot.ts';
import { rateOf } from '../../parse/args.ts';
import { sourceOf, textAt } from '../../run/inputs.ts';
import { signatureOf } from '../../run/stored.ts';
import { idOrSignature, settledAt } from '../../show/reply.ts';
import { csvLine, safeJson, safeLine } from '../../show/text.ts';
import { inDoubtOf } from '../../wording/batch.ts';
import { takenBy, takenByPayment } from '../../wording/entry.ts';
import { explain } from '../../wording/explain.ts';
import { again } from '../../wording/open.ts';
import { bothGiven } from '../../wording/problem.ts';
import type { BatchArgs } from './batch.spec.ts';

const mostAtATime = 256;

type BatchOptions = ReturnType<typeof batchOptions>;

export function batchOptions(args: BatchArgs, kind: Kind, nowMs: number) {
  const [path = ''] = args.words;
  const report = args.text('report');
  if (report !== undefined) refuseReport(report, path);
  return {
    path,
    name: nameOf(args, path, nowMs),
    concurrency: wholeNumber(args, 'concurrency', mostAtATime) ?? 8,
    ratePerS: rateOf(args),
    maxFailures: wholeNumber(args, 'max-failures', 1_000_000_000),
    skipInvalid: args.flag('skip-invalid'),
    report,
    repeats: repeatsOption(args),
    proposes: args.has('propose'),
    mending: mendingOf(args, kind),
  };
}

/** The options about columns and cells. */
function mendingOf(args: BatchArgs, kind: Kind): ReadOptions {
  const called = calledIn(args.all('column'), kind);
  if (!args.takes('asset', 'amount', 'decimal-comma')) return { called };
  const filled = (['asset', 'amount'] as const).flatMap((name) => {
    const text = args.text(name);
    return text === undefined ? [] : [[name, text] as const];
  });
  return { called, fill: Object.fromEntries(filled), decimalComma: args.flag('decimal-comma') };
}

function calledIn(columns: readonly string[], kind: Kind): Record<string, string> {
  const called: Record<string, string> = {};
  for (const column of columns) {
    const [, field = '', title = ''] = /^(\w+)=(.*)$/su.exec(column) ?? [];
    if (!rowFields[kind].includes(field) || folded(title) === '')
      throw failureWith('usage')`--column ${JSON.stringify(column)} does not name a column
        Write a field and what the file calls it, like --column id="Invoice ID". The fields are ${listed(rowFields[kind])}.`;
    const others = Object.entries(called).filter(
      ([other, name]) => other === field || folded(name) === folded(title),
    );
    if (others.length > 0)
      throw failureWith(
        'usage',
      )`--column ${JSON.stringify(column)} cannot be combined with --column ${others.map((other) => other.join('=')).join(' and ')}
        Give each field one column, and each column one field.`;
    called[field] = title;
  }
  return called;
}

function repeatsOption(args: BatchArgs): 'skip' | 'pay' | undefined {
  const [skips, pays] = [args.has('skip-repeats'), args.has('repeat')];
  if (skips && pays) throw bothGiven('skip-repeats', 'repeat');
  if (skips) return 'skip';
  return pays ? 'pay' : undefined;
}

function nameOf(args: BatchArgs, path: string, nowMs: number): string {
  const once = args.text('once');
  if (once === undefined) {
    const month = isoExact(nowMs).slice(0, 7);
    const stem = path === '-' ? 'batch' : basename(path).replace(/\.[^.]*$/u, '');
    const plain = plainName(stem);
    const name = `${plain === '' ? 'payroll' : plain}-${month}`;
    throw failureWith('usage', { next: [again(args, [], { name: 'once', value: name })] })`
      A batch needs a name: give --once
      If you ran this file before, use its earlier name: a new name sends everything again. Otherwise name it after what it is and when, for example:`;
  }
  const naming = namingFrom({
    once,
    key: undefined,
    payloadKey: undefined,
    runFromEnv: undefined,
  });
  return naming.by === 'once' ? naming.name : once;
}

function wholeNumber(
  args: BatchArgs,
  option: 'concurrency' | 'max-failures',
  most: number,
): number | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  const count = /^[1-9]\d{0,9}$/u.test(text) ? Number(text) : Number.NaN;
  if (count <= most) return count;
  throw failureWith('usage')`--${option} ${JSON.stringify(text)} is not a count
    Write a whole number from 1 to ${most}.`;
}

/** Compares the files themselves, not the names or links that lead to them. */
function isSameFile(one: string, other: string): boolean {
  if (resolve(one) === resolve(other)) return true;
  try {
    const [first, second] = [statSync(one), statSync(other)];
    return first.dev === second.dev && first.ino === second.ino;
  } catch {
    return false;
  }
}

function refuseReport(report: string, path: string): void {
  reportFormatOf(report);
  if (path !== '-' && isSameFile(report, path))
    throw failureWith('usage')`--report ${report} is the input file
      ${nameAnother}`;
}

type ReportFormat = 'csv' | 'jsonl';

export function reportFormatOf(path: string): ReportFormat {
  if (/\.csv$/iu.test(path)) return 'csv';
  if (/\.(jsonl|ndjson)$/iu.test(path)) return 'jsonl';
  throw failureWith('usage')`--report ${path} ends in neither .csv nor .jsonl
    The report’s format follows from its name: give it one of these endings.`;
}

/** The text of a report: each row has the fields and columns of the batch's file, then its result. */
export function reportText(
  format: ReportFormat,
  { fields, columns, delimiter }: Pick<FileFacts, 'fields' | 'columns' | 'delimiter'>,
): ReportText {
  if (format === 'jsonl')
    return {
      heading: '',
      line: (row) => `${safeJson({ ...inputOf(row, fields), columns: row.columns, ...becameOf(row) })}\n`,
    };
  const own = [...fields, ...reportColumns];
  const kept = columns.map((title) => keptAs(title, own));
  return {
    heading: csvLine([...fields, ...kept, ...reportColumns], delimiter),
    line: (row) => {
      const cells = Object.values(inputOf(row, fields)).map((cell) =>
        safe(typeof cell === 'string' ? cell : JSON.stringify(cell ?? undefined)),
      );
      const kept = columns.map((title) => safe(cellIn(row.columns, title)));
      return csvLine([...cells, ...kept, ...Object.values(becameOf(row))], delimiter);
    },
  };
}

/** The fields of the input. An empty cell is left out. */
function inputOf({ written }: RowReport, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => [field, written[field] === '' ? undefined : written[field]]),
  );
}

function becameOf(row: RowReport): Record<(typeof reportColumns)[number], string | undefined> {
  const { state, entry, result, error, atMs } = row;
  const time = atMs === undefined ? undefined : isoExact(atMs);
  return { state, entry, result: safe(result), error: safe(error), time };
}

/** Titles come from a file: `constructor` may be one, so only a row's own cells count. */
export function cellIn(
  columns: Readonly<Record<string, string>> | undefined,
  title: string,
): string | undefined {
  return columns !== undefined && Object.hasOwn(columns, title) ? columns[title] : undefined;
}

/** If a column of the file has the name of one of ours, a word is put before it. */
export function keptAs(title: string, own: readonly string[]): string {
  return safeLine(own.includes(title) ? `file ${title}` : title);
}

function safe(text: string | undefined): string | undefined {
  return text === undefined ? undefined : safeLine(text);
}

/** Read before the rows, because a mistake in the template affects all of them. */
export async function templateOf({ app }: Pick<Batch, 'app'>): Promise<Template | undefined> {
  const { args } = app;
  if (!args.takes('template')) return undefined;
  const path = args.text('template');
  if (path === undefined) return undefined;
  const { Template } = await import('../../../batch/template.ts');
  const source = sourceOf('template', args);
  const text = await textAt(path, source, app);
  return Template.parse(text.replace(/\r?\n$/u, ''), source);
}

/** Everything about one batch except its rows. */
export type Batch = {
  readonly app: App<BatchArgs>;
  readonly options: BatchOptions;
  readonly order: BatchOrder;
  readonly bot: ChainBot;
  /** Absent in a dry run if no journal exists yet. */
  readonly journal: Journal | undefined;
  readonly report: ReportFile | undefined;
};

export function rowReportInputs(rows: readonly Row[], { journal, bot, order, app }: Batch): RowReportInputs {
  const nowMs = (journal ?? app).clock.now();
  const beside = { isRow: true, hasNode: bot.chain !== undefined };
  return {
    ...{ rows, order, journal, bot },
    takenInWords: (taken, wanted, problem) =>
      wanted ? `the id ${takenBy(taken, wanted)}` : `${problem}; its id ${takenByPayment(taken)}`,
    factsOf: async (entry, reads) => {
      const outcome = await concluded(entry, reads, true);
      const report = { entry, attempt: outcome.attempt, signature: await signatureOf(entry, reads) };
      const result = idOrSignature(report);
      if (isDone(entry)) return { result, error: undefined, atMs: settledAt(report) };
      const isNew = entry.state === 'open' && entry.attempts === 0;
      const error = isNew ? undefined : explain(outcomeToTell(outcome), nowMs, beside).problem?.message;
      return { result, error, atMs: undefined };
    },
  };
}

/** Suggests the same batch with a report of all its rows, if none was requested. */
export function withReport(args: BatchArgs): Suggestion[] {
  const once = args.text('once');
  if (args.text('report') !== undefined || (once === undefined && args.words[0] === '-')) return [];
  const name = plainName(once ?? '');
  return [again(args, [], { name: 'report', value: `${name === '' ? 'batch' : name}-report.csv` })];
}

/** A name that needs no quotes, for a file or a batch. */
function plainName(text: string): string {
  return text.replace(/[^\p{L}\p{N}._-]+/gu, '-');
}

export function whichRow({ line, id }: Pick<Row, 'line' | 'id'>): Record<string, unknown> {
  return { line, ...(id === undefined ? {} : { id }) };
}

export function countsJson(equal: readonly EqualRow[]): Record<string, unknown> {
  const inDoubt = inDoubtOf(equal);
  return { rows: equal.length, ...(inDoubt === 0 ? {} : { in_doubt: inDoubt }) };
}

import type { DiskTrouble } from '../machine/disk.ts';
import { type TextFault, textFaultWords, type Unseen, unseenWords } from '../once/entry/failures.ts';
import {
  type Complaint,
  type ComplaintOf,
  complaintSentences,
  complaintWords,
  type FieldRules,
  longer,
  type Said,
  sentenceOn,
  type ValuesOf,
} from '../once/entry/rules.ts';
import { type Failure, failing, failureWith, interrupted } from '../once/failures.ts';
import { clipped, counted, formatCount, mending, troubleInWords } from '../once/phrases.ts';
import { isItTheRightFile } from '../once/sentence.ts';

/** The place in a template that names a column. Line and column are counted from 1. */
export type TemplatePlace = { readonly line: number; readonly place: number };

export const nameAnother = 'Name another file with --report.';

type AtPath = { path: string };

function badTemplate(source: string, what: string): Failure {
  return failureWith('bad-file')`The template ${source} ${what}
    A template is text with placeholders like {{first_name}}, each named after a column of the file.`;
}

function notWritten({ path, trouble }: AtPath & { trouble: DiskTrouble }, sent = ''): Failure {
  return failureWith('machine-fault')`The report ${path} cannot be written: ${troubleInWords(trouble)}.${sent}
    ${mending(trouble)}, then run the same command again: it sends only what was not sent.`;
}

function noReportsPlace(path: string, what: string): Failure {
  return failureWith('bad-file')`The report ${path} is ${what}. It was left unchanged
    ${nameAnother}`;
}

/** Failures to read a batch or to write its report. `source` names the file for people. */
export const batchFailure = failing('batch', {
  'not-csv': ({ source, line }: { source: string; line: number }) => failureWith('bad-file')`
    ${source}, line ${line}: the quotes of the header do not match
    The first line names the columns. ${isItTheRightFile}`,
  'long-column': ({ source, mostCharacters }: { source: string; mostCharacters: number }) => failureWith(
    'bad-file',
  )`
    ${source}: a column’s name is longer than ${mostCharacters} characters
    The first line names the columns. ${isItTheRightFile}`,
  'too-many-rows': ({ source, mostRows }: { source: string; mostRows: number }) => failureWith('bad-file')`
    ${source} has more than ${formatCount(mostRows)} rows
    Split it into several files, and give each batch its own name.`,
  'not-utf8': ({
    source,
    line,
    encoding,
  }: {
    source: string;
    line: number;
    encoding: 'CP1252' | 'UTF-16';
  }) => failureWith('bad-file')`
    ${source}, line ${line}: the bytes are not UTF-8; the file seems to be ${encoding}
    Save it as “CSV UTF-8”, or convert it with iconv -f ${encoding} -t UTF-8, and run the command with the new file.`,
  workbook: ({ source }: { source: string }) => failureWith('bad-file')`
    ${source} is a workbook of a spreadsheet, not CSV
    Save the sheet as “CSV UTF-8”, and run the command with that file.`,
  'comma-divided': ({ source }: { source: string }) => failureWith('bad-file')`
    ${source} divides its cells by commas, so --decimal-comma cannot be used: 1,5 would be two cells
    Save it with ; between its cells, or write amounts like 1.5 and leave --decimal-comma out.`,
  'template-brace': ({ source }: { source: string }) =>
    badTemplate(source, 'has {{ or }} that is not a whole {{column}}'),
  'template-column': ({ source, column }: { source: string; column: string }) =>
    badTemplate(source, `names {{${column}}}, which cannot be put into a text`),
  interrupted: () => interrupted('while the input was being read'),
  'report-link': ({ path }: AtPath) => noReportsPlace(path, 'a link'),
  'report-of-other': ({ path }: AtPath) => failureWith('bad-file')`
    ${path} is there already, and is not the report of a batch. It was left unchanged
    ${nameAnother}`,
  'report-not-a-file': ({ path }: AtPath) => noReportsPlace(path, 'not a regular file'),
  'report-not-begun': (facts: Parameters<typeof notWritten>[0]) => notWritten(facts),
  'report-not-finished': (facts: Parameters<typeof notWritten>[0]) =>
    notWritten(facts, ' What was sent is in the journal.'),
});

const mended: Partial<Record<TextFault['is'], string>> = { 'key-twice': 'there once', 'long-key': 'shorter' };

/** Rules for rows of a batch only, each with the words for a value that breaks it. */
const ownRules = {
  object: (value: 'other-json' | TextFault): Said => [
    value === 'other-json' ? 'is JSON, but not an object' : `${isFault(value)}, at column ${value.column}`,
    value === 'other-json' ? 'one JSON object' : (mended[value.is] ?? 'one JSON object'),
  ],
  quotes: (_: 'unmatched'): Said => [
    'is not CSV: its quotes do not match',
    'quoted correctly: a cell that contains quotes is itself in quotes, with each of them doubled',
  ],
  length: ({ most }: { most: number }): Said => [longer({ longerThan: most }), 'one row'],
  'header-length': ({ header, cells }: { header: number; cells: number }): Said => [
    `has ${counted(cells, 'cell')}`,
    `as long as the header: ${counted(header, 'cell')}`,
  ],
  json: (value: TextFault): Said => [isFault(value), 'JSON'],
  id: ({ mostBytes, is }: { mostBytes: number; is: 'not-text' | 'empty' | 'too-long' | Unseen }): Said => [
    typeof is === 'string' ? badIds[is] : unseenWords(is),
    `text of at most ${mostBytes} bytes that no other row has`,
  ],
  'own-id': ({ id }: { id: string }): Said => [`"${clipped(id)}" is given twice`, 'different in each row'],
  'no-key': (_: 'given'): Said => ['is given', 'absent: --once and its id name a row'],
  'own-column': ({ keys }: { keys: readonly string[] }): Said => [
    `is given more than once: ${keys.map((key) => JSON.stringify(clipped(key))).join(', ')}`,
    'one column: case does not matter, and a space, - and _ are the same',
  ],
  filled: (_: 'given'): Said => ['is given too', 'absent if its option is given'],
  'decimal-comma': (_: 'dot'): Said => [
    'has a dot',
    'written like 1,5 or 1.234,50, because of --decimal-comma',
  ],
  'no-buttons': (_: 'given'): Said => ['is given too', 'absent if components is given'],
  buttons: (_: 'other'): Said => [
    'is not an array of buttons',
    'a JSON array of buttons like {"label":"Yes","custom_id":"yes","style":"success"}, or of rows of them',
  ],
  template: (value: 'given' | { column: string; source: string; at: TemplatePlace }): Said => [
    value === 'given' ? 'is also given by the row' : withoutValue(value),
    'made only by --template',
  ],
};

export type OwnRules = ValuesOf<typeof ownRules>;

/** What is wrong with one field of a row or, without a field, with the whole row. */
export type RowComplaint = ComplaintOf<FieldRules & OwnRules>;

export type RowComplaints = { readonly complaints: readonly RowComplaint[] };

export function complainOfRow<Rule extends keyof OwnRules>(
  field: string | undefined,
  rule: Rule,
  value: OwnRules[Rule],
): RowComplaint {
  return { field, rule, value } as RowComplaint;
}

const badIds = { 'not-text': 'is not a string', empty: 'is empty', 'too-long': 'is too long' } as const;

/** `is …` for a text that is not JSON, `cannot be used: …` for JSON with another fault. */
function isFault(fault: TextFault): string {
  const isJson = fault.is !== 'not-json' && fault.is !== 'syntax';
  return `${isJson ? 'cannot be used: ' : 'is '}${textFaultWords(fault)}`;
}

function withoutValue({
  column,
  source,
  at: { line, place },
}: Exclude<OwnRules['template'], 'given'>): string {
  return `has no value for {{${column}}} (${source}, line ${line}, column ${place}) in this row`;
}

function isOwn(complaint: RowComplaint): complaint is Exclude<RowComplaint, Complaint> {
  return complaint.rule in ownRules;
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The fields of a row as the file has them. */
type Written = Readonly<Record<string, unknown>>;

/** These rules are about a column, not about its cells. */
const ofColumns: readonly RowComplaint['rule'][] = [
  'own-column',
  'filled',
  'no-key',
  'no-buttons',
  'template',
];

/** The cell that a complaint is about, as the file has it. An id is not repeated: the line shows the row's id. */
export function cellOf({ field = 'id', rule }: RowComplaint, written: Written): string | undefined {
  const value = field === 'id' || ofColumns.includes(rule) ? undefined : written[field];
  return value === undefined || value === '' ? undefined : `"${clipped(asText(value))}"`;
}

function rowSentence(complaint: RowComplaint, written: Written): string {
  const said = isOwn(complaint)
    ? (ownRules[complaint.rule] as (value: unknown) => Said)(complaint.value)
    : complaintWords(complaint);
  const cell = cellOf(complaint, written);
  const field = clipped(complaint.field ?? 'the row');
  const sentence = sentenceOn(cell === undefined ? field : `${field} ${cell}`, said);
  if (complaint.rule !== 'amount' || complaint.value !== 'comma') return sentence;
  return `${sentence}; 1,234.50 is accepted too, and with --decimal-comma 1,5 and 1.234,50`;
}

/** The first few things wrong with a row, with their cells if they are given, and the number of the others. */
export function rowSentences(complaints: readonly RowComplaint[], written: Written = {}): string {
  return complaintSentences(complaints, (one) => rowSentence(one, written));
}

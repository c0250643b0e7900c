import type { OwnRules, RowComplaint } from '../batch/rowRules.ts';
import type { Complaint } from '../intent/complaint.ts';
import type { TextFault } from '../intent/facts.ts';
import { type Said, sentence, sentenceOn, sentences } from './complaints.ts';
import { textFaultWords } from './jsonText.ts';
import { counted } from './list.ts';
import { unseenWords } from './naming.ts';

const own: { readonly [Rule in keyof OwnRules]: (value: OwnRules[Rule]) => Said } = {
  object: (value) => [
    value === 'other-json' ? 'is JSON, but not an object' : `${isFault(value)} at column ${value.column}`,
    'one JSON object',
  ],
  'header-length': ({ header, cells }) => [
    `has ${counted(cells, 'cell')}`,
    `as long as the header: ${counted(header, 'cell')}`,
  ],
  json: (value) => [isFault(value), 'JSON'],
  id: ({ mostBytes, is }) => [
    typeof is === 'string' ? badIds[is] : unseenWords(is),
    `text of at most ${mostBytes} bytes that is this row’s alone`,
  ],
  'own-id': ({ alsoOfLine }) => [`is also that of line ${alsoOfLine}`, 'this row’s alone'],
  'no-key': () => ['is given', 'absent: a row’s key comes from --once and its id'],
  'no-buttons': () => ['is given too', 'absent where components is given'],
  buttons: () => [
    'is not an array of buttons',
    'a JSON array of buttons like {"label":"Yes","custom_id":"yes","style":"success"}, or of rows of them',
  ],
  template: (value) => [
    value === 'given' ? 'is given by the row too' : withoutValue(value),
    'what --template makes of the row',
  ],
};

const badIds = { 'not-text': 'is not a string', empty: 'is empty', 'too-long': 'is too long' } as const;

function isFault(fault: TextFault): string {
  return `is ${textFaultWords(fault)}`;
}

function withoutValue({
  column,
  source,
  at: { line, place },
}: Exclude<OwnRules['template'], 'given'>): string {
  return `has no value for {{${column}}} (${source}, line ${line}, column ${place}) in this row`;
}

function isOwn(complaint: RowComplaint): complaint is Exclude<RowComplaint, Complaint> {
  return complaint.rule in own;
}

function rowSentence(complaint: RowComplaint): string {
  if (!isOwn(complaint)) return sentence(complaint);
  const say = own[complaint.rule] as (value: unknown) => Said;
  return sentenceOn(complaint.field ?? 'the row', say(complaint.value));
}

/** The first few things that are wrong with a row, and how many more there are. */
export function rowSentences(complaints: readonly RowComplaint[]): string {
  return sentences(complaints, rowSentence);
}

/** A row on a line of its own: where it stands, and what is said of it. */
export function ofRow({ line, id }: { line: number; id?: string | undefined }, text: string): string {
  return `line ${line}${id === undefined ? '' : ` (id ${id})`}: ${text}`;
}

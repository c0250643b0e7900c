import type { OwnRules, RowComplaint } from '../../batch/facts.ts';
import { longestBaseUrl } from '../../once/intent/baseUrl.ts';
import type {
  BadAmount,
  BadText,
  Complaint,
  FieldRules,
  IntentFacts,
  KnownAddress,
  NameSource,
  OptionsOfField,
  TextFault,
  Unseen,
  Unusual,
} from '../../once/intent/facts.ts';
import type { Wanted, Warning } from '../../once/intent/wanted.ts';
import type { Intent } from '../../once/journal/journal.ts';
import { counted, formatAmountOf, listed } from './phrases.ts';
import { type Sentence, says, type Table } from './told.ts';

/** What is wrong with a value, said after its field's name, and its rule, said after `it must be`. */
type Said = readonly [problem: string, rule: string];

const badTexts: Readonly<Record<BadText, string>> = {
  empty: 'is empty',
  'half-pair': 'has half a surrogate pair, which cannot be written as UTF-8',
};

const badAmounts: Readonly<Record<BadAmount, string>> = {
  empty: badTexts.empty,
  sign: 'has a sign',
  exponent: 'has an exponent',
  comma: 'has a comma',
  blank: 'has a space',
  'leading-zero': 'has a leading zero',
  'bare-fraction': 'has no digit before its dot',
  'bare-dot': 'has no digit after its dot',
  other: 'is not digits with at most one dot',
};

const knownAddresses: Readonly<Record<KnownAddress, string>> = {
  'system-program': 'the system program',
  'system-account': 'an account of the system, which nobody controls',
  sysvar: 'a sysvar',
  'token-program': 'the token program',
  'token-program-of-2022': 'the token program of 2022',
  'associated-token-program': 'the associated token program',
  'memo-program': 'the memo program',
  'old-memo-program': 'the old memo program',
  'compute-budget-program': 'the compute budget program',
  'mint-of-wrapped-sol': 'the mint of wrapped SOL',
  'mint-of-usdc': 'the mint of USDC',
  'mint-of-usdt': 'the mint of USDT',
};

const shapes: Readonly<Record<string, string>> = { object: 'an object', array: 'a list', string: 'a string' };

const badText =
  (rule: string) =>
  (value: BadText): Said => [badTexts[value], rule];

const rules: { readonly [Rule in keyof FieldRules]: (value: FieldRules[Rule]) => Said } = {
  given: () => ['is missing', ''],
  known: () => ['is not known', 'a field in the service’s documentation'],
  valid: () => ['is not valid', 'as the service’s documentation says'],
  shape: (type) => {
    const what = shapes[type] ?? `a ${type}`;
    // A value that must be a string in JSON usually lacks its quotes.
    return [`is not ${what}`, type === 'string' ? 'a string, in double quotes' : what];
  },
  text: badText('text'),
  conversation: badText('the identifier of a conversation'),
  content: ({ most, is }) => [contentProblem(is), `1 to ${most} characters, counted as Unicode code points`],
  label: badText('text on the button'),
  style: badText('a style, or absent'),
  'custom-id': badText('an identifier of your choice'),
  'component-type': badText('the type of a component'),
  'row-of-buttons': (value) => [badTexts[value], 'one button or more'],
  'distinct-ids': ({ id }) => [
    `use the custom_id "${clipped(id)}" twice`,
    'a list in which every custom_id is different',
  ],
  button: (value) => [
    buttonProblem(value),
    'label=TEXT,id=ID with an optional style=STYLE (write a comma in a text as \\,)',
  ],
  asset: (value) => [assetProblem(value), 'SOL, or the string that names a token'],
  address: (value) => [addressProblem(value), addressRule],
  wallet: (value) =>
    value === 'short'
      ? ['is off the curve and shorter than most addresses: a character may be missing', addressRule]
      : [
          'is off the curve',
          'an address that a wallet controls; add --allow-off-curve if it belongs to a multisig vault or another program',
        ],
  unusual: (value) => [`is ${unusualWords(value)}`, 'someone else’s wallet'],
  recipient: (value) => [
    recipientProblem(value),
    'an address, or @ and a name under recipients in the policy',
  ],
  amount: (value) => [
    typeof value === 'string' ? badAmounts[value] : longer(value),
    'digits, or digits.digits, like 1.5',
  ],
  positive: () => ['is zero', 'more than zero'],
  decimals: ({ most, asset, decimals }) => [
    `has ${decimals} decimals`,
    `a number with at most ${most} decimals for ${asset}`,
  ],
};

function contentProblem(is: FieldRules['content']['is']): string {
  if (is === 'far-too-long') return 'is far too long';
  return typeof is === 'string' ? badTexts[is] : `has ${is.characters} characters`;
}

const buttonProblems = {
  'no-label': 'has no label',
  'no-id': 'has no id',
  'empty-style': 'has an empty style',
} as const;

function buttonProblem(value: FieldRules['button']): string {
  if (typeof value === 'string') return buttonProblems[value];
  if ('twice' in value) return `gives ${value.twice} twice`;
  return `has a part that is not label=, id= or style=: "${clipped(value.unknown)}"`;
}

function longer({ longerThan }: { readonly longerThan: number }): string {
  return `is longer than ${longerThan} characters`;
}

function assetProblem(value: FieldRules['asset']): string {
  if (value === 'empty') return badTexts.empty;
  if (value === 'blanks') return 'has spaces around it, or has control or invisible characters';
  if ('longerThan' in value) return longer(value);
  return `is "${value.insteadOfSol}": write SOL`;
}

const addressRule = 'a Solana address: 32 bytes in base58';

const badAddresses = {
  empty: badTexts.empty,
  blanks: 'has a space before or after it',
  shortened: 'is shortened: its middle is missing',
  ethereum: 'is an Ethereum address',
} as const;

function unusualWords(unusual: Unusual): string {
  if (unusual === 'own-wallet') return 'the bot’s own wallet';
  return typeof unusual === 'string' ? knownAddresses[unusual] : `the mint of ${clipped(unusual.mintOf)}`;
}

function addressProblem(value: FieldRules['address']): string {
  if (typeof value === 'string') return badAddresses[value];
  if ('notBase58At' in value)
    return `has a character that is not in base58, at position ${value.notBase58At}`;
  return 'characters' in value
    ? `is ${value.characters} characters long`
    : `is ${counted(value.bytes, 'byte')} long`;
}

function recipientProblem(value: FieldRules['recipient']): string {
  if (value === 'no-policy') return 'is a name, but no policy gives it an address';
  if (value === 'several-addresses') return 'is a name for which two policies have different addresses';
  const { noneOf: names } = value;
  if (names.length === 0) return 'is a name, but the policy names no recipients';
  const known = fewOf(names, ', ', (count) => `${count} more`);
  return `is a name that the policy does not have; it has ${known}`;
}

export function complaintWords({ rule, value }: Complaint): Said {
  return (rules[rule] as (value: unknown) => Said)(value);
}

// A field's name, or a quoted value, may be as long as the file.
const mostOfProblem = 200;

/** What is wrong with one field. */
export function sentence(complaint: Complaint): string {
  return sentenceOn(complaint.field ?? 'the request', complaintWords(complaint));
}

/** A missing field has no rule, so only the problem is said. */
function sentenceOn(field: string, [problem, rule]: Said): string {
  if (rule === '') return `${clipped(field)} ${problem}`;
  return `${clipped(field)} ${clipped(problem, mostOfProblem)} (it must be ${rule})`;
}

/** The first few complaints, and the number of the others. */
export function sentences<One>(complaints: readonly One[], say: (one: One) => string): string {
  return fewOf(complaints.map(say), '; ', (count) => `and ${count} more problems`);
}

const requests = { message: 'The message', transfer: 'The transfer' } as const;

/** All complaints at once, so that a caller can fix them in one go. */
function notValid({ kind, complaints, options }: IntentFacts['not-valid']): Sentence {
  const said = sentences(complaints, (one) => withOption(one, options));
  return { message: `${requests[kind]} is not valid: ${said}`, hint: hintOf(complaints, options) };
}

/** For `components[0].label` these are the options of `components`. */
function optionsOf({ field = '' }: Complaint, options: OptionsOfField): readonly string[] {
  const [root = ''] = /^\w+/u.exec(field) ?? [];
  return (Object.hasOwn(options, root) ? options[root] : undefined) ?? [];
}

function withOption(complaint: Complaint, options: OptionsOfField): string {
  const [option] = optionsOf(complaint, options);
  if (option === undefined) return sentence(complaint);
  return sentenceOn(`${complaint.field} (${option})`, complaintWords(complaint));
}

function hintOf(complaints: readonly Complaint[], options: OptionsOfField): string {
  const lacking = complaints
    .filter(({ rule }) => rule === 'given')
    .map((complaint) => optionsOf(complaint, options))
    .flatMap(([option, other]) => (option === undefined ? [] : [other ? `${option} (or ${other})` : option]));
  if (lacking.length === 0) return 'Fix it and run the command again.';
  const rest = lacking.length < complaints.length ? ', fix the rest' : '';
  return `Give ${listed(lacking)}${rest}, and run the command again.`;
}

export function warningWords(warning: Warning): string {
  if (warning.is === 'more-unknown-styles') return `${warning.count} more button styles are unknown.`;
  if (warning.is === 'unknown-asset')
    return `The profile does not name a token ${JSON.stringify(clipped(warning.asset))}; it names ${fewOf(warning.known, ', ', (count) => `${count} more`)}. Is it misspelled?`;
  const { style, known } = warning;
  return `The button style "${clipped(style)}" is not one of ${known.join(', ')}. The service’s full list is not published, so the style is sent unchanged.`;
}

const mostShown = 80;
const fewest = 5;

/** A bounded part of a foreign text that never ends inside a character. */
export function clipped(text: string, most = mostShown): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/u, '')}…`;
}

/** The first few items, and the number of the others. */
export function fewOf(shown: readonly string[], separator: string, more: (count: number) => string): string {
  const first = shown.slice(0, fewest).join(separator);
  return shown.length <= fewest ? first : `${first}${separator}${more(shown.length - fewest)}`;
}

const example = 'Write it like https://bots.example.com.';

/** The URL is never echoed. */
const urlFaults: Readonly<
  Record<IntentFacts['bad-base-url']['fault'], readonly [problem: string, hint: string]>
> = {
  long: [`is longer than ${longestBaseUrl} characters`, example],
  'not-a-url': ['is not a URL', example],
  'user-info': [
    'contains a user name or a password',
    'Leave them out: botctl signs in with the bot token only.',
  ],
  'not-https': [
    'is not https',
    'Use https: over http, anyone on the network can read the token. Plain http is allowed only for this machine.',
  ],
  query: ['has a query or a fragment', example],
  path: [
    'has a path that can be spelled in more than one way: it contains %, //, \\, ;, a dot segment, a space or a character that is not ASCII',
    'Write the path plainly, like https://bots.example.com/team-a: one service must have one address.',
  ],
};

export const intentTable: Table<IntentFacts> = {
  'not-valid': notValid,
  'several-names': ({ sources }) => says`
    Only one name is allowed, but ${listed(sources.map(sourceWords))} are given
    Keep --once for one payment or message, or --idempotency-key for your own key.`,
  'empty-name': ({ source }) => says`
    ${sourceWords(source)} is empty. Under an empty name, different payments or messages would count as one
    Give a name that stays the same on a retry and is different for everything else. If it comes from a variable, that variable is empty.`,
  'long-name': ({ source, mostBytes }) => badName(source, `is longer than ${mostBytes} bytes`),
  'unseen-in-name': ({ source, unseen }) => badName(source, unseenWords(unseen)),
  'bad-base-url': ({ name = 'The base URL', fault }) => {
    const [problem, hint] = urlFaults[fault];
    return { message: `${name} ${problem}`, hint };
  },
  'bad-text': ({ source, fault }) => says`
    ${source}, line ${fault.line}, column ${fault.column}: ${textFaultWords(fault)}
    Fix the file and run the command again.`,
};

function sourceWords(source: NameSource): string {
  return source === 'payload' ? 'the payload’s idempotency_key' : source;
}

function badName(source: NameSource, problem: string): Sentence {
  return says`${sourceWords(source)} ${problem}
    Names that look the same must be the same. Type the name again, in plain characters.`;
}

/** What is wrong with a text. The caller says where the text is. */
export function textFaultWords(fault: TextFault): string {
  switch (fault.is) {
    case 'not-utf8':
      return 'the bytes are not valid UTF-8';
    case 'not-json':
      return 'not JSON';
    case 'syntax':
      return `not JSON (${fault.error.replace(/([a-z])([A-Z])/gu, '$1 $2').toLowerCase()})`;
    case 'inexact-number':
      return 'the number would lose digits; write it as a string';
    case 'too-deep':
      return `it is nested deeper than ${fault.mostLevels} levels`;
    case 'long-key':
      return `the name of a field is longer than ${fault.mostCharacters} characters`;
    case 'key-twice':
      return `the field "${clipped(fault.key)}" is given twice in one object`;
  }
}

/** Which character of a name is invisible, and its position. */
function unseenWords({ is, codePoint, position }: Unseen): string {
  return `${unseen[is](`U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`)} (character ${position})`;
}

const unseen: Readonly<Record<Unseen['is'], (codePoint: string) => string>> = {
  hidden: (codePoint) => `has ${codePoint}, which is invisible`,
  'other-blank': (codePoint) => `has ${codePoint}, a space that is not the plain one`,
  lost: (codePoint) => `has ${codePoint}, which stands for a lost character`,
  'blank-at-end': () => 'starts or ends with a space',
  decomposed: (codePoint) => `is not in Unicode’s composed form (NFC): ${codePoint}`,
};

const mended: Partial<Record<TextFault['is'], string>> = { 'key-twice': 'there once', 'long-key': 'shorter' };

const own: { readonly [Rule in keyof OwnRules]: (value: OwnRules[Rule]) => Said } = {
  object: (value) => [
    value === 'other-json' ? 'is JSON, but not an object' : `${isFault(value)}, at column ${value.column}`,
    value === 'other-json' ? 'one JSON object' : (mended[value.is] ?? 'one JSON object'),
  ],
  quotes: () => [
    'is not CSV: its quotes do not match',
    'in quotes where a cell has some, each of them doubled',
  ],
  length: ({ most }) => [longer({ longerThan: most }), 'one row'],
  'header-length': ({ header, cells }) => [
    `has ${counted(cells, 'cell')}`,
    `as long as the header: ${counted(header, 'cell')}`,
  ],
  json: (value) => [isFault(value), 'JSON'],
  id: ({ mostBytes, is }) => [
    typeof is === 'string' ? badIds[is] : unseenWords(is),
    `text of at most ${mostBytes} bytes that no other row has`,
  ],
  'own-id': ({ id }) => [`"${clipped(id)}" is given twice`, 'different in each row'],
  'no-key': () => ['is given', 'absent: --once and its id name a row'],
  'own-column': ({ keys }) => [
    `is given more than once: ${keys.map((key) => JSON.stringify(clipped(key))).join(', ')}`,
    'one column: case does not matter, and a space, - and _ are the same',
  ],
  filled: () => ['is given too', 'absent where its option is given'],
  'decimal-comma': () => ['has a dot', 'written like 1,5 or 1.234,50, because of --decimal-comma'],
  'no-buttons': () => ['is given too', 'absent if components is given'],
  buttons: () => [
    'is not an array of buttons',
    'a JSON array of buttons like {"label":"Yes","custom_id":"yes","style":"success"}, or of rows of them',
  ],
  template: (value) => [
    value === 'given' ? 'is also given by the row' : withoutValue(value),
    'made by --template alone',
  ],
};

const badIds = { 'not-text': 'is not a string', empty: 'is empty', 'too-long': 'is too long' } as const;

/** What is not JSON is called so; anything else keeps JSON from being used. */
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
  return complaint.rule in own;
}

function rowSentence(complaint: RowComplaint): string {
  if (complaint.rule === 'amount' && complaint.value === 'comma')
    return `${sentence(complaint)}; 1,234.50 is taken too, and with --decimal-comma 1,5 and 1.234,50`;
  if (!isOwn(complaint)) return sentence(complaint);
  const say = own[complaint.rule] as (value: unknown) => Said;
  return sentenceOn(complaint.field ?? 'the row', say(complaint.value));
}

/** The first few things wrong with a row, and the number of the others. */
export function rowSentences(complaints: readonly RowComplaint[]): string {
  return sentences(complaints, rowSentence);
}

/** A row on a line of its own: its line number, and what is said about it. */
export function ofRow({ line, id }: { line: number; id?: string | undefined }, text: string): string {
  return `line ${line}${id === undefined ? '' : ` (id ${id})`}: ${text}`;
}

/** Many rows on one line: how many they are, and the first of them. */
export function ofRows(rows: number, first: readonly { line: number }[], text: string): string {
  const lines = first.map(({ line }) => String(line));
  const left = rows - first.length;
  return `${counted(rows, 'row')} (lines ${listed(left === 0 ? lines : [...lines, `${left} more`])}): ${text}`;
}

/** `is taken by transfer 0a1b2c3d4e5f (accepted), with a different amount (it was 1 SOL, now 2 SOL)`. */
export function takenBy(found: Intent, wanted: Wanted): string {
  const { id, kind, state } = found;
  return `is taken by ${kind} ${id} (${state})${differenceFrom(found, wanted)}`;
}

/** `, with a different amount (it was 1 SOL, now 2 SOL)`. */
export function differenceFrom({ body }: Intent, { request }: Wanted): string {
  const differences = differencesOf(requestIn(body), { ...request });
  return differences.length === 0 ? '' : `, with ${listed(differences)}`;
}

type Body = Readonly<Record<string, unknown>>;

/** The fields of a request by the names that people use for them. */
const shownFields: Readonly<Record<string, (request: Body) => unknown>> = {
  'a different amount': ({ amount, asset }) => amount && formatAmountOf(String(amount), String(asset)),
  'a different recipient': ({ to_address: to }) => to,
  'a different memo': ({ memo }) => quoted(memo),
  'a different conversation': ({ conversation_id: conversation }) => conversation,
  'a different text': ({ content }) => quoted(content),
  'different buttons': ({ components }) => components && JSON.stringify(components),
  'a different message to reply to': ({ reply_to_message_id: replyTo }) => replyTo,
};

function quoted(text: unknown): string | undefined {
  return text === undefined ? undefined : JSON.stringify(text);
}

function differencesOf(before: Body | undefined, now: Body): string[] {
  if (before === undefined) return ['a different amount, recipient or text'];
  return Object.entries(shownFields).flatMap(([what, of]) => {
    const [was, is] = [of(before), of(now)].map((value) => (value === undefined ? 'none' : String(value)));
    if (was === undefined || is === undefined || was === is) return [];
    const start = whereTheyDiffer(was, is);
    return [`${what} (it was ${excerpt(was, start)}, now ${excerpt(is, start)})`];
  });
}

const shownBefore = 20;
const shortEnough = 60;

/** The first characters of two long texts may be the same. */
function whereTheyDiffer(one: string, other: string): number {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  return start <= shortEnough ? 0 : start - shownBefore;
}

function excerpt(text: string, start: number): string {
  return start === 0 ? clipped(text) : clipped(`…${text.slice(start)}`.toWellFormed());
}

function requestIn(body: Uint8Array): Body | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as Body;
  } catch {
    // Damaged: what the name stands for is still known to differ.
    return undefined;
  }
}

import type { Warning } from '../intent/buttons.ts';
import type { BadAmount, BadText, Complaint, FieldRules, OptionsOfField } from '../intent/complaint.ts';
import type { IntentFacts } from '../intent/facts.ts';
import type { NotWallet } from '../intent/notWallets.ts';
import { counted, listed } from './list.ts';
import { clipped, fewOf } from './short.ts';
import type { Sentence } from './told.ts';

/** What is wrong with a value, said after its field's name; and its rule, said after `it must be`. */
export type Said = readonly [problem: string, rule: string];

const badTexts: Readonly<Record<BadText, string>> = {
  empty: 'is empty',
  'half-pair': 'has half a surrogate pair, which cannot be written as UTF-8',
};

const badAmounts: Readonly<Record<BadAmount, string>> = {
  empty: badTexts.empty,
  sign: 'has a sign',
  exponent: 'has an exponent',
  comma: 'has a comma',
  blank: 'has a blank',
  'leading-zero': 'has a leading zero',
  'bare-fraction': 'has no digit before its dot',
  'bare-dot': 'has no digit after its dot',
  other: 'is not digits with at most one dot',
};

const notWallets: Readonly<Record<NotWallet, string>> = {
  'system-program': 'the system program',
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
  known: () => ['is not known', 'a field of the service’s document'],
  valid: () => ['is not valid', 'as the service’s document says'],
  shape: (type) => {
    const what = shapes[type] ?? `a ${type}`;
    // A string in JSON is mistaken more often than not for a bare word.
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
  'row-mark': () => ['begins a row without buttons', 'followed by a --button'],
  asset: (value) => [assetProblem(value), 'SOL, or the string that names a token'],
  address: (value) => [addressProblem(value), 'a Solana address: 32 bytes in base58'],
  wallet: (value) => [
    `is ${value === 'off-curve' ? 'off the curve' : notWallets[value]}`,
    'an address that a wallet key controls; add --allow-off-curve if it belongs to a multisig vault or another program',
  ],
  recipient: (value) => [
    recipientProblem(value),
    'an address, or @ and a name under recipients in the policy',
  ],
  amount: (value) => [
    typeof value === 'string' ? badAmounts[value] : `is longer than ${value.longerThan} characters`,
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

function assetProblem(value: FieldRules['asset']): string {
  if (value === 'empty') return badTexts.empty;
  if (value === 'blanks') return 'has blanks around it, or control characters or invisible ones';
  return `is "${value.insteadOfSol}": write SOL`;
}

function addressProblem(value: FieldRules['address']): string {
  if (value === 'empty') return badTexts.empty;
  if ('notBase58At' in value)
    return `has a character that base58 does not have, at position ${value.notBase58At}`;
  return 'characters' in value
    ? `is ${value.characters} characters long`
    : `is ${counted(value.bytes, 'byte')} long`;
}

function recipientProblem(value: FieldRules['recipient']): string {
  if (value === 'no-policy') return 'is a name, and there is no policy that gives it an address';
  if (value === 'several-addresses') return 'is a name for which two policies have different addresses';
  const { noneOf: names } = value;
  if (names.length === 0) return 'is a name, and the policy gives no address a name';
  const known = fewOf(names, ', ', (count) => `${count} more`);
  return `is a name that no policy has: there ${names.length === 1 ? 'is' : 'are'} ${known}`;
}

export function complaintWords({ rule, value }: Complaint): Said {
  return (rules[rule] as (value: unknown) => Said)(value);
}

// A field's name, or what a problem quotes, may be as long as the file.
const mostOfProblem = 200;

/** What is wrong with one field. */
export function sentence(complaint: Complaint): string {
  return sentenceOn(complaint.field ?? 'the request', complaintWords(complaint));
}

/** Of what is not there at all there is no more to say: it has no rule. */
export function sentenceOn(field: string, [problem, rule]: Said): string {
  if (rule === '') return `${clipped(field)} ${problem}`;
  return `${clipped(field)} ${clipped(problem, mostOfProblem)} (it must be ${rule})`;
}

/** The first few complaints, and how many more there are. */
export function sentences<One>(complaints: readonly One[], say: (one: One) => string): string {
  return fewOf(complaints.map(say), '; ', (count) => `and ${count} more problems`);
}

const requests = { message: 'The message', transfer: 'The transfer' } as const;

/** All complaints at once: a caller fixes them in one go. */
export function notValid({ kind, complaints, options }: IntentFacts['not-valid']): Sentence {
  const said = sentences(complaints, (one) => withOption(one, options));
  return { message: `${requests[kind]} is not valid: ${said}`, hint: hintOf(complaints, options) };
}

/** Of `components[0].label` it is the option of `components`. */
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
  const { style, known } = warning;
  return `The button style "${clipped(style)}" is not one of ${known.join(', ')}. The service’s full list is not published, so the style is sent as it is.`;
}

import { clipped, counted, fewOf } from '../phrases.ts';

/** The problem, in words that follow the field's name, and the rule, in words that follow `it must be`. */
export type Said = readonly [problem: string, rule: string];

const badTexts = {
  empty: 'is empty',
  'half-pair': 'has half a surrogate pair, which cannot be written as UTF-8',
} as const;

type BadText = keyof typeof badTexts;

const badAmounts = {
  empty: badTexts.empty,
  sign: 'has a sign',
  'sheet-error': 'is an error of the spreadsheet',
  currency: 'has a currency sign',
  exponent: 'has an exponent',
  comma: 'has a comma',
  blank: 'has a space',
  'leading-zero': 'has a leading zero',
  'bare-fraction': 'has no digit before its dot',
  'bare-dot': 'has no digit after its dot',
  other: 'is not digits with at most one dot',
} as const;

export type BadAmount = keyof typeof badAmounts;

const badAddresses = {
  empty: badTexts.empty,
  blanks: 'has a space before or after it',
  shortened: 'is shortened: its middle is missing',
  ethereum: 'is an Ethereum address',
} as const;

const badButtons = {
  'no-label': 'has no label',
  'no-id': 'has no id',
  'empty-style': 'has an empty style',
} as const;

const badRecipients = {
  'no-policy': 'is a name, but no policy gives it an address',
  'several-addresses': 'is a name for which two policies have different addresses',
} as const;

const shapes: Readonly<Record<string, string>> = { object: 'an object', array: 'a list', string: 'a string' };

const addressRule = 'a Solana address: 32 bytes in base58';

const badText =
  (rule: string) =>
  (value: BadText): Said => [badTexts[value], rule];

/** The rules of a request's fields, each with what is said about a value that breaks it. */
const rules = {
  given: (_: 'missing'): Said => ['is missing', ''],
  known: (_: 'unknown'): Said => ['is not known', 'a field in the service’s documentation'],
  /** For faults that have no rule of their own. */
  valid: (_: 'invalid'): Said => ['is not valid', 'as the service’s documentation says'],
  /** The type that the value must have. */
  shape: (type: string): Said => {
    const what = shapes[type] ?? `a ${type}`;
    // If a string is expected and something else is there, its quotes are usually missing.
    return [`is not ${what}`, type === 'string' ? 'a string, in double quotes' : what];
  },
  text: badText('text'),
  conversation: badText('the identifier of a conversation'),
  content: ({ most, is }: { most: number; is: BadText | 'far-too-long' | { characters: number } }): Said => [
    contentProblem(is),
    `1 to ${most} characters, counted as Unicode code points`,
  ],
  label: badText('text on the button'),
  style: badText('a style, or absent'),
  'custom-id': badText('an identifier of your choice'),
  'component-type': badText('the type of a component'),
  'row-of-buttons': (value: 'empty'): Said => [badTexts[value], 'one button or more'],
  'distinct-ids': ({ id }: { id: string }): Said => [
    `use the custom_id "${clipped(id)}" twice`,
    'a list in which every custom_id is different',
  ],
  button: (value: keyof typeof badButtons | { unknown: string } | { twice: string }): Said => [
    buttonProblem(value),
    'label=TEXT,id=ID with an optional style=STYLE (write a comma in a text as \\,)',
  ],
  asset: (value: 'empty' | 'blanks' | { longerThan: number }): Said => [
    assetProblem(value),
    'SOL, or the string that names a token',
  ],
  address: (value: BadAddress): Said => [addressProblem(value), addressRule],
  /** `short`: off the curve, and with fewer characters than most addresses. */
  wallet: (value: 'off-curve' | 'short'): Said =>
    value === 'short'
      ? ['is off the curve and shorter than most addresses: a character may be missing', addressRule]
      : [
          'is off the curve',
          'an address that a wallet controls; add --allow-off-curve if it belongs to a multisig vault or another program',
        ],
  /** `what` is at the address. Hardly anybody ever wants to pay it. */
  unusual: (what: string): Said => [`is ${what}`, 'someone else’s wallet'],
  recipient: (value: keyof typeof badRecipients | { noneOf: readonly string[] }): Said => [
    recipientProblem(value),
    'an address, or @ and a name under recipients in the policy',
  ],
  amount: (value: BadAmount | { longerThan: number }): Said => [
    typeof value === 'string' ? badAmounts[value] : longer(value),
    'digits, or digits.digits, like 1.5',
  ],
  positive: (_: 'zero'): Said => ['is zero', 'more than zero'],
  decimals: ({ most, asset, decimals }: { most: number; asset: string; decimals: number }): Said => [
    `has ${decimals} decimals`,
    `a number with at most ${most} decimals for ${asset}`,
  ],
};

type BadAddress =
  | keyof typeof badAddresses
  | { notBase58At: number }
  | { characters: number }
  | { bytes: number };

/** The facts about a value that breaks a rule. */
export type FieldRules = ValuesOf<typeof rules>;

type Rules = Readonly<Record<string, (value: never) => Said>>;

export type ValuesOf<Table extends Rules> = {
  readonly [Rule in keyof Table]: Parameters<Table[Rule]>[0];
};

function contentProblem(is: FieldRules['content']['is']): string {
  if (is === 'far-too-long') return 'is far too long';
  return typeof is === 'string' ? badTexts[is] : `has ${is.characters} characters`;
}

function buttonProblem(value: FieldRules['button']): string {
  if (typeof value === 'string') return badButtons[value];
  if ('twice' in value) return `gives ${value.twice} twice`;
  return `has a part that is not label=, id= or style=: "${clipped(value.unknown)}"`;
}

export function longer({ longerThan }: { longerThan: number }): string {
  return `is longer than ${longerThan} characters`;
}

function assetProblem(value: FieldRules['asset']): string {
  if (value === 'empty') return badTexts.empty;
  if (value === 'blanks') return 'has spaces around it, or has control or invisible characters';
  return longer(value);
}

function addressProblem(value: BadAddress): string {
  if (typeof value === 'string') return badAddresses[value];
  if ('notBase58At' in value)
    return `has a character that is not in base58, at position ${value.notBase58At}`;
  return 'characters' in value
    ? `is ${value.characters} characters long`
    : `is ${counted(value.bytes, 'byte')} long`;
}

function recipientProblem(value: FieldRules['recipient']): string {
  if (typeof value === 'string') return badRecipients[value];
  const { noneOf: names } = value;
  if (names.length === 0) return 'is a name, but the policy names no recipients';
  const known = fewOf(names, ', ', (count) => `${count} more`);
  return `is a name that the policy does not have; it has ${known}`;
}

/** What is wrong with one field (undefined: with the whole request): which rule it breaks, and how. */
export type Complaint = ComplaintOf<FieldRules>;

export type ComplaintOf<Rules> = {
  readonly [Rule in keyof Rules]: {
    readonly field: string | undefined;
    readonly rule: Rule;
    readonly value: Rules[Rule];
  };
}[keyof Rules];

export type Complaints = { readonly complaints: readonly Complaint[] };

/** The options that can set a field, the usual one first. No option can set a field of a file. */
export type OptionsOfField = Readonly<Record<string, readonly string[]>>;

export function complain<Rule extends keyof FieldRules>(
  field: string | undefined,
  rule: Rule,
  value: FieldRules[Rule],
): Complaint {
  return { field, rule, value } as Complaint;
}

export function complaintWords({ rule, value }: Complaint): Said {
  return (rules[rule] as (value: unknown) => Said)(value);
}

// A field's name, or a quoted value, may be as long as the file.
const mostOfProblem = 200;

export function complaintSentence(complaint: Complaint, options: readonly string[] = []): string {
  const { field = 'the request' } = complaint;
  const [option] = options;
  return sentenceOn(option === undefined ? field : `${field} (${option})`, complaintWords(complaint));
}

/** A missing field has no rule, so only the problem is said. */
export function sentenceOn(field: string, [problem, rule]: Said): string {
  const on = clipped(field, mostOfProblem);
  if (rule === '') return `${on} ${problem}`;
  return `${on} ${clipped(problem, mostOfProblem)} (it must be ${rule})`;
}

/** The first few complaints, and the number of the others. */
export function complaintSentences<One>(complaints: readonly One[], say: (one: One) => string): string {
  return fewOf(complaints.map(say), '; ', (count) => `and ${count} more problems`);
}

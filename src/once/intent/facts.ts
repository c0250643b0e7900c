import { failing } from '../failures.ts';

/** What is wrong with a text. */
export type BadText = 'empty' | 'half-pair';

/** Why a text is not an amount. */
export type BadAmount =
  | 'empty'
  | 'sign'
  | 'exponent'
  | 'comma'
  | 'blank'
  | 'leading-zero'
  | 'bare-fraction'
  | 'bare-dot'
  | 'other';

/** The rules of a request's fields, each with the facts about a value that breaks it. */
export type FieldRules = {
  given: 'missing';
  known: 'unknown';
  /** For faults that have no rule of their own. */
  valid: 'invalid';
  /** The type that the value must have. */
  shape: string;

  text: BadText;
  conversation: BadText;
  content: { readonly most: number; readonly is: BadText | 'far-too-long' | { readonly characters: number } };
  label: BadText;
  style: BadText;
  'custom-id': BadText;
  'component-type': BadText;
  'row-of-buttons': 'empty';
  'distinct-ids': { readonly id: string };
  button: 'no-label' | 'no-id' | 'empty-style' | { readonly unknown: string } | { readonly twice: string };

  asset: 'empty' | 'blanks' | { readonly insteadOfSol: string } | { readonly longerThan: number };
  address:
    | 'empty'
    | 'blanks'
    | 'shortened'
    | 'ethereum'
    | { readonly notBase58At: number }
    | { readonly characters: number }
    | { readonly bytes: number };
  /** `short`: off the curve, and with fewer characters than most addresses. */
  wallet: 'off-curve' | 'short';
  unusual: Unusual;
  recipient: 'no-policy' | 'several-addresses' | { readonly noneOf: readonly string[] };
  amount: BadAmount | { readonly longerThan: number };
  positive: 'zero';
  decimals: { readonly most: number; readonly asset: string; readonly decimals: number };
};

/** What is wrong with one field: the rule that it breaks, and how. Without a field, with the whole request. */
export type Complaint = ComplaintOf<FieldRules>;

export type ComplaintOf<Rules> = {
  readonly [Rule in keyof Rules]: {
    readonly field: string | undefined;
    readonly rule: Rule;
    readonly value: Rules[Rule];
  };
}[keyof Rules];

/** Everything that is wrong with one request. */
export type Complaints = { readonly complaints: readonly Complaint[] };

/** The options that can set a field, the usual one first. Fields that came from a file have none. */
export type OptionsOfField = Readonly<Record<string, readonly string[]>>;

export function complain<Rule extends keyof FieldRules>(
  field: string | undefined,
  rule: Rule,
  value: FieldRules[Rule],
): Complaint {
  return { field, rule, value } as Complaint;
}

/** What an address is that is hardly ever meant to be paid. */
export type Unusual = KnownAddress | 'own-wallet' | { readonly mintOf: string };

export type KnownAddress =
  | 'system-program'
  | 'system-account'
  | 'sysvar'
  | 'token-program'
  | 'token-program-of-2022'
  | 'associated-token-program'
  | 'memo-program'
  | 'old-memo-program'
  | 'compute-budget-program'
  | 'mint-of-wrapped-sol'
  | 'mint-of-usdc'
  | 'mint-of-usdt';

/** What gives an intent its name: an option, a variable, or the key in a payload. */
export type NameSource = '--once' | '--idempotency-key' | 'BOTCTL_RUN' | 'payload';

/** What is wrong with a text, and where. */
export type TextFault = { readonly line: number; readonly column: number } & (
  | { readonly is: 'not-utf8' | 'not-json' | 'inexact-number' }
  /** The parser's name for the fault. */
  | { readonly is: 'syntax'; readonly error: string }
  | { readonly is: 'too-deep'; readonly mostLevels: number }
  | { readonly is: 'long-key'; readonly mostCharacters: number }
  | { readonly is: 'key-twice'; readonly key: string }
);

/** Why a request is refused before it is sent. */
export type IntentFacts = {
  'not-valid': {
    readonly kind: 'message' | 'transfer';
    readonly complaints: readonly Complaint[];
    readonly options: OptionsOfField;
  };
  'several-names': { readonly sources: readonly NameSource[] };
  'empty-name': { readonly source: NameSource };
  'long-name': { readonly source: NameSource; readonly mostBytes: number };
  'unseen-in-name': { readonly source: NameSource; readonly unseen: Unseen };
  /** The URL itself is not among the fields. */
  'bad-base-url': {
    /** Which URL it is, as people call it. */
    readonly name: string | undefined;
    readonly fault: 'long' | 'not-a-url' | 'user-info' | 'not-https' | 'query' | 'path';
  };
  /** `source` names the file, or stdin, for people. */
  'bad-text': { readonly source: string; readonly fault: TextFault };
};

const codes = {
  'not-valid': 'bad-input',
  'several-names': 'usage',
  'empty-name': 'usage',
  'long-name': 'usage',
  'unseen-in-name': 'usage',
  'bad-base-url': 'base-url',
  'bad-text': 'bad-file',
} as const;

export const intentFailure = failing<IntentFacts>('intent', codes);

/** An invisible character in a text, and its position, counted from 1. */
export type Unseen = {
  readonly is: 'hidden' | 'other-blank' | 'lost' | 'blank-at-end' | 'decomposed';
  readonly codePoint: number;
  readonly position: number;
};

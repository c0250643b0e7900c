import type { NotWallet } from './notWallets.ts';

/** What a text lacks. */
export type BadText = 'empty' | 'half-pair';

/** What keeps a text from being an amount. */
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

/** The rules of a request's fields, each with what is told of a value that breaks it. */
export type FieldRules = {
  given: 'missing';
  known: 'unknown';
  /** Only what nobody foresaw. */
  valid: 'invalid';
  /** The type that it must have. */
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
  'row-mark': 'no-buttons';

  asset: 'empty' | 'blanks' | { readonly insteadOfSol: string };
  address:
    | 'empty'
    | { readonly notBase58At: number }
    | { readonly characters: number }
    | { readonly bytes: number };
  wallet: 'off-curve' | NotWallet;
  recipient: 'no-policy' | 'several-addresses' | { readonly noneOf: readonly string[] };
  amount: BadAmount | { readonly longerThan: number };
  positive: 'zero';
  decimals: { readonly most: number; readonly asset: string; readonly decimals: number };
};

/** What is wrong with one field: the rule that it breaks, and how. Without a field it is the whole request. */
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

/** The options that can give a field, the usual one first: of fields that came from a file there are none. */
export type OptionsOfField = Readonly<Record<string, readonly string[]>>;

export function complain<Rule extends keyof FieldRules>(
  field: string | undefined,
  rule: Rule,
  value: FieldRules[Rule],
): Complaint {
  return { field, rule, value } as Complaint;
}

import { failing } from '../errors.ts';
import type { Complaint, OptionsOfField } from './complaint.ts';
import type { Unseen } from './invisible.ts';

/** What gives an intent its name: an option, a variable, or the key in a payload. */
export type NameSource = '--once' | '--run' | '--idempotency-key' | 'BOTCTL_RUN' | 'payload';

/** What is wrong with a text, and where in it. */
export type TextFault = { readonly line: number; readonly column: number } & (
  | { readonly is: 'not-utf8' | 'not-json' | 'inexact-number' }
  /** The parser's name of what it stumbled on. */
  | { readonly is: 'syntax'; readonly error: string }
  | { readonly is: 'too-deep'; readonly mostLevels: number }
  | { readonly is: 'key-twice'; readonly key: string }
);

/** Of what is not to be sent as it was asked for. */
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
  /** The URL itself is never among them. */
  'bad-base-url': {
    /** Which one it is, as people call it. */
    readonly name: string | undefined;
    readonly fault: 'not-a-url' | 'user-info' | 'not-https' | 'query' | 'path';
  };
  /** `source` is a file, or stdin, as people call it. */
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

import { type Failure, failing, failureWith } from '../failures.ts';
import { clipped, listed } from '../phrases.ts';
import { type Complaint, complaintSentence, complaintSentences, type OptionsOfField } from './rules.ts';

/** What gives an entry its name: an option, a variable, or the key in a payload. */
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

/** An invisible character in a text, and its position, counted from 1. */
export type Unseen = {
  readonly is: 'hidden' | 'other-blank' | 'lost' | 'blank-at-end' | 'decomposed';
  readonly codePoint: number;
  readonly position: number;
};

const requests = { message: 'The message', transfer: 'The transfer' } as const;

function optionsOf({ field = '' }: Complaint, options: OptionsOfField): readonly string[] {
  const [root = ''] = /^\w+/u.exec(field) ?? [];
  return (Object.hasOwn(options, root) ? options[root] : undefined) ?? [];
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

const example = 'Write it like https://bots.example.com.';

/** The base URL is part of keys and of an index, which limits the length of a text. */
export const longestBaseUrl = 1000;

/** The URL is never echoed. */
const urlFaults = {
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
} as const;

export type UrlFault = keyof typeof urlFaults;

type Refused = {
  kind: 'message' | 'transfer';
  complaints: readonly Complaint[];
  options: OptionsOfField;
};

/** Why a request is refused before it is sent. */
export const entryFailure = failing('entry', {
  /** All complaints at once, so that a caller can fix them in one go. */
  'not-valid': ({ kind, complaints, options }: Refused) => {
    const said = complaintSentences(complaints, (one) => complaintSentence(one, optionsOf(one, options)));
    return failureWith('bad-input')`${requests[kind]} is not valid: ${said}
      ${hintOf(complaints, options)}`;
  },
  'several-names': ({ sources }: { sources: readonly NameSource[] }) => failureWith('usage')`
    Only one name is allowed, but ${listed(sources.map(sourceWords))} are given
    Keep --once for one payment or message, or --idempotency-key for your own key.`,
  'empty-name': ({ source }: { source: NameSource }) => failureWith('usage')`
    ${sourceWords(source)} is empty. Under an empty name, different payments or messages would count as one
    Give a name that stays the same on a retry and is different for everything else. If it comes from a variable, that variable is empty.`,
  'long-name': ({ source, mostBytes }: { source: NameSource; mostBytes: number }) =>
    badName(source, `is longer than ${mostBytes} bytes`),
  'unseen-in-name': ({ source, unseen }: { source: NameSource; unseen: Unseen }) =>
    badName(source, unseenWords(unseen)),
  /** The URL itself is not among the fields. `name` is what people call it. */
  'bad-base-url': ({ name = 'The base URL', fault }: { name: string | undefined; fault: UrlFault }) => {
    const [problem, hint] = urlFaults[fault];
    return failureWith('base-url', { hint })`${name} ${problem}`;
  },
  /** `source` names the file, or stdin, for people. */
  'bad-text': ({ source, fault }: { source: string; fault: TextFault }) => failureWith('bad-file')`
    ${source}, line ${fault.line}, column ${fault.column}: ${textFaultWords(fault)}
    Fix the file and run the command again.`,
});

function sourceWords(source: NameSource): string {
  return source === 'payload' ? 'the payload’s idempotency_key' : source;
}

function badName(source: NameSource, problem: string): Failure {
  return failureWith('usage')`${sourceWords(source)} ${problem}
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
export function unseenWords({ is, codePoint, position }: Unseen): string {
  return `${unseen[is](`U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`)} (character ${position})`;
}

const unseen: Readonly<Record<Unseen['is'], (codePoint: string) => string>> = {
  hidden: (codePoint) => `has ${codePoint}, which is invisible`,
  'other-blank': (codePoint) => `has ${codePoint}, a space that is not the plain one`,
  lost: (codePoint) => `has ${codePoint}, which stands for a lost character`,
  'blank-at-end': () => 'starts or ends with a space',
  decomposed: (codePoint) => `is not in Unicode’s composed form (NFC): ${codePoint}`,
};

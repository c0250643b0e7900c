import { isApprovedAndUnsent } from '../../once/engine/standing.ts';
import type { UnknownAsset } from '../../once/entry/unusual.ts';
import type { Wanted } from '../../once/entry/wanted.ts';
import type { Entry } from '../../once/journal/journal.ts';
import { clipped, counted, fewOf, formatAmountOf, listed } from '../../once/phrases.ts';
import { nothingSentNow } from './problem.ts';

export function warningWords({ asset, known }: UnknownAsset): string {
  return `The profile does not name a token ${JSON.stringify(clipped(asset))}; it names ${fewOf(known, ', ', (count) => `${count} more`)}. Is it misspelled?`;
}

/** `line 7 (id x): text` */
export function ofRow({ line, id }: { line: number; id?: string | undefined }, text: string): string {
  return `line ${line}${id === undefined ? '' : ` (id ${id})`}: ${text}`;
}

/** A line about many rows: their number, the first of them, and `text`. */
export function ofRows(
  rows: number,
  first: readonly { line: number; cell?: string | undefined }[],
  text: string,
): string {
  const lines = first.map(({ line, cell }) => (cell === undefined ? String(line) : `${line} ${cell}`));
  const left = rows - first.length;
  return `${counted(rows, 'row')} (lines ${listed(left === 0 ? lines : [...lines, `${left} more`])}): ${text}`;
}

/** `is taken by transfer 0a1b2c3d4e5f (accepted), with a different amount (it was 1 SOL, now 2 SOL)`. */
export function takenBy(taken: Entry, wanted: Wanted): string {
  return `is taken by ${stands(taken)}${differenceFrom(taken, wanted)}`;
}

function stands({ id, kind, state }: Entry): string {
  return `${kind} ${id} (${state})`;
}

/** `is taken by transfer 0a1b2c3d4e5f (accepted): 1 SOL to 9WzD…` */
export function takenByPayment(taken: Entry): string {
  const { amount, asset, to_address: to } = requestIn(taken.body) ?? {};
  const paid = amount === undefined ? '' : `: ${formatAmountOf(String(amount), String(asset))} to ${to}`;
  return `is taken by ${stands(taken)}${paid}`;
}

/** `, with a different amount (it was 1 SOL, now 2 SOL)`. */
export function differenceFrom({ body }: Entry, { request }: Wanted): string {
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
    // Damaged. It is already known that the two requests differ.
    return undefined;
  }
}

/** `Transfer 0a1b2c3d4e5f`: starts a sentence. */
export function titleOf({ kind, id }: Pick<Entry, 'kind' | 'id'>): string {
  return `${kindTitles[kind]} ${id}`;
}

const kindTitles = { message: 'Message', transfer: 'Transfer' } as const;

type StateOfEntry = Pick<Entry, 'kind' | 'state' | 'resolvedAs' | 'approved'>;

/** An entry's state, above its details. `isDoneBefore`: the service, or an earlier run, had already done it. */
export function headlineOf(
  entry: StateOfEntry,
  isDoneBefore: boolean,
  isReplayed: boolean,
  paid = '',
): string {
  const line = `${kindTitles[entry.kind]} ${stateOf(entry, isDoneBefore)}${paid && ` (${paid})`}`;
  return isReplayed ? `${line}. ${nothingSentNow}` : line;
}

export const approvedNotSent = 'approved, not sent';

function stateOf({ state, resolvedAs, approved }: StateOfEntry, isDoneBefore: boolean): string {
  if (state === 'resolved') return `resolved: ${resolvedAs?.replaceAll('-', ' ')}`;
  if (isApprovedAndUnsent({ state, approved })) return approvedNotSent;
  return isDoneBefore && state === 'accepted' ? 'already accepted' : state;
}

import { addressComplaint } from '../../../once/entry/address.ts';
import { base58Alphabet } from '../../../once/entry/signature.ts';
import type { Kind } from '../../../once/entry/wanted.ts';
import { failureWith } from '../../../once/failures.ts';
import { states } from '../../../once/journal/columns.ts';
import type { Entry, Journal, Selection, State } from '../../../once/journal/journal.ts';
import { fewOf, formatCount, listed } from '../../../once/phrases.ts';
import type { App } from '../../app.ts';
import { type Moment, msOf, parseMoment } from '../../bot/settings.ts';
import { notAMoment } from '../../wording/history.ts';
import type { HistoryArgs } from './history.spec.ts';

/** The filters from the options of `history`. A duration counts back from the journal's time, known once it is open. */
export type Filters = Omit<Selection, 'sinceMs' | 'untilMs' | 'limit'> & {
  readonly since?: Moment;
  readonly until?: Moment;
  readonly limit?: number;
};

export function parseFilters(args: HistoryArgs, nowMs: number): Filters {
  const [state, kind, to, limit] = (['state', 'kind', 'to', 'limit'] as const).map((name) => args.text(name));
  const [most, asset] = [limit === 'all' ? String(allOfThem) : limit, args.text('asset')];
  if (state !== undefined && !isState(state))
    throw failureWith('usage')`--state "${state}" is not a state.
      Give one of ${listed(states, 'or')}.`;
  if (kind !== undefined && !isKind(kind))
    throw failureWith('usage')`--kind "${kind}" is not a kind.
      Give message or transfer.`;
  if (limit !== undefined && limit !== 'all' && !/^[1-9]\d{0,8}$/u.test(limit))
    throw failureWith('usage')`--limit "${limit}" is not a count.
      Give a whole number from 1, or all.`;
  if (to !== undefined && !to.startsWith('@') && !isWhole(to) && !beginningOf.test(to))
    throw failureWith('usage')`--to "${to}" is not an address or the beginning of one.
      Give the recipient’s address, its first 4 characters or more, or @ and a name under recipients in the policy.`;
  const [since, until] = [momentOf('since', args), momentOf('until', args)];
  if (since !== undefined && until !== undefined && msOf(since, nowMs) > msOf(until, nowMs))
    throw failureWith('usage')`
      --since "${args.text('since') ?? ''}" is later than --until "${args.text('until') ?? ''}": nothing lies between them.
      Give the earlier one to --since.`;
  return present({
    states: state === undefined ? undefined : [state],
    kind,
    to,
    asset: asset === '' ? undefined : asset,
    batch: args.text('batch'),
    since,
    until,
    limit: most === undefined ? undefined : Number(most),
  });
}

// One less than the largest safe integer: `limit + 1` must still be exact.
export const allOfThem = Number.MAX_SAFE_INTEGER - 1;

/** The first characters of an address and perhaps the last ones, as a list shortens it. */
const beginningOf = new RegExp(
  `^(?<head>[${base58Alphabet}]{4,44})(?:(?:…|\\.{3})(?<tail>[${base58Alphabet}]{0,44}))?$`,
  'u',
);

function isWhole(to: string): boolean {
  return addressComplaint(to, 'any') === undefined;
}

/** Replaces a shortened address with the only recipient of this journal that it matches. */
export async function withWholeAddress(filters: Filters, { reads }: Journal): Promise<Filters> {
  const { to } = filters;
  if (to === undefined || isWhole(to)) return filters;
  const { head = '', tail = '' } = beginningOf.exec(to)?.groups ?? {};
  const [address, ...others] = (await reads.recipients(head)).filter((address) => address.endsWith(tail));
  if (address !== undefined && others.length > 0) {
    const some = fewOf([address, ...others], ', ', (count) => `and ${formatCount(count)} more`);
    throw failureWith('usage')`--to "${to}" matches several addresses: ${some}.
      Give more of its characters.`;
  }
  return { ...filters, to: address ?? to };
}

/** Replaces a recipient’s name with the address that a policy gives it today. */
export async function withRecipient(filters: Filters, app: App<HistoryArgs>): Promise<Filters> {
  if (filters.to?.startsWith('@') !== true) return filters;
  const { withAddress } = await import('../../../policy/policy.ts');
  const { fields, complaint } = withAddress({ to_address: filters.to }, (await app.policies()) ?? []);
  if (complaint === undefined) return { ...filters, to: String(fields.to_address) };
  const { complaintWords } = await import('../../../once/entry/rules.ts');
  const [problem] = complaintWords(complaint);
  throw failureWith('usage')`--to "${filters.to}" ${problem}.
    Give the recipient’s whole address, or a name under recipients in the policy:
    $ policy show`;
}

export function selectionOf({ since, until, ...rest }: Filters, nowMs: number, limit: number): Selection {
  return {
    ...rest,
    ...present({ sinceMs: since && msOf(since, nowMs), untilMs: until && msOf(until, nowMs) }),
    limit,
  };
}

function momentOf(option: 'since' | 'until', args: HistoryArgs): Moment | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  const edge = option === 'since' ? 'begins' : 'ends';
  const moment = parseMoment(text, edge);
  if (moment === undefined) throw notAMoment(option, text);
  return moment;
}

function isState(text: string): text is State {
  return (states as readonly string[]).includes(text);
}

function isKind(text: string): text is Kind {
  return text === 'message' || text === 'transfer';
}

// Requests that start together can become one query.
const pageLength = 100;

export async function* inPages(entries: AsyncIterable<Entry>): AsyncGenerator<readonly Entry[]> {
  let page: Entry[] = [];
  const noTrouble = Symbol();
  let trouble: unknown = noTrouble;
  try {
    for await (const entry of entries) {
      page.push(entry);
      if (page.length < pageLength) continue;
      const whole = page;
      page = [];
      yield whole;
    }
  } catch (thrown) {
    trouble = thrown;
  }
  if (page.length > 0) yield page;
  if (trouble !== noTrouble) throw trouble;
}

type Present<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Leaves out undefined fields. */
function present<Fields extends Record<string, unknown>>(fields: Fields): Present<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Present<Fields>;
}

import type { Selection } from '../journal.ts';
import { each, intent, rest, standing } from './statements.ts';

type Query = { readonly sql: string; readonly values: unknown[] };

/** Where the page before ended: its last intent's time and number. */
export type Place = readonly [createdAtMs: number, seq: number];

/** How many in order are looked at one by one for a beginning of a name. */
const looked = 20_000;

/** Writes the places of a page down: which intents, in their order. */
type Places = (page: Page) => string;

/**
 * The ways to a page of a selection: at most `length` intents after a place, in their order. How a name begins is no
 * order of time: it is looked for among the next, and only where these fill no page among all names that begin so.
 */
export function pageQueries(selection: Selection, after: Place, length: number): readonly Query[] {
  return waysTo(selection).map((places) => {
    const page = new Page(selection, after, length);
    const sql = `SELECT i.seq, ${intent} FROM (${places(page)}) found
      ${each('intents', 'i', 'i.seq = found.seq')} ${standing} ${rest} ${page.order('i')} LIMIT ${page.length}`;
    return { sql, values: page.values };
  });
}

/** By the narrowest of the conditions. */
function waysTo({ states, to, batch, nameStart }: Selection): readonly Places[] {
  if (to !== undefined) return [paidTo];
  if (batch !== undefined) return [amongAll];
  if (nameStart !== undefined) return [amongTheNext, amongTheNames];
  return states === undefined || states.includes('accepted') ? [amongAll] : [amongNotAccepted];
}

/** The conditions of one page; their values become parameters, each where it is first written down. */
class Page {
  readonly values: unknown[] = [];
  readonly selection: Selection;
  readonly length: string;
  readonly #after: string;

  constructor(selection: Selection, [createdAtMs, seq]: Place, length: number) {
    this.selection = selection;
    this.#after = `${this.given(createdAtMs, 'bigint')}, ${this.given(seq, 'bigint')}`;
    this.length = this.given(length, 'int');
  }

  given(value: unknown, type: 'bigint' | 'int' | 'text' | 'text[]'): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }

  get isOldestFirst(): boolean {
    return this.selection.oldestFirst === true;
  }

  order(row: string, seq = 'seq', unindexed = ''): string {
    const way = this.isOldestFirst ? 'ASC' : 'DESC';
    return `ORDER BY ${row}.created_at${unindexed} ${way}, ${row}.${seq} ${way}`;
  }

  time(row: string, seq = 'seq'): string {
    const { sinceMs, untilMs } = this.selection;
    return all([
      `(${row}.created_at, ${row}.${seq}) ${this.isOldestFirst ? '>' : '<'} (${this.#after})`,
      sinceMs !== undefined && `${row}.created_at >= ${this.given(sinceMs, 'bigint')}`,
      untilMs !== undefined && `${row}.created_at <= ${this.given(untilMs, 'bigint')}`,
    ]);
  }

  /** What an intent is, but for its recipient. */
  being(row: string): string {
    const { batch, nameStart, kind, bot } = this.selection;
    return all([
      batch !== undefined && `${row}.name = ${this.given(batch, 'text')} AND ${row}.named_by = 'row'`,
      nameStart !== undefined &&
        `${row}.name >= ${this.given(nameStart, 'text')} AND ${row}.name < ${this.given(`${nameStart}\u{10ffff}`, 'text')}`,
      kind !== undefined && `${row}.kind = ${this.given(kind, 'text')}`,
      bot !== undefined && `${row}.bot = ${this.given(bot, 'text')}`,
    ]);
  }

  /** Where it stands. */
  state(): string {
    const { states } = this.selection;
    return states === undefined ? 'true' : `s.state = ANY (${this.given(states, 'text[]')})`;
  }
}

function all(conditions: readonly (string | false)[]): string {
  return ['true', ...conditions.filter((one) => one !== false)].join(' AND ');
}

function among(intents: string, page: Page, order = page.order('i')): string {
  const stands = page.selection.states === undefined ? '' : standing;
  return `SELECT i.seq, i.created_at FROM ${intents} i ${stands}
    WHERE ${page.time('i')} AND ${page.being('i')} AND ${page.state()} ${order} LIMIT ${page.length}`;
}

const amongAll: Places = (page) => among('@schema.intents', page);

const amongTheNext: Places = (page) =>
  among(`(SELECT * FROM @schema.intents i WHERE ${page.time('i')} ${page.order('i')} LIMIT ${looked})`, page);

/** In an order that no index has, so that the index of the names is taken. */
const amongTheNames: Places = (page) => among('@schema.intents', page, page.order('i', 'seq', ' + 0'));

/** What is not accepted has an index of its own, by state. */
const amongNotAccepted: Places = (page) =>
  `SELECT s.intent AS seq, s.created_at FROM unnest(${page.given(page.selection.states, 'text[]')}) wanted (state)
    CROSS JOIN LATERAL (SELECT s.intent, s.created_at FROM @schema.standing s
      WHERE (s.state <> 'accepted') IS TRUE AND s.state = wanted.state AND ${page.time('s', 'intent')}
      AND EXISTS (SELECT FROM @schema.intents i WHERE i.seq = s.intent AND ${page.being('i')} OFFSET 0)
      ${page.order('s', 'intent')} LIMIT ${page.length}) s`;

/** What was rejected may have another recipient now than at first; standing has the one that counts. */
const paidTo: Places = (page) => {
  const to = page.given(page.selection.to, 'text');
  const is = (row: string): string =>
    `split_part(${row}.payment, '"', 2) = ${to} AND ${row}.payment IS NOT NULL`;
  const narrowed = (intents: string): string => `(SELECT i.seq, i.created_at FROM ${intents} ${standing}
    WHERE ${is('s')} AND ${page.time('i')} AND ${page.being('i')} AND ${page.state()}
    ${page.order('i')} LIMIT ${page.length})`;
  const atFirst = `(SELECT * FROM @schema.intents i WHERE ${is('i')} AND ${page.time('i')} ${page.order('i')}) i`;
  const since = `(SELECT * FROM @schema.rewrites r WHERE ${is('r')} OFFSET 0) r
    ${each('intents', 'i', 'i.seq = r.intent')}`;
  return `${narrowed(atFirst)} UNION ${narrowed(since)}`;
};

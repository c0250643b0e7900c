// SQL: pages of a shared journal.

import { assetInPayment } from '../once/intent/amount.ts';
import { type BaseUrl, originOf } from '../once/intent/baseUrl.ts';
import type { Intent, Reads, Selection, SpendingReads } from '../once/journal/journal.ts';
import {
  attemptOf,
  batchInputOf,
  decisionOf,
  earlierPaymentOf,
  intentOf,
  observationOf,
  overviewOf,
  receiptOf,
  rowsStandingOf,
  stateRowOf,
} from '../once/journal/rows.ts';
import {
  type Ask,
  each,
  type Item,
  intent,
  isPaidTo,
  processOf,
  type Row,
  rest,
  type StatementName,
  standing,
} from './statements.ts';

/** Whether the owner in this row counts as alive. */
type OwnerLives = (row: Row) => boolean;

export function readVerbs(
  ask: Ask,
  ownerLives: OwnerLives,
  page: SelectPage,
): Omit<Reads, keyof SpendingReads> {
  const toIntent = (row: Row): Intent => intentOf(row, ownerLives(row));
  const one = async (name: StatementName, item: Item): Promise<Intent | undefined> => {
    const [row] = await ask(name, item);
    return row === undefined ? undefined : toIntent(row);
  };
  const all = async <Result>(name: StatementName, item: Item, read: (row: Row) => Result) =>
    (await ask(name, item)).map(read);
  return {
    findUnnamed: (identity) => one('findUnnamed', { identity }),
    findByKey: ({ baseUrl, kind }, key) => one('findByKey', { key, base_url: baseUrl, kind }),
    otherUrls: (baseUrl) =>
      all('otherUrls', { base_url: baseUrl, origin: originOf(baseUrl) }, (row) => row.base_url as BaseUrl),
    get: (id) => one('get', { id }),
    startingWith: async (prefix) => {
      const called = await all('called', { word: prefix }, toIntent);
      if (called.length > 0) return called;
      return all('startingWith', { first: prefix, after: `${prefix}\u{10ffff}` }, toIntent);
    },
    unfinishedTwins: ({ baseUrl }, payment, identity) =>
      all('unfinishedTwins', { origin: originOf(baseUrl), payment, identity }, toIntent),
    select: (selection) => select(selection, page, toIntent),
    recipients: (head) =>
      all('recipients', { first: head, after: `${head}\u{10ffff}` }, (row) => row.address as string),
    attemptsOf: (id) => all('attemptsOf', { id }, attemptOf),
    decisiveAttempt: async (id) => (await all('decisiveAttempt', { id }, attemptOf))[0],
    decisionsOf: (id) => all('decisionsOf', { id }, decisionOf),
    observationsOf: (id) => all('observationsOf', { id }, observationOf),
    receiptsOf: (id) => all('receiptsOf', { id }, receiptOf),
    otherHolder: async (id, receipts) => {
      if (receipts.length === 0) return undefined;
      const [other] = await ask('otherHolder', ...receipts.map((receipt) => ({ id, ...receipt })));
      return other?.id as string | undefined;
    },
    unnamedOfPayment: (baseUrl, payment, sinceMs) =>
      all('unnamedOfPayment', { origin: originOf(baseUrl), payment, since: sinceMs }, toIntent),
    paidBefore: ({ baseUrl, batch = null, isOwn, sinceMs: since, latestSinceMs, ...payment }) => {
      const sought = { origin: originOf(baseUrl), batch, is_own: isOwn, since, latest_since: latestSinceMs };
      return all('paidBefore', { ...sought, ...payment }, earlierPaymentOf);
    },
    overview: async () => overviewOf(await all('overview', { all_of: true }, stateRowOf)),
    rowsStanding: (name) => all('rowsStanding', { name }, (row) => rowsStandingOf(row, ownerLives(row))),
    batchInputs: (name) => all('batchInputs', { name }, batchInputOf),
    batchNames: () => all('batchNames', { before: '\u{10ffff}' }, (row) => row.name as string),
    ownerLives: async (owner) => (await ask('owner', { owner })).some(ownerLives),
    processOf: async (owner) => (await all('owner', { owner }, processOf))[0],
  };
}

export type SelectPage = (sql: string, values: unknown[]) => Promise<readonly Row[]>;

const pageLength = 500;

/** Reads one page at a time by an index, so that neither the server nor this process keeps anything between pages. */
async function* select(
  selection: Selection,
  page: SelectPage,
  toIntent: (row: Row) => Intent,
): AsyncGenerator<Intent> {
  const edge = selection.oldestFirst === true ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  let after: PagePlace = [edge, edge];
  for (let left = selection.limit; left > 0; ) {
    const length = Math.min(left, pageLength);
    let rows: readonly Row[] = [];
    for (const { sql, values, suits } of pageQueries(selection, after, length)) {
      if (suits !== undefined && Number((await page(suits.sql, suits.values))[0]?.count) > suits.most)
        continue;
      rows = await page(sql, values);
      if (suits !== undefined || rows.length === length) break;
    }
    for (const row of rows) yield toIntent(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < length) return;
    after = [last.created_at as number, last.seq as number];
    left -= rows.length;
  }
}

type Query = {
  readonly sql: string;
  readonly values: unknown[];
  /** Counts what this query is meant for. If there is at most `most`, the query is used and its result is complete. */
  readonly suits?: { readonly sql: string; readonly values: unknown[]; readonly most: number };
};

/** Where the page before ended: the time and number of its last intent. */
type PagePlace = readonly [createdAtMs: number, seq: number];

/** How many intents in order are searched one by one for a name's beginning or a state. */
const looked = 20_000;

/** At most this many names are looked up one by one. */
const fewNames = 50;

/** SQL for the intents of a page, in their order. */
type Places = (page: Page) => string;

type Way = {
  readonly places: Places;
  /** SQL that counts what this way is meant for, and the largest count that suits it. */
  readonly suits?: { readonly count: (page: Page) => string; readonly most: number };
};

/**
 * The queries for one page: at most `length` intents after a place, in order of time. No index has both a name's
 * beginning and the time, so the next intents are searched first. If they do not fill the page, each matching name is
 * looked up if there are few (a batch has one for all its rows); otherwise all matches are sorted.
 */
export function pageQueries(selection: Selection, after: PagePlace, length: number): readonly Query[] {
  return waysTo(selection).map(({ places, suits }) => {
    const page = new Page(selection, after, length);
    const sql = `SELECT i.seq, ${intent} FROM (${places(page)}) found
      ${each('intents', 'i', 'i.seq = found.seq')} ${standing} ${rest} ${page.order('i')} LIMIT ${page.length}`;
    if (suits === undefined) return { sql, values: page.values };
    const counted = new Page(selection, after, length);
    return {
      sql,
      values: page.values,
      suits: { sql: `SELECT (${suits.count(counted)}) AS count`, values: counted.values, most: suits.most },
    };
  });
}

/** Uses the narrowest condition. Intents that are not near their end are mostly few. */
function waysTo(selection: Selection): readonly Way[] {
  const { states } = selection;
  const isNotAccepted = states !== undefined && !states.includes('accepted');
  const ways = waysByName(selection);
  if (ways === undefined) return [{ places: isNotAccepted ? amongNotAccepted : amongAll }];
  return isNotAccepted ? [{ places: amongNotAccepted, suits: fewNotAccepted }, ...ways] : ways;
}

function waysByName({ to, batch, nameStart }: Selection): readonly Way[] | undefined {
  if (to !== undefined) return [{ places: paidTo }];
  if (batch !== undefined) return [{ places: amongAll }];
  if (nameStart === undefined) return undefined;
  return [
    { places: amongTheNext },
    { places: amongEachName, suits: { count: namesCounted, most: fewNames } },
    { places: amongTheNames },
  ];
}

/** Each has an index in order of time. */
type Column = 'name' | 'bot' | 'kind';

/** The conditions of one page. Their values become parameters where they are first used. */
class Page {
  readonly values: unknown[] = [];
  readonly selection: Selection;
  readonly #after: PagePlace;
  readonly #length: number;

  constructor(selection: Selection, after: PagePlace, length: number) {
    this.selection = selection;
    this.#after = after;
    this.#length = length;
  }

  get length(): string {
    return this.given(this.#length, 'int');
  }

  given(value: unknown, type: 'bigint' | 'int' | 'text' | 'text[]'): string {
    const known = this.values.indexOf(value) + 1;
    return `$${known || this.values.push(value)}::${type}`;
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
      `(${row}.created_at, ${row}.${seq}) ${this.isOldestFirst ? '>' : '<'} (${this.#given(this.#after)})`,
      sinceMs !== undefined && `${row}.created_at >= ${this.given(sinceMs, 'bigint')}`,
      untilMs !== undefined && `${row}.created_at <= ${this.given(untilMs, 'bigint')}`,
    ]);
  }

  /**
   * The rows with this value of a column, in order, by that column's index. With plain equality, the planner would
   * choose the index of times, which looks equally good to it, and read all other rows too.
   */
  along(row: string, column: Column, value: string): { readonly where: string; readonly order: string } {
    const { sinceMs, untilMs } = this.selection;
    const [createdAtMs, seq] = this.#after;
    const [farMs, from]: readonly [number | undefined, PagePlace] = this.isOldestFirst
      ? [
          untilMs,
          (sinceMs ?? createdAtMs) > createdAtMs
            ? [sinceMs ?? 0, Number.MIN_SAFE_INTEGER]
            : [createdAtMs, seq],
        ]
      : [
          sinceMs,
          (untilMs ?? createdAtMs) < createdAtMs
            ? [untilMs ?? 0, Number.MAX_SAFE_INTEGER]
            : [createdAtMs, seq],
        ];
    const [way, after, upTo] = this.isOldestFirst ? ['ASC', '>', '<='] : ['DESC', '<', '>='];
    const end =
      farMs === undefined
        ? `${row}.${column} ${upTo} ${value}`
        : `(${row}.${column}, ${row}.created_at) ${upTo} (${value}, ${this.given(farMs, 'bigint')})`;
    return {
      where: `(${row}.${column}, ${row}.created_at, ${row}.seq) ${after} (${value}, ${this.#given(from)}) AND ${end} AND ${row}.${column} IS NOT NULL`,
      order: `ORDER BY ${row}.${column} ${way}, ${row}.created_at ${way}, ${row}.seq ${way}`,
    };
  }

  #given(place: PagePlace): string {
    return place.map((one) => this.given(one, 'bigint')).join(', ');
  }

  /** The conditions on an intent, except its recipient. */
  being(row: string, known?: Column): string {
    const { batch, nameStart, kind, bot } = this.selection;
    return all([
      // Written so that the index of rows, which has another order, is not used.
      batch !== undefined && `(${row}.named_by || '') = 'row'`,
      batch !== undefined && known !== 'name' && `${row}.name = ${this.given(batch, 'text')}`,
      known !== 'name' &&
        nameStart !== undefined &&
        `${row}.name >= ${this.given(nameStart, 'text')} AND ${row}.name < ${this.given(`${nameStart}\u{10ffff}`, 'text')}`,
      kind !== undefined && known !== 'kind' && `${row}.kind = ${this.given(kind, 'text')}`,
      bot !== undefined && known !== 'bot' && `${row}.bot = ${this.given(bot, 'text')}`,
    ]);
  }

  recipient(row: string): string {
    const { to } = this.selection;
    if (to === undefined) return 'true';
    return isPaidTo(`${row}.payment`, this.given(to, 'text'));
  }

  state(): string {
    const { states } = this.selection;
    return all([states !== undefined && `s.state = ANY (${this.given(states, 'text[]')})`, this.asset()]);
  }

  asset(): string {
    const { asset } = this.selection;
    return asset === undefined
      ? 'true'
      : `strpos(s.payment, ${this.given(assetInPayment(asset), 'text')}) > 0`;
  }
}

function all(conditions: readonly (string | false)[]): string {
  return ['true', ...conditions.filter((one) => one !== false)].join(' AND ');
}

function among(intents: string, page: Page, order = page.order('i')): string {
  return some(intents, page, `${page.time('i')} AND ${page.being('i')}`, order);
}

function some(intents: string, page: Page, where: string, order: string): string {
  const { states, asset } = page.selection;
  const stands = states === undefined && asset === undefined ? '' : standing;
  return `SELECT i.seq, i.created_at FROM ${intents} i ${stands}
    WHERE ${where} AND ${page.state()} ${order} LIMIT ${page.length}`;
}

function along(page: Page, column: Column, value: string): string {
  const { where, order } = page.along('i', column, value);
  return some('@schema.intents', page, `${where} AND ${page.being('i', column)}`, order);
}

const amongAll: Places = (page) => {
  const { batch, bot, kind } = page.selection;
  if (batch !== undefined) return along(page, 'name', page.given(batch, 'text'));
  if (bot !== undefined) return along(page, 'bot', page.given(bot, 'text'));
  if (kind !== undefined) return along(page, 'kind', page.given(kind, 'text'));
  return among('@schema.intents', page);
};

const amongTheNext: Places = (page) =>
  among(`(SELECT * FROM @schema.intents i WHERE ${page.time('i')} ${page.order('i')} LIMIT ${looked})`, page);

/** Orders by an expression that no index has, so that the planner uses the index of names. */
const amongTheNames: Places = (page) => among('@schema.intents', page, page.order('i', 'seq', ' + 0'));

/** The matching names, each found from the one before it. */
const names = (page: Page): string => {
  const [first, after] = [page.selection.nameStart, `${page.selection.nameStart}\u{10ffff}`].map((name) =>
    page.given(name, 'text'),
  );
  const next = (from: string): string => `(SELECT i.name FROM @schema.intents i
    WHERE i.name IS NOT NULL AND ${from} AND i.name < ${after} ORDER BY i.name LIMIT 1)`;
  return `WITH RECURSIVE names (name) AS (SELECT ${next(`i.name >= ${first}`)}
    UNION ALL SELECT ${next('i.name > names.name')} FROM names WHERE names.name IS NOT NULL)
    SELECT name FROM names WHERE name IS NOT NULL LIMIT ${fewNames + 1}`;
};

const namesCounted = (page: Page): string => `SELECT count(*) FROM (${names(page)}) names`;

const amongEachName: Places = (page) =>
  `SELECT i.seq, i.created_at FROM (${names(page)}) names
    CROSS JOIN LATERAL (${along(page, 'name', 'names.name')}) i ${page.order('i')} LIMIT ${page.length}`;

const fewNotAccepted = {
  count: (page: Page): string => `SELECT count(*) FROM (
    SELECT FROM unnest(${page.given(page.selection.states, 'text[]')}) wanted (state)
    CROSS JOIN LATERAL (SELECT FROM @schema.standing s WHERE (s.state <> 'accepted') IS TRUE
      AND s.state = wanted.state LIMIT ${looked + 1}) s) stand`,
  most: looked,
};

/** Intents that are not accepted have their own index by state. */
const amongNotAccepted: Places = (page) =>
  `SELECT s.intent AS seq, s.created_at FROM unnest(${page.given(page.selection.states, 'text[]')}) wanted (state)
    CROSS JOIN LATERAL (SELECT s.intent, s.created_at FROM @schema.standing s
      WHERE (s.state <> 'accepted') IS TRUE AND s.state = wanted.state AND ${page.time('s', 'intent')}
      AND ${page.recipient('s')} AND ${page.asset()} AND EXISTS (SELECT FROM @schema.intents i WHERE i.seq = s.intent AND ${page.being('i')} OFFSET 0)
      ${page.order('s', 'intent')} LIMIT ${page.length}) s`;

/** A rejected intent may have another recipient now than at first. The one in `standing` counts. */
const paidTo: Places = (page) => {
  const is = (row: string): string => page.recipient(row);
  const narrowed = (intents: string): string => `(SELECT i.seq, i.created_at FROM ${intents} ${standing}
    WHERE ${is('s')} AND ${page.time('i')} AND ${page.being('i')} AND ${page.state()}
    ${page.order('i')} LIMIT ${page.length})`;
  // The index of payments is not in order of time, but few go to one address.
  const those = `SELECT i.seq, i.created_at, i.kind, i.bot, i.named_by, i.name
    FROM @schema.intents i WHERE ${is('i')} OFFSET 0`;
  const atFirst = `(SELECT * FROM (${those}) i WHERE ${page.time('i')} ${page.order('i')}) i`;
  const since = `(SELECT * FROM @schema.rewrites r WHERE ${is('r')} OFFSET 0) r
    ${each('intents', 'i', 'i.seq = r.intent')}`;
  return `${narrowed(atFirst)} UNION ${narrowed(since)}`;
};

// SQL: selecting intents of a journal’s file.

import { assetInPayment } from '../../intent/amount.ts';
import { type BaseUrl, originOf } from '../../intent/baseUrl.ts';
import type { Intent, Reads, Selection, SpendingReads } from '../journal.ts';
import {
  attemptOf,
  batchInputOf,
  decisionOf,
  earlierPaymentOf,
  observationOf,
  overviewOf,
  receiptOf,
  rowsStandingOf,
  stateRowOf,
} from '../rows.ts';
import type { Owners } from './ownFiles.ts';
import {
  type Ask,
  type Bindings,
  intentOf,
  isOwned,
  isPaidTo,
  type SqlRow,
  type StatementName,
} from './statements.ts';
import type { Store } from './store.ts';

/** Runs a read: at once within a commit, otherwise when no commit is running. */
export type Read = <Result>(read: () => Result) => Promise<Result>;

export function readVerbs(
  store: Store,
  owners: Owners,
  read: Read,
  ask: Ask,
): Omit<Reads, keyof SpendingReads> {
  const ownerLives = (owner: string): boolean => owners.isAlive(owner);
  const toIntent = (row: SqlRow): Intent => intentOf(row, ownerLives);
  const one = (name: StatementName, bindings: Bindings) => read(() => store.one(name, bindings, toIntent));
  const all = (name: StatementName, bindings: Bindings) => read(() => store.all(name, bindings, toIntent));
  return {
    findUnnamed: (identity) =>
      read(() =>
        store.asOfOneMoment(() => {
          const found = store.one('findUnnamed', { identity }, toIntent);
          if (found === undefined) store.assureNothing(identity);
          return found;
        }),
      ),
    findByKey: async ({ baseUrl, kind }, key) => {
      const [row] = await ask('findByKey', { baseUrl, kind, key });
      return row && store.guard(() => toIntent(row));
    },
    otherUrls: (baseUrl) =>
      read(() => store.onceInCommit(`otherUrls ${baseUrl}`, () => otherUrls(baseUrl, store))),
    get: (id) => one('get', { id }),
    startingWith: async (prefix) => {
      const called = await all('called', { word: prefix });
      return called.length > 0 ? called : all('startingWith', { prefix });
    },
    unfinishedTwins: async ({ baseUrl }, payment, identity) => {
      const rows = await ask('unfinishedTwins', { origin: originOf(baseUrl), payment, identity });
      return store.guard(() => rows.map(toIntent));
    },
    select: (selection) => select(selection, store, read, toIntent),
    recipients: (head) => read(() => store.all('recipients', { head }, ({ address }) => String(address))),
    attemptsOf: (id) => read(() => store.all('attemptsOf', { id }, attemptOf)),
    decisiveAttempt: (id) => read(() => store.one('decisiveAttempt', { id }, attemptOf)),
    decisionsOf: (id) => read(() => store.all('decisionsOf', { id }, decisionOf)),
    observationsOf: (id) => read(() => store.all('observationsOf', { id }, observationOf)),
    receiptsOf: (id) => read(() => store.all('receiptsOf', { id }, receiptOf)),
    otherHolder: async (id, receipts) => {
      if (receipts.length === 0) return undefined;
      const [other] = await ask('otherHolder', ...receipts.map((receipt) => ({ id, ...receipt })));
      return other?.id as string | undefined;
    },
    unnamedOfPayment: (baseUrl, payment, since) =>
      all('unnamedOfPayment', { origin: originOf(baseUrl), payment, since }),
    paidBefore: async ({ baseUrl, sinceMs: since, latestSinceMs: latestSince, ...payment }) => {
      const sought = { origin: originOf(baseUrl), since, latestSince, ...payment };
      return (await ask('paidBefore', sought)).map(earlierPaymentOf);
    },
    overview: async () => overviewOf(await read(() => store.all('overview', {}, stateRowOf))),
    rowsStanding: (name) =>
      read(() => store.all('rowsStanding', { name }, (row) => rowsStandingOf(row, isOwned(row, ownerLives)))),
    batchInputs: (name) => read(() => store.all('batchInputs', { name }, batchInputOf)),
    batchNames: () => read(() => store.all('batchNames', { limit: -1 }, ({ name }) => String(name))),
    ownerLives: (owner) => read(() => ownerLives(owner)),
    processOf: async () => undefined,
  };
}

function otherUrls(baseUrl: BaseUrl, store: Store): BaseUrl[] {
  return store.all('otherUrls', { baseUrl, origin: originOf(baseUrl) }, (row) => row.base_url as BaseUrl);
}

const pageLength = 1000;

/**
 * An open reader would make this process's own writes fail if others write meanwhile. So the numbers of a page are read
 * at once, and each intent only when it is asked for.
 */
async function* select(
  selection: Selection,
  store: Store,
  read: Read,
  toIntent: (row: SqlRow) => Intent,
): AsyncGenerator<Intent> {
  let last: number | undefined;
  for (let left = selection.limit; left > 0; ) {
    const length = Math.min(left, pageLength);
    const page = await read(() => pageOf(selection, last, length, store));
    for (const seq of page) {
      const intent = await read(() => store.one('bySeq', { seq }, toIntent));
      if (intent !== undefined) yield intent;
    }
    if (page.length < length) return;
    last = page.at(-1);
    left -= page.length;
  }
}

function pageOf(
  selection: Selection,
  last: number | undefined,
  length: number,
  store: Store,
): readonly number[] {
  let rows: readonly SqlRow[] = [];
  for (const { sql, bindings, suits } of pageQueries(selection, last, length)) {
    if (suits !== undefined && Number(store.allOf(suits.sql, bindings)[0]?.count) > suits.most) continue;
    rows = store.allOf(sql, bindings);
    if (suits !== undefined || rows.length === length) break;
  }
  return rows.map(({ seq }) => Number(seq));
}

type Query = {
  readonly sql: string;
  readonly bindings: Bindings;
  /**
   * Counts the rows that this query is for. If there are at most `most`, its answer is complete; otherwise it is
   * skipped.
   */
  readonly suits?: { readonly sql: string; readonly most: number };
};

/** How many rows are checked one by one for a name's beginning or a state. */
const looked = 20_000;

const thisLast = '(SELECT created_at, seq FROM intents WHERE seq = :last)';

/** At most this many names are queried one by one. */
const fewNames = 50;

/** Finds each name with this beginning from the name before it. */
const names = `WITH RECURSIVE names (name) AS (
  SELECT min(name) FROM intents WHERE name >= :nameStart AND name < :nameStart || char(1114111)
  UNION ALL SELECT (SELECT min(later.name) FROM intents later
    WHERE later.name > names.name AND later.name < :nameStart || char(1114111))
  FROM names WHERE names.name IS NOT NULL LIMIT ${fewNames + 2})`;

/**
 * The queries for a page of a selection: at most `length` numbers of intents after the last one of the page before, in
 * order. The index of names is not in order of time, so a name's beginning is first looked for among the next intents.
 * If that fills no page, each matching name is queried if they are few (a batch has one for all its rows), or else all
 * matches are sorted.
 */
function pageQueries(selection: Selection, last: number | undefined, length: number): readonly Query[] {
  const byState = waysByState(selection, last, length);
  return [...byState, ...waysBy(conditionsOf(selection), selection, last, length)];
}

/** Intents that are not accepted are usually few. If they are, this query alone is enough. */
function waysByState(selection: Selection, last: number | undefined, length: number): readonly Query[] {
  const { states, batch, to, nameStart } = selection;
  if (states === undefined || states.includes('accepted')) return [];
  if (batch === undefined && to === undefined && nameStart === undefined) return [];
  const { sql } = stateCondition(states);
  const counted = `SELECT count(*) AS count FROM (SELECT 1 FROM intents WHERE ${sql('')} LIMIT ${looked + 1})`;
  const suits = { sql: counted, most: looked };
  return waysBy(conditionsOf(selection, 'states'), selection, last, length).map((way) => ({ ...way, suits }));
}

function waysBy(
  { where, drivenBy, bindings }: Conditions,
  selection: Selection,
  last: number | undefined,
  length: number,
): readonly Query[] {
  const page = { ...bindings, last, length };
  const [after, way] = selection.oldestFirst === true ? (['>', 'ASC'] as const) : (['<', 'DESC'] as const);
  const place = last === undefined ? [] : [`(created_at, seq) ${after} ${thisLast}`];
  const [inOrder, sorted] = [`created_at ${way}, seq ${way}`, `+created_at ${way}, +seq ${way}`];
  const query = (conditions: readonly string[], order: string): Query => ({
    sql: `SELECT seq FROM intents ${whereAll(conditions)} ORDER BY ${order} LIMIT :length`,
    bindings: page,
  });
  // The index of payments is not in order of time either, but few go to one address.
  if (drivenBy === 'to')
    return [
      query(
        [...where, ...place].map((one) => one.replace('created_at', '+created_at')),
        sorted,
      ),
    ];
  if (drivenBy !== 'nameStart') return [query([...where, ...place], inOrder)];
  const next = `SELECT seq FROM intents ${whereAll(place)} ORDER BY ${inOrder} LIMIT ${looked}`;
  return [
    query([`seq IN (${next})`, ...where.map((one) => one.replaceAll('name ', '+name '))], sorted),
    {
      sql: `${names} SELECT i.seq FROM names CROSS JOIN intents i ON i.seq IN (SELECT seq FROM intents
          ${whereAll(['name = names.name', ...where.slice(1), ...place])} ORDER BY ${inOrder} LIMIT :length)
        WHERE names.name IS NOT NULL ORDER BY i.created_at ${way}, i.seq ${way} LIMIT :length`,
      bindings: page,
      suits: { sql: `${names} SELECT count(name) AS count FROM names`, most: fewNames },
    },
    query([...where, ...place], sorted),
  ];
}

function whereAll(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}

type Condition = {
  readonly is: keyof Selection;
  /** `+` before the column keeps SQLite from using its index. */
  readonly sql: (unindexed: '' | '+') => string;
  readonly hasIndex: boolean;
  readonly value?: string | number | undefined;
};

type Conditions = {
  readonly where: readonly string[];
  readonly drivenBy: keyof Selection | undefined;
  readonly bindings: Bindings;
};

/**
 * The first condition with an index is the narrowest, so it decides which index is used, unless `drivenBy` names
 * another.
 */
function conditionsOf(selection: Selection, drivenBy?: keyof Selection): Conditions {
  const given = conditions(selection);
  const driving = given.find(({ hasIndex, is }) => hasIndex && (drivenBy ?? is) === is);
  const times = [
    ...(selection.sinceMs === undefined ? [] : ['created_at >= :sinceMs']),
    ...(selection.untilMs === undefined ? [] : ['created_at <= :untilMs']),
  ];
  const unbound = { states: undefined, limit: undefined, oldestFirst: undefined };
  const asset = selection.asset && assetInPayment(selection.asset);
  return {
    where: [...given.map((one) => one.sql(one === driving ? '' : '+')), ...times],
    drivenBy: driving?.is,
    bindings: { ...selection, ...unbound, asset },
  };
}

function conditions({ batch, to, asset, nameStart, states, bot, kind }: Selection): readonly Condition[] {
  const all: readonly (Condition | undefined)[] = [
    batch === undefined
      ? undefined
      : { is: 'batch', hasIndex: true, sql: (plus) => `${plus}name = :batch AND +named_by = 'row'` },
    to === undefined
      ? undefined
      : {
          is: 'to',
          hasIndex: true,
          sql: (plus) => `${isPaidTo(`${plus}payment`, ':to')} AND payment IS NOT NULL`,
        },
    nameStart === undefined
      ? undefined
      : {
          is: 'nameStart',
          hasIndex: true,
          sql: (plus) => `${plus}name >= :nameStart AND ${plus}name < :nameStart || char(1114111)`,
        },
    states === undefined ? undefined : stateCondition(states),
    bot === undefined ? undefined : { is: 'bot', hasIndex: true, sql: (plus) => `${plus}bot = :bot` },
    kind === undefined ? undefined : { is: 'kind', hasIndex: true, sql: (plus) => `${plus}kind = :kind` },
    asset === undefined
      ? undefined
      : { is: 'asset', hasIndex: false, sql: () => 'instr(payment, :asset) > 0' },
  ];
  return all.filter((one) => one !== undefined);
}

/** Only states other than accepted have an index. */
function stateCondition(states: NonNullable<Selection['states']>): Condition {
  const list = states.map((state) => `'${state}'`).join(', ');
  const hasIndex = !states.includes('accepted');
  return {
    is: 'states',
    hasIndex,
    sql: (plus) => `${plus}state IN (${list})${hasIndex && plus === '' ? ` AND state <> 'accepted'` : ''}`,
  };
}

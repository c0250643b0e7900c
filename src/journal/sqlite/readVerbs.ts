import { type BaseUrl, originOf } from '../../intent/baseUrl.ts';
import type { Intent, Reads, Selection, SpendingReads } from '../journal.ts';
import { overviewOf, stateRowOf } from '../overview.ts';
import { decisionOf, observationOf, receiptOf } from '../rows.ts';
import type { Ask } from './gathered.ts';
import type { Owners } from './owners.ts';
import { attemptOf, intentOf, rowsStandingOf, type SqlRow } from './rows.ts';
import { pageQueries } from './selecting.ts';
import type { Bindings } from './statement.ts';
import type { StatementName } from './statements.ts';
import type { Store } from './store.ts';

/** How one is asked: at once within a commit, outside of it when nobody's commit is on. */
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
    otherUrls: (baseUrl) => read(() => otherUrls(baseUrl, store)),
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
    attemptsOf: (id) => read(() => store.all('attemptsOf', { id }, attemptOf)),
    decisiveAttempt: (id) => read(() => store.one('decisiveAttempt', { id }, attemptOf)),
    decisionsOf: (id) => read(() => store.all('decisionsOf', { id }, decisionOf)),
    observationsOf: (id) => read(() => store.all('observationsOf', { id }, observationOf)),
    receiptsOf: (id) => read(() => store.all('receiptsOf', { id }, receiptOf)),
    otherHolder: async (id, receipts) => {
      const asked = receipts.map(({ origin, what, value }) =>
        ask('otherHolder', { id, origin, what, value }),
      );
      return (await Promise.all(asked)).flat()[0]?.id as string | undefined;
    },
    unnamedOfPayment: (baseUrl, payment, since) =>
      all('unnamedOfPayment', { origin: originOf(baseUrl), payment, since }),
    countRows: ({ baseUrl, kind }, name) =>
      read(() => store.one('countRows', { baseUrl, kind, name }, (row) => Number(row.count)) ?? 0),
    overview: async () => overviewOf(await read(() => store.all('overview', {}, stateRowOf))),
    rowsStanding: (name) =>
      read(() => store.all('rowsStanding', { name }, (row) => rowsStandingOf(row, ownerLives))),
    ownerLives: (owner) => read(() => ownerLives(owner)),
    processOf: async () => undefined,
  };
}

/** Asked for each row of a batch: within a commit nobody else adds one. */
function otherUrls(baseUrl: BaseUrl, store: Store): BaseUrl[] {
  const name = `otherUrls:${baseUrl}`;
  const known = store.isCommitting ? (store.inThisCommit.get(name) as BaseUrl[] | undefined) : undefined;
  const bindings = { baseUrl, origin: originOf(baseUrl) };
  const found = known ?? store.all('otherUrls', bindings, (row) => row.base_url as BaseUrl);
  if (store.isCommitting) store.inThisCommit.set(name, found);
  return found;
}

const pageLength = 1000;

/**
 * A reader that is still open would make this process's own writes fail where others write meanwhile: so the numbers
 * of a page are read at once, and each intent only when it is asked for.
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

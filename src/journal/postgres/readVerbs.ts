import { type BaseUrl, originOf } from '../../intent/baseUrl.ts';
import type { Intent, Reads, SpendingReads } from '../journal.ts';
import { overviewOf, stateRowOf } from '../overview.ts';
import { decisionOf, observationOf, receiptOf } from '../rows.ts';
import type { Ask, Item } from './gathered.ts';
import { attemptOf, intentOf, processOf, type Row, rowsStandingOf } from './rows.ts';
import { type SelectPage, select } from './selecting.ts';
import type { StatementName } from './statements.ts';

/** Whether the owner of this row counts as alive. */
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
    attemptsOf: (id) => all('attemptsOf', { id }, attemptOf),
    decisiveAttempt: async (id) => (await all('decisiveAttempt', { id }, attemptOf))[0],
    decisionsOf: (id) => all('decisionsOf', { id }, decisionOf),
    observationsOf: (id) => all('observationsOf', { id }, observationOf),
    receiptsOf: (id) => all('receiptsOf', { id }, receiptOf),
    otherHolder: async (id, receipts) => {
      const holders = receipts.map(({ origin, what, value }) =>
        ask('otherHolder', { id, origin, what, value }),
      );
      return (await Promise.all(holders)).flat()[0]?.id as string | undefined;
    },
    unnamedOfPayment: (baseUrl, payment, sinceMs) =>
      all('unnamedOfPayment', { origin: originOf(baseUrl), payment, since: sinceMs }, toIntent),
    countRows: async ({ baseUrl, kind }, name) =>
      Number((await ask('countRows', { base_url: baseUrl, kind, name }))[0]?.count ?? 0),
    overview: async () => overviewOf(await all('overview', { all_of: true }, stateRowOf)),
    rowsStanding: (name) => all('rowsStanding', { name }, (row) => rowsStandingOf(row, ownerLives(row))),
    ownerLives: async (owner) => (await ask('owner', { owner })).some(ownerLives),
    processOf: async (owner) => (await all('owner', { owner }, processOf))[0],
  };
}

import { endsOf } from '../../intent/addressEnds.ts';
import { hourMs, hourOf } from '../../intent/hours.ts';
import type { Intent, SpendingReads, SpendingWrites } from '../journal.ts';
import {
  addUnits,
  countedAsset,
  type OwnSpending,
  type PaidAddress,
  readPayment,
  type Spender,
  type Spending,
  type SpendingScope,
  type UnitsByHour,
} from '../spending.ts';
import type { Read } from './readVerbs.ts';
import { intentOf, type SqlRow } from './rows.ts';
import { type Entry, entryOf, unitsSpent } from './spendingSums.ts';
import type { Store } from './store.ts';

/** Longer than the window: a clock that goes back must find what was spent then. */
const keptHours = 72;
const mostAlike = 10_000;

function spenderOf({ bot, url }: SqlRow): Spender {
  return { bot: bot as string, url: url as string };
}

function paidOf({ address, since }: SqlRow): PaidAddress {
  return { address: address as string, sinceMs: Number(since) };
}

export function spendingReads(store: Store, read: Read): SpendingReads {
  // What is paid meanwhile is known only after a day: a batch asks of each address once.
  const alike = new Map<string, PaidAddress[]>();
  return {
    spending: (scope) => read(() => store.asOfOneMoment(() => spendingOf(scope, store))),
    policyNumber: async () => undefined,
    spenders: (asset, since) =>
      read(() => store.all('spenders', { asset: countedAsset(asset), since }, spenderOf)),
    ownSpending: (id) => read(() => ownSpendingOf(id, store)),
    paidLike: async (address) => {
      const known = alike.get(address);
      if (known !== undefined) return known;
      const name = await read(() => (countingSince(store) === undefined ? 'uncountedPaid' : 'paidLike'));
      const found = await read(() => store.all(name, endsOf(address), paidOf));
      if (alike.size === mostAlike) alike.clear();
      alike.set(address, found);
      return found;
    },
  };
}

/** Each within a commit. */
export function spendingWrites(store: Store): SpendingWrites {
  return {
    startCounting: async (at) => {
      if (countingSince(store) === undefined) {
        store.run('seedSpending', { since: at - keptHours * hourMs });
        store.run('seedPaid', {});
        store.run('startCounting', { at });
        store.run('startSums', {});
      }
    },
    propose: async (intent, why, at) => {
      const { namedBy = null, name = null, rowId = null, payment = null, ...rest } = intent;
      store.insert('propose', 'intents', { ...rest, namedBy, name, rowId, payment, why, at });
      return store.one('get', { id: intent.id }, notOwned) as Intent;
    },
    holdBack: async (id, why, at) => {
      store.run('holdBack', { id, why, at });
    },
  };
}

const notOwned = (row: SqlRow): Intent => intentOf(row, () => false);

type Since = { readonly sinceMs: number } | undefined;

/** Nobody stops counting again; within a commit it is asked once. */
function countingSince(store: Store): Since {
  const known = store.inThisCommit.get('counting') as Since;
  if (known !== undefined) return known;
  const sinceMs = store.one('counting', {}, sinceOf);
  const since = sinceMs === undefined ? undefined : { sinceMs };
  if (since !== undefined && store.isCommitting) store.inThisCommit.set('counting', since);
  return since;
}

function sinceOf({ since, lost }: SqlRow): number | undefined {
  return since === null || since === undefined ? undefined : Math.max(Number(since), Number(lost ?? 0));
}

/** Within a commit, read once: whoever claims adds what the triggers add to the journal. */
function spendingOf(scope: SpendingScope, store: Store): Spending {
  const since = countingSince(store);
  const { recipient } = scope;
  if (since === undefined) {
    const entries = store.all('uncounted', { since: scope.sinceHour * hourMs }, entryOf);
    const of = (to?: string): UnitsByHour => sumOf(entries, scope, to);
    return {
      sinceMs: store.one('completeSince', {}, sinceOf),
      total: of(),
      toRecipient: recipient === undefined ? new Map() : of(recipient),
    };
  }
  const of = (to?: string): UnitsByHour =>
    once(store, `${countedAsset(scope.asset)} ${to ?? ''}`, () => unitsSpent(scope, to, store));
  return { ...since, total: of(), toRecipient: recipient === undefined ? new Map() : of(recipient) };
}

function once<Value>(store: Store, name: string, read: () => Value): Value {
  if (!store.isCommitting) return read();
  const known = store.inThisCommit.get(name) as Value | undefined;
  if (known !== undefined) return known;
  const value = read();
  store.inThisCommit.set(name, value);
  return value;
}

function sumOf(entries: readonly Entry[], { asset }: SpendingScope, to?: string): UnitsByHour {
  const sums: UnitsByHour = new Map();
  const counted = countedAsset(asset);
  for (const entry of entries)
    if (entry.asset === counted && (to === undefined || entry.to === to))
      addUnits(sums, entry.hour, entry.units);
  return sums;
}

function ownSpendingOf(id: string, store: Store): OwnSpending | undefined {
  const name = countingSince(store) === undefined ? 'uncountedOf' : 'ownSpending';
  const own = store.one(name, { id }, (row) => ({
    hour: hourOf(Number(row.at)),
    units: readPayment(row.payment as string).units,
    counts: row.sign === 1,
  }));
  return own?.counts === true ? { hour: own.hour, units: own.units } : undefined;
}

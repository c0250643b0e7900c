import { hourOf } from '../../intent/hours.ts';
import { addUnits, countedAsset, readPayment, type SpendingScope, type UnitsByHour } from '../spending.ts';
import type { SqlRow } from './rows.ts';
import type { Store } from './store.ts';

/** So many are read by every command that begins, before they are put into the sums. */
const mostUnsummed = 64;
const mostAtOnce = 10_000;
const mostPlaces = 10_000;

/** What was spent, or given back. */
export type Entry = {
  readonly to: string;
  readonly asset: string;
  readonly hour: number;
  readonly units: bigint;
};

export function entryOf({ payment, at, sign }: SqlRow): Entry {
  const { units, ...rest } = readPayment(payment as string);
  return { ...rest, hour: hourOf(Number(at)), units: sign === 1 ? units : -units };
}

/** Of all recipients together, or of each: the latter are made where a policy asks for them. */
type Whose = 'all' | 'each';
/** Whose `recipient` is empty: to all of them together. */
type Place = { readonly asset: string; readonly recipient: string };
type UpTo = { readonly intent: number; readonly entry: number };

/** What this process has read: each time only what was put on record since, whoever did. */
type Sums = {
  /** Where the sums in the journal end. */
  readonly from: UpTo;
  upTo: UpTo;
  unsummed: number;
  readonly since: Map<string, { readonly place: Place; readonly units: UnitsByHour }>;
  readonly before: Map<string, { readonly sinceHour: number; readonly units: UnitsByHour }>;
};

function sumsFrom(from: UpTo): Sums {
  return { from, upTo: from, unsummed: 0, since: new Map(), before: new Map() };
}

/** For whoever asks to add to. To be asked within a transaction. */
export function unitsSpent(scope: SpendingScope, recipient: string | undefined, store: Store): UnitsByHour {
  const sums = sumsNow(recipient === undefined ? 'all' : 'each', store);
  const place = { asset: countedAsset(scope.asset), recipient: recipient ?? '' };
  const units = new Map(unitsBefore(place, scope.sinceHour, sums, store));
  for (const [hour, more] of sums.since.get(nameOf(place))?.units ?? []) addUnits(units, hour, more);
  return units;
}

function nameOf({ asset, recipient }: Place): string {
  return `${recipient} ${asset}`;
}

function sumsNow(whose: Whose, store: Store): Sums {
  const { intent, entry, ...last } = store.one('summed', { whose }, numbersOf) as UpTo & Last;
  const known = store.sinceOpened.get(whose) as Sums | undefined;
  const isOfThese = known?.from.intent === intent && known.from.entry === entry;
  const sums = isOfThese ? known : sumsFrom({ intent, entry });
  for (let after = sums.upTo.intent; after < last.intents; after += mostAtOnce)
    take(store.all('begunAfter', { after, upTo: after + mostAtOnce }, entryOf), whose, sums);
  if (last.entries > sums.upTo.entry)
    take(store.all('movedAfter', { after: sums.upTo.entry }, entryOf), whose, sums);
  sums.upTo = { intent: last.intents, entry: last.entries };
  const now = store.isCommitting && sums.unsummed >= mostUnsummed ? sumUp(whose, sums, store) : sums;
  store.sinceOpened.set(whose, now);
  return now;
}

type Last = { readonly intents: number; readonly entries: number };

function numbersOf({ intent, entry, last_intent, last_entry }: SqlRow): UpTo & Last {
  return {
    intent: Number(intent),
    entry: Number(entry),
    intents: Number(last_intent ?? 0),
    entries: Number(last_entry ?? 0),
  };
}

function take(entries: readonly Entry[], whose: Whose, sums: Sums): void {
  for (const { asset, to, hour, units } of entries) {
    const place = { asset, recipient: whose === 'all' ? '' : to };
    const name = nameOf(place);
    const sum = sums.since.get(name) ?? { place, units: new Map() };
    addUnits(sum.units, hour, units);
    sums.since.set(name, sum);
  }
  sums.unsummed += entries.length;
}

function unitsBefore(place: Place, sinceHour: number, { before }: Sums, store: Store): UnitsByHour {
  const name = nameOf(place);
  const known = before.get(name);
  if (known !== undefined && known.sinceHour <= sinceHour) return known.units;
  const units: UnitsByHour = new Map();
  store.all('spent', { ...place, since: sinceHour }, (row) => {
    addUnits(units, Number(row.hour), BigInt(row.units as string));
  });
  if (before.size >= mostPlaces) before.clear();
  before.set(name, { sinceHour, units });
  return units;
}

/** Puts what was spent lately into the sums, once that is worth it: whoever begins reads little, and a row stays cheap. */
function sumUp(whose: Whose, { upTo, since }: Sums, store: Store): Sums {
  for (const { place, units } of since.values())
    for (const [hour, more] of units) {
      const at = { ...place, hour };
      const summed = store.one('spentInHour', at, (row) => BigInt(row.units as string)) ?? 0n;
      store.run('addSpent', { ...at, units: String(summed + more) });
    }
  store.run('summedTo', { ...upTo, whose });
  return sumsFrom(upTo);
}

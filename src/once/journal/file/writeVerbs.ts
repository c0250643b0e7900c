import {
  addUnits,
  countedAsset,
  endsOf,
  hourMs,
  hourOf,
  type OwnSpending,
  type PaidAddress,
  readPayment,
  type Spender,
  type Spending,
  type SpendingScope,
  type UnitsByHour,
} from '../../intent/amount.ts';
import {
  type Intent,
  isResolution,
  type NewIntent,
  type SpendingReads,
  type SpendingWrites,
  type Writes,
} from '../journal.ts';
import { intentAsBegun, standingOf, troubleText } from '../rows.ts';
import type { Owners } from './ownFiles.ts';
import type { Read } from './readVerbs.ts';
import { type Ask, type Bindings, type Item, intentOf, type SqlRow } from './statements.ts';
import type { Store } from './store.ts';

/** Each runs within a commit. */
export function writeVerbs(
  store: Store,
  owners: Owners,
  self: () => string,
  /** The intents that this process has an attempt of, as they were when the attempt began. */
  started: Map<string, Intent>,
  ask: Ask,
): Omit<Writes, keyof SpendingWrites> {
  const owned = (id: string): Bindings => ({ id, owner: self() });
  const ours = (row: SqlRow): Intent => intentOf(row, () => true);
  return {
    begin: async (intent, tokenHash, at) => {
      const owner = self();
      await ask('begin', itemOf(intent, owner, tokenHash, at));
      await ask('firstAttempts', { id: intent.id, at });
      const begun = intentAsBegun(intent, owner, tokenHash, at);
      started.set(intent.id, begun);
      return begun;
    },
    claim: async (id, at) => {
      if (store.run('claim', { ...owned(id), at }) === 0)
        throw new Error(`intent ${id} is being sent already`);
    },
    rewrite: async (id, body, fingerprint, payment) => {
      store.run('rewrite', { id, body, fingerprint, payment: payment ?? null });
    },
    recordDeath: async (id, at) => {
      const intent = store.one('get', { id }, (row) => intentOf(row, (owner) => owners.isAlive(owner)));
      if (intent?.owner === undefined || intent.ownerLives) return;
      store.run('endDeadAttempts', { id, at });
      store.run('markDead', { id, owner: intent.owner, at });
      owners.forget(intent.owner);
    },
    startAttempt: async (id, tokenHash, at) => {
      const counted = store.change('countAttempt', { ...owned(id), tokenHash, at }, (row) => row);
      if (counted === undefined) throw new Error(`intent ${id} is not claimed by this process`);
      const number = Number(counted.attempts);
      store.insert('startAttempt', 'attempts', { intent: Number(counted.seq), number, at });
      const intent = ours(counted);
      started.set(id, intent);
      return intent;
    },
    endAttempt: async (id, number, end, at) => {
      await ask('endAttempt', {
        id,
        number,
        at,
        phase: end.phase,
        verdict: end.verdict,
        status: end.status,
        requestId: sqlText(end.requestId),
        trouble: troubleText(end.trouble),
        retryAfter: end.retryAfterMs,
        duplicate: end.duplicate,
        verified: end.verified,
        reply: end.reply && hexOf(end.reply),
        headers: JSON.stringify(end.headers),
      });
    },
    conclude: async (id, state, why, at) => {
      const owner = self();
      const [row] = await ask('claimed', { id, owner });
      if (row === undefined) {
        if (state === 'accepted') store.run('acceptLate', { id, at });
        return undefined;
      }
      await ask('conclude', { id, owner, state, why, at });
      const begun = started.get(id);
      started.delete(id);
      if (begun === undefined) return store.one('get', { id }, ours);
      const { tainted, mayHaveLandedAtMs, reportedAtMs } = standingOf(row);
      return {
        ...begun,
        tainted,
        mayHaveLandedAtMs,
        reportedAtMs,
        state,
        heldReason: why,
        owner: undefined,
        ownerLives: false,
        updatedAtMs: at,
      };
    },
    keepReceipts: async (id, receipts) => {
      if (receipts.length > 0) await ask('keepReceipt', ...receipts.map((receipt) => ({ id, ...receipt })));
    },
    hold: async (id, why, at) => {
      store.run('hold', { id, why, at });
    },
    decide: async (id, { kind, who, atMs, reason, signature = null, fingerprint = null }) => {
      store.insert('addDecision', 'decisions', { id, kind, who, at: atMs, reason, signature, fingerprint });
      // The decision answers whether earlier attempts landed. Only later ones can be in doubt again.
      if (kind === 'did-not-happen') store.run('forgetLanding', { id });
      // A decision to send is valid for one key's age, counted from the decision.
      if (kind === 'send-again' || kind === 'approved') store.run('renewLanding', { id, at: atMs });
      if (isResolution(kind)) store.run('resolve', { id, kind, at: atMs });
    },
    observe: async (id, { atMs, signature = null, genesis = null, instruction = null, ...rest }) => {
      store.run('observe', { ...rest, id, at: atMs, signature, genesis, instruction });
    },
    markReported: async (id, at) => {
      store.run('markReported', { id, at });
    },
    markRowsReported: async ({ baseUrl, kind }, name, at) => {
      store.run('markRowsReported', { baseUrl, kind, name, at });
    },
    keepBatch: async ({ totals, beyond, ...input }) => {
      const texts = { totals: JSON.stringify(totals), beyond: JSON.stringify(beyond) };
      store.run('keepBatch', { ...input, ...texts });
    },
    supersede: async (id) => {
      store.run('supersede', { id });
    },
  };
}

/** Written out, because copying with a rest is slow for each row of a batch. */
function itemOf(intent: NewIntent, owner: string, tokenHash: string, at: number): Item {
  return {
    id: intent.id,
    kind: intent.kind,
    baseUrl: intent.baseUrl,
    spelledUrl: intent.spelledUrl,
    bot: intent.bot,
    namedBy: intent.namedBy,
    name: intent.name,
    rowId: intent.rowId,
    columns: intent.columns,
    key: intent.key,
    identity: intent.identity,
    fingerprint: intent.fingerprint,
    payment: intent.payment,
    body: hexOf(intent.body),
    owner,
    tokenHash,
    at,
  };
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** SQLite's text ends at its first NUL, and is Unicode. The reply's own bytes are kept beside it. */
function sqlText(text: string | undefined): string | undefined {
  return text?.replaceAll('\0', '\ufffd').toWellFormed();
}

/** Longer than the window: after a clock has gone back, what was spent before must still be found. */
const keptHours = 72;
const mostAlike = 10_000;

function spenderOf({ bot, url }: SqlRow): Spender {
  return { bot: bot as string, url: url as string };
}

function paidOf({ address, since }: SqlRow): PaidAddress {
  return { address: address as string, sinceMs: Number(since) };
}

export function spendingReads(store: Store, read: Read): SpendingReads {
  // A payment made meanwhile matters only after a day, so a batch asks once for each address.
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

/** Each runs within a commit. */
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

/** Counting never stops again. */
function countingSince(store: Store): Since {
  return store.onceInCommit('counting', () => {
    const sinceMs = store.one('counting', {}, sinceOf);
    return sinceMs === undefined ? undefined : { sinceMs };
  });
}

function sinceOf({ since, lost }: SqlRow): number | undefined {
  return since === null || since === undefined ? undefined : Math.max(Number(since), Number(lost ?? 0));
}

/** Read once in a commit: each claim adds to it what the triggers add to the journal. */
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
    store.onceInCommit(`${countedAsset(scope.asset)} ${to ?? ''}`, () => unitsSpent(scope, to, store));
  return { ...since, total: of(), toRecipient: recipient === undefined ? new Map() : of(recipient) };
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

/** Every command that begins reads up to this many entries before they are put into the sums. */
const mostUnsummed = 64;
const mostAtOnce = 10_000;
const mostPlaces = 10_000;

/** What was spent, or given back. */
type Entry = {
  readonly to: string;
  readonly asset: string;
  readonly hour: number;
  readonly units: bigint;
};

function entryOf({ payment, at, sign }: SqlRow): Entry {
  const { units, ...rest } = readPayment(payment as string);
  return { ...rest, hour: hourOf(Number(at)), units: sign === 1 ? units : -units };
}

/** All recipients together, or each. Sums for each are made only if a policy asks for them. */
type Whose = 'all' | 'each';
/** An empty `recipient` means all of them together. */
type Place = { readonly asset: string; readonly recipient: string };
type UpTo = { readonly intent: number; readonly entry: number };

/** What this process has read. Each read adds only what was recorded since, by any process. */
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

/** The caller may add to the result. Call this within a transaction. */
function unitsSpent(scope: SpendingScope, recipient: string | undefined, store: Store): UnitsByHour {
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

/**
 * Puts recent spending into the sums once that is worth it: a command that begins reads little, and a row stays cheap.
 */
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

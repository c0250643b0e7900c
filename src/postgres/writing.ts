import {
  addUnits,
  countedAsset,
  endsOf,
  type PaidAddress,
  type Spender,
  type Spending,
  type SpendingScope,
  type UnitsByHour,
  unitsOf,
} from '../once/intent/amount.ts';
import {
  type Intent,
  isResolution,
  type NewIntent,
  type SpendingReads,
  type Writes,
} from '../once/journal/journal.ts';
import { intentAsBegun, intentOf, standingOf, troubleText } from '../once/journal/rows.ts';
import type { Note } from './facts.ts';
import { type Ask, type Item, type Row, rowsReportedTogether, type StatementName } from './statements.ts';

/** Another process changed the intent after it was read. If it is read again, the work takes another course. */
export class Overtaken extends Error {}

const overtaken = {
  begin: 'has the key of another one',
  claim: 'is being sent already',
  startAttempt: 'is not claimed by this process',
} as const satisfies Partial<Record<StatementName, string>>;

/** This process as an owner, and what it must know about others. */
type Owning = {
  readonly owner: string;
  /** An owner last heard of before this moment is dead. */
  silentSinceMs(): number;
  /** Called for an attempt that is recorded when the commit succeeds. */
  started(intent: Intent): void;
  /** The same for anything else that must not be forgotten. */
  recorded(note: Note): void;
  /** The intent of an attempt by this process, as it was when the attempt began. */
  startedHere(id: string): Intent | undefined;
};

/** The changes to the journal, each within a transaction. */
export function writeVerbs(
  ask: Ask,
  { owner, silentSinceMs, started, recorded, startedHere }: Owning,
): Writes {
  const ours = (row: Row): Intent => intentOf(row, true);
  const change = async (name: StatementName, item: Item): Promise<void> => {
    await ask(name, item);
  };
  /** If nothing was changed, another process was quicker. */
  const mustChange = async (
    name: keyof typeof overtaken,
    item: Item & { id: string },
    statement: StatementName = name,
  ): Promise<Row> => {
    const [row] = await ask(statement, item);
    if (row === undefined) throw new Overtaken(`intent ${item.id} ${overtaken[name]}`);
    return row;
  };
  return {
    begin: async (intent, tokenHash, at) => {
      await mustChange('begin', itemOf(intent, owner, tokenHash, at));
      const begun = intentAsBegun(intent, owner, tokenHash, at);
      started(begun);
      return begun;
    },
    claim: async (id, at) => {
      await mustChange('claim', { id, owner, at });
    },
    rewrite: (id, body, fingerprint, payment) =>
      change('rewrite', { id, body: base64(body), fingerprint, payment: payment ?? null }),
    recordDeath: async (id, at) => {
      await change('endOwners', { id, silent_since: silentSinceMs() });
      await change('endDeadAttempts', { id, at });
      await change('markDead', { id, at });
    },
    startAttempt: async (id, tokenHash, at) => {
      const intent = ours(await mustChange('startAttempt', { id, owner, token_hash: tokenHash, at }));
      started(intent);
      return intent;
    },
    endAttempt: (id, number, end, at) =>
      change('endAttempt', {
        id,
        number,
        at,
        phase: end.phase,
        verdict: end.verdict,
        status: end.status ?? null,
        request_id: text(end.requestId),
        trouble: troubleText(end.trouble) ?? null,
        retry_after: end.retryAfterMs ?? null,
        duplicate: end.duplicate,
        verified: end.verified,
        reply: end.reply === undefined ? null : base64(end.reply),
        headers: JSON.stringify(end.headers),
      }),
    conclude: async (id, state, why, at) => {
      const [row] = await ask('conclude', { id, owner, state, why: why ?? null, at });
      if (row === undefined) {
        if (state === 'accepted') await change('acceptLate', { id, at });
        return undefined;
      }
      const known = startedHere(id);
      if (known !== undefined) return { ...known, ...standingOf(row), ownerLives: false };
      const [whole] = await ask('get', { id });
      return whole && intentOf(whole, false);
    },
    keepReceipts: async (id, receipts) => {
      if (receipts.length > 0) await ask('keepReceipt', ...receipts.map((receipt) => ({ id, ...receipt })));
    },
    hold: (id, why, at) => change('hold', { id, why, at }),
    decide: async (id, { kind, who, atMs, reason, signature = null, fingerprint = null }) => {
      const kept = { kind, who: text(who), at: atMs, reason: text(reason), signature, fingerprint };
      await change('addDecision', { id, ...kept });
      recorded({ what: 'decision', id, number: atMs });
      if (kind === 'did-not-happen') await change('dateLanding', { id, at: null });
      if (kind === 'send-again' || kind === 'approved') await change('dateLanding', { id, at: atMs });
      if (isResolution(kind)) await change('resolve', { id, kind, at: atMs });
    },
    observe: async (
      id,
      { verdict, who, atMs, facts, signature = null, genesis = null, instruction = null },
    ) => {
      await change('observe', {
        ...{ id, verdict, who: text(who), at: atMs, signature, genesis, instruction },
        facts: text(facts),
      });
      recorded({ what: 'observation', id, number: atMs });
    },
    markReported: (id, at) => change('markReported', { id, at }),
    markRowsReported: async ({ baseUrl, kind }, name, at) => {
      for (let last = 0; ; ) {
        const [page] = await ask('markRowsReported', { base_url: baseUrl, kind, name, at, after_seq: last });
        if (page === undefined || Number(page.count) < rowsReportedTogether) return;
        last = Number(page.last);
      }
    },
    supersede: (id) => change('supersede', { id }),
    keepBatch: async ({ baseUrl, skippedInDoubt, totals, beyond, ...input }) => {
      const texts = { base_url: baseUrl, totals: JSON.stringify(totals), beyond: JSON.stringify(beyond) };
      await ask('keepBatch', { ...input, ...texts, skipped_in_doubt: skippedInDoubt });
    },
    propose: async (intent, why, at) => {
      const { owner: _nobody, token_hash: _nothing, ...item } = itemOf(intent, '', '', at);
      await mustChange('begin', { ...item, why }, 'propose');
      const [row] = await ask('get', { id: intent.id });
      return intentOf(row as Row, false);
    },
    holdBack: (id, why, at) => change('holdBack', { id, why, at }),
  };
}

/** Written out, because copying with a rest is slow and a batch makes thousands of rows a second. */
function itemOf(intent: NewIntent, owner: string, tokenHash: string, at: number): Item & { id: string } {
  return {
    id: intent.id,
    kind: intent.kind,
    base_url: intent.baseUrl,
    spelled_url: intent.spelledUrl,
    bot: intent.bot,
    named_by: intent.namedBy ?? null,
    name: intent.name ?? null,
    row_id: intent.rowId ?? null,
    columns: intent.columns ?? null,
    key: intent.key,
    identity: intent.identity,
    fingerprint: intent.fingerprint,
    payment: intent.payment ?? null,
    body: base64(intent.body),
    owner,
    token_hash: tokenHash,
    at,
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** PostgreSQL's text can hold neither NUL nor invalid Unicode. The reply's own bytes are kept beside it. */
function text(given: string | undefined): string | null {
  return given?.replaceAll('\0', '\ufffd').toWellFormed() ?? null;
}

/**
 * What was spent. Within a transaction, the lock of the asset is held, so each sum is read only once. Each claim is
 * added to it, so that rows claimed in one statement see each other.
 */
export function spendingReads(
  ask: Ask,
  policyNumber: SpendingReads['policyNumber'],
  within?: WithinTransaction,
): SpendingReads {
  const isWithin = within !== undefined;
  const known = new Map<string, Promise<Summed>>();
  const once = (name: string, read: () => Promise<Summed>): Promise<Summed> => {
    const summed = (isWithin ? known.get(name) : undefined) ?? read();
    known.set(name, summed);
    return summed;
  };
  const sum = (scope: SpendingScope, recipient: string): Promise<Summed> => {
    const asset = countedAsset(scope.asset);
    return once(`${asset} ${recipient}`, async () => {
      const rows = await ask('spent', { asset, recipient, since: scope.sinceHour });
      if (isWithin && Number(rows[0]?.unsummed ?? 0) >= mostUnsummed) await ask('sumUp', { asset });
      return summedOf(rows);
    });
  };
  return {
    spending: async (scope): Promise<Spending> => {
      const { recipient } = scope;
      const [total, toRecipient] = await Promise.all([
        sum(scope, ''),
        recipient === undefined ? undefined : sum(scope, recipient),
      ]);
      return { sinceMs: total.sinceMs, total: total.units, toRecipient: toRecipient?.units ?? new Map() };
    },
    policyNumber: async () => (within === undefined ? policyNumber() : within.policyNumber),
    spenders: async (asset, since) =>
      (await ask('spenders', { asset: countedAsset(asset), since })).map(
        (row): Spender => ({ bot: row.bot as string, url: row.url as string }),
      ),
    ownSpending: async (id) => {
      const [row] = await ask('ownSpending', { id });
      const units = row === undefined ? 0n : unitsOf(String(row.units));
      return row === undefined || units <= 0n ? undefined : { hour: Number(row.hour), units };
    },
    paidLike: async (address) =>
      (await ask('paidLike', endsOf(address))).map(
        (row): PaidAddress => ({ address: row.address as string, sinceMs: Number(row.since) }),
      ),
  };
}

/** What was read once the transaction had its locks. */
export type WithinTransaction = { readonly policyNumber: number | undefined };

export function numberOf(cell: Row[string] | undefined): number | undefined {
  return cell === null || cell === undefined ? undefined : Number(cell);
}

/** Up to this many entries are added up for each question. Then they are put into the sums. */
const mostUnsummed = 500;

type Summed = { readonly sinceMs: number | undefined; readonly units: UnitsByHour };

function summedOf(rows: readonly Row[]): Summed {
  const units: UnitsByHour = new Map();
  for (const { hour, units: text } of rows)
    if (hour !== null && hour !== undefined) addUnits(units, Number(hour), unitsOf(String(text)));
  return { sinceMs: numberOf(rows[0]?.complete_since), units };
}

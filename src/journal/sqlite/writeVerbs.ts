import { intentAsBegun } from '../intentAsBegun.ts';
import type { Intent, NewIntent, SpendingWrites, Writes } from '../journal.ts';
import { troubleText } from '../rows.ts';
import type { Ask, Item } from './gathered.ts';
import type { Owners } from './owners.ts';
import { intentOf, type SqlRow, standingOf } from './rows.ts';
import type { Bindings } from './statement.ts';
import type { Store } from './store.ts';

/** Each within a commit. */
export function writeVerbs(
  store: Store,
  owners: Owners,
  self: () => string,
  ask: Ask,
): Omit<Writes, keyof SpendingWrites> {
  const owned = (id: string): Bindings => ({ id, owner: self() });
  const ours = (row: SqlRow): Intent => intentOf(row, () => true);
  /** What this process has an attempt of, as it was when that began. */
  const started = new Map<string, Intent>();
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
      return {
        ...begun,
        ...standingOf(row),
        state,
        why,
        owner: undefined,
        ownerLives: false,
        updatedAtMs: at,
      };
    },
    keepReceipts: async (id, receipts) => {
      await Promise.all(
        receipts.map(({ origin, what, value }) => ask('keepReceipt', { id, origin, what, value })),
      );
    },
    hold: async (id, why, at) => {
      store.run('hold', { id, why, at });
    },
    decide: async (id, { kind, who, atMs, reason, signature = null, fingerprint = null }) => {
      store.insert('addDecision', 'decisions', { id, kind, who, at: atMs, reason, signature, fingerprint });
      // The decision answers whether an earlier attempt landed; only later ones are in doubt again.
      if (kind === 'did-not-happen') store.run('forgetLanding', { id });
      // The word to send again is good for one key's age, counted from when it was given.
      if (kind === 'send-again') store.run('renewLanding', { id, at: atMs });
      if (kind !== 'send-again') store.run('resolve', { id, kind, at: atMs });
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
    leaveBehind: async (id) => {
      store.run('leaveBehind', { id });
    },
  };
}

/** Written out: for each row of a batch, copying with a rest is slow. */
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

/** SQLite's text ends where its first NUL stands, and is Unicode; the reply's own bytes are kept beside it. */
function sqlText(text: string | undefined): string | undefined {
  return text?.replaceAll('\0', '\ufffd').toWellFormed();
}

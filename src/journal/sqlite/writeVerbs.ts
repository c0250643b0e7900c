import { intentAsBegun } from '../intentAsBegun.ts';
import type { Intent, SpendingWrites, Writes } from '../journal.ts';
import type { Owners } from './owners.ts';
import { intentOf, type SqlRow } from './rows.ts';
import type { Bindings } from './statement.ts';
import type { Store } from './store.ts';

/** Each within a commit. */
export function writeVerbs(
  store: Store,
  owners: Owners,
  self: () => string,
): Omit<Writes, keyof SpendingWrites> {
  const owned = (id: string): Bindings => ({ id, owner: self() });
  const ours = (row: SqlRow): Intent => intentOf(row, () => true);
  return {
    begin: async (intent, tokenHash, at) => {
      const owner = self();
      const seq = store.insert('begin', 'intents', { ...intent, owner, tokenHash, at });
      store.insert('startAttempt', 'attempts', { intent: seq, number: 1, at });
      return intentAsBegun(intent, owner, tokenHash, at);
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
      return ours(counted);
    },
    endAttempt: async (id, number, end, at) => {
      store.run('endAttempt', {
        id,
        number,
        at,
        phase: end.phase,
        verdict: end.verdict,
        status: end.status ?? null,
        requestId: uncut(end.requestId),
        trouble: uncut(end.trouble),
        retryAfter: end.retryAfterMs ?? null,
        duplicate: end.duplicate ? 1 : 0,
        verified: end.verified ? 1 : 0,
        reply: end.reply ?? null,
        headers: JSON.stringify(end.headers),
      });
    },
    conclude: async (id, state, why, at) => {
      const ended = store.change('conclude', { ...owned(id), state, why: why ?? null, at }, ours);
      if (ended === undefined && state === 'accepted') store.run('acceptLate', { id, at });
      return ended;
    },
    keepReceipts: async (id, receipts) => {
      for (const receipt of receipts) store.run('keepReceipt', { ...receipt, id });
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

/** SQLite's text ends where its first NUL stands; the reply's own bytes are kept beside it. */
function uncut(text: string | undefined): string | null {
  return text?.replaceAll('\0', '\ufffd') ?? null;
}

import { createHash, randomBytes } from 'node:crypto';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Intent, Journal, NewIntent, Selection, State } from './journal.ts';
import { Owners } from './owners.ts';
import { attemptOf, decisionOf, intentOf, type SqlRow } from './rows.ts';
import { selectionSql } from './selecting.ts';
import { isSound } from './soundness.ts';
import { damaged, isRefusal, journalFailure } from './sqliteFaults.ts';
import { gatherMore, moveGathered, openFile, ownName, withoutSync } from './sqliteFile.ts';
import { type Bindings, prepare, type Statement } from './statement.ts';
import { statements, type Verb } from './statements.ts';

/** Opens the journal at `path`, made new if there is none. */
export function openJournal(path: string): Journal {
  const database = openFile(path);
  const store = new Store(database, path);
  const owners = new Owners(ownName(path));
  const salt = store.guard(() => saltOf(store));

  const self = (): string => store.guard(() => owners.self());
  const owned = (id: string): Bindings => ({ id, owner: self() });

  return {
    path,
    atomically: (work) => store.atomically(work),

    findUnnamed: (identity) => store.one('findUnnamed', { identity }, intentOf),
    findByKey: ({ baseUrl, kind }, key) => store.one('findByKey', { baseUrl, kind, key }, intentOf),
    get: (id) => store.one('get', { id }, intentOf),
    startingWith: (prefix) => {
      const called = store.all('called', { word: prefix }, intentOf);
      return called.length > 0 ? called : store.all('startingWith', { prefix }, intentOf);
    },
    unfinishedTwins: ({ baseUrl }, payment, identity) =>
      store.all('unfinishedTwins', { baseUrl, payment, identity }, intentOf),
    select: (selection) => store.select(selection),
    attemptsOf: (id) => store.all('attemptsOf', { id }, attemptOf),
    tellingAttempt: (id) => store.one('tellingAttempt', { id }, attemptOf),
    decisionsOf: (id) => store.all('decisionsOf', { id }, decisionOf),
    countRows: ({ baseUrl, kind }, name) =>
      store.one('countRows', { baseUrl, kind, name }, (row) => Number(row.count)) ?? 0,
    counts: () => countsOf(store),

    self,
    isAlive: (owner) => store.guard(() => owners.isAlive(owner)),

    begin: (intent, tokenHash, at) =>
      store.atomically(() => {
        const { namedBy = null, name = null, payment = null, ...rest } = intent;
        const owner = self();
        const seq = store.insert('begin', { ...rest, namedBy, name, payment, owner, tokenHash, at });
        store.run('startAttempt', { intent: seq, number: 1, at });
        return begun(intent, owner, tokenHash, at);
      }),
    claim: (id, at) => {
      if (store.run('claim', { ...owned(id), at }) === 0)
        throw new Error(`intent ${id} is being sent already`);
    },
    rewrite: (id, body, fingerprint, payment) => {
      store.run('rewrite', { id, body, fingerprint, payment: payment ?? null });
    },
    recordDeath: (id, at) =>
      store.atomically(() => {
        const intent = store.one('get', { id }, intentOf);
        if (intent?.owner === undefined || owners.isAlive(intent.owner)) return;
        store.run('endDeadAttempts', { id, at });
        store.run('markDead', { id, owner: intent.owner, at });
        owners.forget(intent.owner);
      }),
    startAttempt: (id, tokenHash, at) =>
      store.atomically(() => {
        const counted = store.one('countAttempt', { ...owned(id), tokenHash, at }, (row) => row);
        if (counted === undefined) throw new Error(`intent ${id} is not claimed by this process`);
        store.run('startAttempt', { intent: Number(counted.seq), number: Number(counted.attempts), at });
        return intentOf(counted);
      }),
    endAttempt: (id, number, end, at) => {
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
    conclude: (id, state, why, at) => {
      const ended = store.one('conclude', { ...owned(id), state, why: why ?? null, at }, intentOf);
      if (ended === undefined && state === 'accepted') store.run('acceptLate', { id, at });
      return ended;
    },
    hold: (id, why, at) => {
      store.run('hold', { id, why, at });
    },
    decide: (id, { kind, who, atMs, reason, signature = null }) =>
      store.atomically(() => {
        store.run('addDecision', { id, kind, who, at: atMs, reason, signature });
        // The decision answers whether an earlier attempt landed; only later ones are in doubt again.
        if (kind === 'did-not-happen') store.run('forgetLanding', { id });
        // The word to send again is good for one key's age, counted from when it was given.
        if (kind === 'send-again') store.run('renewLanding', { id, at: atMs });
        if (kind !== 'send-again') store.run('resolve', { id, kind, at: atMs });
      }),
    markReported: (id, at) => withoutSync(database, () => store.run('markReported', { id, at })),
    leaveBehind: (id) => {
      store.run('leaveBehind', { id });
    },

    hashOf: lastRemembered((token) => createHash('sha256').update(salt).update(token).digest('hex')),
    close: () => {
      owners.close();
      store.close();
    },
  };
}

/** Asked for the same token row after row, a batch gets the same answer. */
function lastRemembered(hashOf: (token: string) => string): (token: string) => string {
  let last: { readonly token: string; readonly hash: string } | undefined;
  return (token) => {
    if (last?.token !== token) last = { token, hash: hashOf(token) };
    return last.hash;
  };
}

/** SQLite's text ends where its first NUL stands; the reply's own bytes are kept beside it. */
function uncut(text: string | undefined): string | null {
  return text?.replaceAll('\0', '\ufffd') ?? null;
}

function saltOf(store: Store): Uint8Array {
  const read = (): Uint8Array | undefined =>
    store.one('readMeta', { name: 'salt' }, (row) => row.value as Uint8Array);
  return (
    read() ??
    store.atomically(() => {
      const salt = read() ?? randomBytes(32);
      if (read() === undefined) store.run('writeMeta', { name: 'salt', value: salt });
      return salt;
    })
  );
}

/** As it stands now in the journal. */
function begun(intent: NewIntent, owner: string, tokenHash: string, at: number): Intent {
  return {
    ...intent,
    state: 'sending',
    tainted: false,
    mayHaveLandedAtMs: undefined,
    tokenHash,
    owner,
    why: undefined,
    resolvedAs: undefined,
    attempts: 1,
    createdAtMs: at,
    updatedAtMs: at,
    reportedAtMs: undefined,
  };
}

function countsOf(store: Store): Partial<Record<State, number>> {
  const others = store.all('countsOfOthers', {}, (row) => [row.state as State, Number(row.count)] as const);
  const all = store.one('countAll', {}, (row) => Number(row.count)) ?? 0;
  const accepted = all - others.reduce((sum, [, count]) => sum + count, 0);
  return { ...Object.fromEntries(others), accepted };
}

/** No single command makes as many. */
const manyCommits = 50;

/** The database with its prepared statements and its one way of failing. */
class Store {
  readonly #database: DatabaseSyncInstance;
  readonly #path: string;
  readonly #prepared = new Map<string, Statement>();
  #depth = 0;
  #commits = 0;

  constructor(database: DatabaseSyncInstance, path: string) {
    this.#database = database;
    this.#path = path;
  }

  guard<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (isRefusal(error) && !isSound(this.#database)) throw damaged(this.#path, error);
      throw journalFailure(error, this.#path);
    }
  }

  close(): void {
    if (!this.#database.isOpen) return;
    if (this.#commits >= manyCommits) moveGathered(this.#database);
    this.#database.close();
  }

  atomically<Result>(work: () => Result): Result {
    if (this.#depth > 0) return work();
    return this.guard(() => {
      if (this.#commits === manyCommits) gatherMore(this.#database);
      this.#database.exec('BEGIN IMMEDIATE');
      this.#depth += 1;
      try {
        const result = work();
        this.#database.exec('COMMIT');
        this.#commits += 1;
        return result;
      } catch (error) {
        // After a full disk or an I/O error SQLite may have rolled back by itself.
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      } finally {
        this.#depth -= 1;
      }
    });
  }

  run(verb: Verb, bindings: Bindings): number {
    return this.guard(() => this.#statement(statements[verb]).run(bindings).changes);
  }

  /** The place that the new row got. */
  insert(verb: Verb, bindings: Bindings): number {
    return this.guard(() => this.#statement(statements[verb]).run(bindings).lastInsertRowid);
  }

  one<Result>(verb: Verb, bindings: Bindings, read: (row: SqlRow) => Result): Result | undefined {
    return this.guard(() => {
      const row = this.#statement(statements[verb]).get(bindings);
      return row === undefined ? undefined : read(row);
    });
  }

  all<Result>(verb: Verb, bindings: Bindings, read: (row: SqlRow) => Result): Result[] {
    return this.guard(() => this.#statement(statements[verb]).all(bindings).map(read));
  }

  *select(selection: Selection): Generator<Intent> {
    const { sql, bindings } = selectionSql(selection);
    // A reader that is still open would make this process's own writes fail where others write meanwhile:
    // so all places are read at once, and each intent only when it is asked for.
    const places = this.guard(() => this.#statement(sql).all(bindings));
    for (const { seq } of places) {
      const intent = this.one('bySeq', { seq: Number(seq) }, intentOf);
      if (intent !== undefined) yield intent;
    }
  }

  #statement(sql: string): Statement {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = prepare(this.#database, sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

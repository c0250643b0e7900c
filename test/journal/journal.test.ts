import { describe, expect, test } from 'vitest';
import type { Intent, Journal, Selection } from '../../src/journal/journal.ts';
import { selectionSql } from '../../src/journal/selecting.ts';
import { openFile } from '../../src/journal/sqliteFile.ts';
import { statements } from '../../src/journal/statements.ts';
import { baseUrl, done, endWith, newIntent, newPath, nowMs, opened } from '../helpers/journals.ts';

const ids = (journal: Journal, selection: Partial<Selection> = {}): string[] =>
  [...journal.select({ limit: 1000, ...selection })].map(({ id }) => id);

describe('an intent', () => {
  test('comes back as it was begun', () => {
    const journal = opened();
    const intent = newIntent({
      kind: 'transfer',
      payment: 'p',
      namedBy: 'once',
      name: 'n',
      body: Buffer.from('é\0'),
    });
    const begun = journal.begin(intent, 'hash', nowMs);
    const { body, ...rest } = intent;
    const kept = journal.get(intent.id);
    expect({ ...begun, body: kept?.body }).toEqual(kept);
    expect(kept).toMatchObject({
      ...rest,
      state: 'sending',
      tainted: false,
      attempts: 1,
      owner: journal.self(),
      createdAtMs: nowMs,
    });
    expect(Buffer.from(kept?.body ?? []).equals(body)).toBe(true);
    expect(journal.findByKey({ baseUrl, kind: 'transfer' }, intent.key)?.id).toBe(intent.id);
    expect(journal.findByKey({ baseUrl, kind: 'message' }, intent.key)).toBeUndefined();
  });

  test('keeps what every attempt brought, verbatim', () => {
    const journal = opened();
    const intent = newIntent();
    const { attempts: number } = journal.begin(intent, 'hash', nowMs + 1);
    const end = endWith('rejected', {
      status: 404,
      requestId: 'r\u001b[31m',
      trouble: 't',
      retryAfterMs: 315_360_000_000,
      duplicate: true,
      verified: false,
      reply: Buffer.from([0, 255, 123]),
      headers: { 'x-a': '1', __proto: '2' },
    });
    journal.endAttempt(intent.id, number, end, nowMs + 2);
    const [attempt] = journal.attemptsOf(intent.id);
    expect(attempt).toEqual({
      ...end,
      reply: attempt?.reply,
      number,
      startedAtMs: nowMs + 1,
      endedAtMs: nowMs + 2,
    });
    expect(Buffer.from(attempt?.reply ?? []).equals(Buffer.from([0, 255, 123]))).toBe(true);
  });

  test('without a name is looked for by its identity: an unfinished one first, else the newest', () => {
    const journal = opened();
    const identity = 'same';
    expect(journal.findUnnamed(identity)).toBeUndefined();
    const unknown = done(journal, 'unknown', { identity });
    const accepted = done(journal, 'accepted', { identity });
    expect(journal.findUnnamed(identity)?.id).toBe(unknown);
    journal.hold(unknown, 'w', nowMs);
    expect(journal.findUnnamed(identity)?.id).toBe(unknown);
    journal.leaveBehind(unknown);
    expect(journal.findUnnamed(identity)?.id).toBe(accepted);
    const rejected = done(journal, 'rejected', { identity });
    expect(journal.findUnnamed(identity)?.id).toBe(rejected);
  });

  test('is claimed by one only, and tried only by whom it is claimed', () => {
    const path = newPath();
    const one = opened(path);
    const other = opened(path);
    const intent = newIntent();
    one.begin(intent, 'h', nowMs);
    expect(() => other.claim(intent.id, nowMs)).toThrow('is being sent already');
    expect(() => other.startAttempt(intent.id, 'h', nowMs)).toThrow('is not claimed by this process');
    expect(one.get(intent.id)?.attempts).toBe(1);
    expect(one.startAttempt(intent.id, 'h', nowMs).attempts).toBe(2);
    expect(() => one.begin({ ...newIntent(), key: intent.key }, 'h', nowMs)).toThrow();
  });
});

describe('an owner that comes late', () => {
  /** Begun and tried by `late`, whom everybody then takes for dead. */
  function overtaken(): { late: Journal; now: Journal; id: string; number: number } {
    const path = newPath();
    const late = opened(path);
    const now = opened(path);
    const intent = newIntent({ namedBy: 'once', name: 'n' });
    const { attempts: number } = late.begin(intent, 'h', nowMs);
    const raw = openFile(path);
    raw.exec(`UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = 1`);
    raw.exec(`UPDATE intents SET state = 'unknown', owner = NULL`);
    raw.close();
    return { late, now, id: intent.id, number };
  }

  const lateAccepted = ({ late, id, number }: ReturnType<typeof overtaken>): Intent | undefined => {
    late.endAttempt(id, number, endWith('accepted'), nowMs + 9);
    return late.conclude(id, 'accepted', undefined, nowMs + 9);
  };

  test.each<[string, (world: ReturnType<typeof overtaken>) => void]>([
    ['unknown', () => {}],
    ['held', ({ now, id }) => now.hold(id, 'w', nowMs)],
    [
      'resolved as happened',
      ({ now, id }) =>
        now.decide(id, { kind: 'happened', who: 'w', atMs: nowMs, reason: 'r', signature: undefined }),
    ],
    [
      'resolved as did-not-happen',
      ({ now, id }) =>
        now.decide(id, { kind: 'did-not-happen', who: 'w', atMs: nowMs, reason: 'r', signature: undefined }),
    ],
    ['being sent by another', ({ now, id }) => now.claim(id, nowMs)],
  ])('records accepted over %s', (_state, meanwhile) => {
    const world = overtaken();
    meanwhile(world);
    expect(lateAccepted(world)).toBeUndefined();
    const { now, id } = world;
    expect(now.get(id)).toMatchObject({ state: 'accepted', owner: undefined, resolvedAs: undefined });
    expect(now.tellingAttempt(id)?.verdict).toBe('accepted');
  });

  test('the one who sends meanwhile is told, and its own reply is kept', () => {
    const world = overtaken();
    const { now, id } = world;
    now.claim(id, nowMs);
    const { attempts: second } = now.startAttempt(id, 'h', nowMs);
    lateAccepted(world);
    now.endAttempt(id, second, endWith('unknown', { status: 500 }), nowMs + 10);
    expect(now.conclude(id, 'unknown', undefined, nowMs + 10)).toBeUndefined();
    expect(now.get(id)?.state).toBe('accepted');
    expect(now.attemptsOf(id).map(({ verdict }) => verdict)).toEqual(['accepted', 'unknown']);
    expect(now.tellingAttempt(id)?.number).toBe(1);
  });

  test.each(['unknown', 'rejected', 'open', 'held'] as const)('changes nothing by %s', (state) => {
    const { late, now, id } = overtaken();
    expect(late.conclude(id, state, undefined, nowMs)).toBeUndefined();
    expect(now.get(id)?.state).toBe('unknown');
  });
});

describe('a decision', () => {
  test('is kept with who, when and why, and the doubt begins anew after it', () => {
    const journal = opened();
    const id = done(journal, 'unknown', { namedBy: 'once', name: 'n' });
    expect(journal.get(id)?.mayHaveLandedAtMs).toBe(nowMs);
    const decision = {
      kind: 'did-not-happen',
      who: 'a@b',
      atMs: 5,
      reason: 'r',
      signature: undefined,
    } as const;
    journal.decide(id, decision);
    expect(journal.decisionsOf(id)).toEqual([decision]);
    expect(journal.get(id)).toMatchObject({
      state: 'resolved',
      resolvedAs: 'did-not-happen',
      tainted: true,
      mayHaveLandedAtMs: undefined,
    });
  });

  test('that cannot be carried out is not kept', () => {
    const journal = opened();
    const id = done(journal, 'accepted');
    expect(() =>
      journal.decide(id, { kind: 'did-not-happen', who: 'w', atMs: 1, reason: 'r', signature: undefined }),
    ).toThrow();
    expect(journal.decisionsOf(id)).toEqual([]);
  });
});

describe('unfinished payments', () => {
  test('to the same address under another identity are found, whatever they are called', () => {
    const journal = opened();
    const place = { baseUrl, kind: 'transfer' } as const;
    const transfer = { kind: 'transfer', payment: 'p' } as const;
    const unknown = done(journal, 'unknown', transfer);
    done(journal, 'accepted', transfer);
    done(journal, 'rejected', transfer);
    done(journal, 'unknown', { ...transfer, payment: 'q' });
    done(journal, 'unknown', { ...transfer, identity: 'mine' });
    const sending = newIntent(transfer);
    journal.begin(sending, 'h', nowMs);
    expect(journal.unfinishedTwins(place, 'p', 'mine').map(({ id }) => id)).toEqual([unknown, sending.id]);
  });
});

describe('intents that begin so', () => {
  test('are found by id and by key, two at most', () => {
    const journal = opened();
    const begin = (id: string, key: string): unknown => journal.begin(newIntent({ id, key }), 'h', nowMs);
    begin('aaaa1111', 'zzzz-1');
    begin('aaaa2222', 'zzzz-2');
    begin('bbbb3333', 'aaaa2-key');
    begin('cccc%', 'dd_d');
    const found = (prefix: string): string[] => journal.startingWith(prefix).map(({ id }) => id);
    expect(found('aaaa1')).toEqual(['aaaa1111']);
    expect(found('aaaa2').sort()).toEqual(['aaaa2222', 'bbbb3333']);
    expect(found('aaaa')).toHaveLength(2);
    expect(found('zzzz-2')).toEqual(['aaaa2222']);
    expect(found('cccc%')).toEqual(['cccc%']);
    expect(found('%')).toEqual([]);
    expect(found('____')).toEqual([]);
    expect(found('ddxd')).toEqual([]);
    expect(found('AAAA1')).toEqual([]);
  });

  test('a whole key is no mere beginning', () => {
    const journal = opened();
    journal.begin(newIntent({ id: 'i1', key: 'payday' }), 'h', nowMs);
    journal.begin(newIntent({ id: 'i2', key: 'payday-2' }), 'h', nowMs);
    expect(journal.startingWith('payday').map(({ id }) => id)).toEqual(['i1']);
    expect(journal.startingWith('payda')).toHaveLength(2);
  });

  test('two of one key at two places are two', () => {
    const journal = opened();
    journal.begin(newIntent({ id: 'i1', key: 'payday' }), 'h', nowMs);
    journal.begin(newIntent({ id: 'i2', key: 'payday', kind: 'transfer', payment: 'p' }), 'h', nowMs);
    expect(journal.startingWith('payday')).toHaveLength(2);
  });

  test('one whose id and key both begin so is one', () => {
    const journal = opened();
    journal.begin(newIntent({ id: 'same-1', key: 'same-2' }), 'h', nowMs);
    expect(journal.startingWith('same')).toHaveLength(1);
  });
});

describe('a selection', () => {
  function some(journal: Journal): Record<'old' | 'unknown' | 'held' | 'transfer', string> {
    const old = done(journal, 'accepted', {}, nowMs - 1000);
    const unknown = done(journal, 'unknown', {}, nowMs - 500);
    const held = done(journal, 'held', {}, nowMs);
    const transfer = done(journal, 'accepted', { kind: 'transfer', payment: 'p' }, nowMs);
    return { old, unknown, held, transfer };
  }

  test('is newest first, those of one moment in the order they began', () => {
    const journal = opened();
    const { old, unknown, held, transfer } = some(journal);
    expect(ids(journal)).toEqual([transfer, held, unknown, old]);
    expect(ids(journal, { limit: 2 })).toEqual([transfer, held]);
    expect(ids(journal, { limit: 0 })).toEqual([]);
    expect(ids(journal, { states: ['unknown', 'held'] })).toEqual([held, unknown]);
    expect(ids(journal, { states: ['accepted'] })).toEqual([transfer, old]);
    expect(ids(journal, { states: [] })).toEqual([]);
    expect(ids(journal, { kind: 'transfer' })).toEqual([transfer]);
    expect(ids(journal, { sinceMs: nowMs - 500 })).toEqual([transfer, held, unknown]);
    expect(ids(journal, { states: ['unknown'], kind: 'message', sinceMs: nowMs - 500 })).toEqual([unknown]);
  });

  test('the counts are those of the states', () => {
    const journal = opened();
    expect(journal.counts()).toEqual({ accepted: 0 });
    some(journal);
    expect(journal.counts()).toEqual({ accepted: 2, unknown: 1, held: 1 });
  });

  test('of many comes whole, each one once', () => {
    const journal = opened();
    const begun = journal.atomically(() =>
      Array.from({ length: 1234 }, (_, n) => done(journal, 'unknown', {}, nowMs + (n % 7))),
    );
    const found = ids(journal, { limit: Number.MAX_SAFE_INTEGER });
    expect(found).toHaveLength(1234);
    expect(new Set(found)).toEqual(new Set(begun));
    expect(ids(journal, { limit: 1001 })).toEqual(found.slice(0, 1001));
  });

  test('may be written to while it is read, also by another process', () => {
    const path = newPath();
    const journal = opened(path);
    const other = opened(path);
    for (let nth = 0; nth < 5; nth += 1) done(journal, 'unknown');
    for (const { id } of journal.select({ states: ['unknown'], limit: 100 })) {
      done(other, 'accepted');
      journal.hold(id, 'w', nowMs);
    }
    expect(journal.counts()).toEqual({ accepted: 5, held: 5 });
  });

  test('may be left half read, and read twice at once', () => {
    const journal = opened();
    for (let nth = 0; nth < 5; nth += 1) done(journal, 'unknown');
    const seen: string[] = [];
    for (const outer of journal.select({ limit: 2 })) {
      for (const inner of journal.select({ limit: 2 })) {
        seen.push(`${outer.id}/${inner.id}`);
        if (seen.length % 2 === 0) break;
      }
    }
    expect(new Set(seen).size).toBe(4);
  });
});

describe('what is asked for is found by an index', () => {
  const database = (): ReturnType<typeof openFile> => openFile(newPath());

  const planOf = (sql: string, file = database()): string => {
    const rows = file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
    file.close();
    return rows.map(({ detail }) => detail).join('; ');
  };

  test.each(
    Object.entries(statements).filter(([verb, sql]) => sql.startsWith('SELECT') && verb !== 'countAll'),
  )('%s', (_verb, sql) => {
    expect(planOf(sql)).not.toMatch(/SCAN (intents|attempts|decisions)(?! USING (COVERING )?INDEX)/u);
  });

  test.each<[Partial<Selection>, RegExp]>([
    [{}, /^SCAN intents USING COVERING INDEX intents_created$/u],
    [{ kind: 'transfer' }, /^SCAN intents USING INDEX intents_created$/u],
    [{ sinceMs: 1 }, /^SEARCH intents USING COVERING INDEX intents_created \(created_at>\?\)$/u],
    [{ states: ['accepted'] }, /^SCAN intents USING INDEX intents_created$/u],
    [{ states: ['unknown'] }, /^SEARCH intents USING (COVERING )?INDEX intents_not_accepted \(state=\?\)$/u],
    [{ states: ['unknown', 'sending'] }, /USING (COVERING )?INDEX intents_not_accepted \(state=\?\)/u],
  ])('a selection of %j', (selection, plan) => {
    expect(planOf(selectionSql({ limit: 20, ...selection }).sql)).toMatch(plan);
  });
});

describe('a token’s hash', () => {
  test('is the same for the journal’s life and says nothing elsewhere', () => {
    const path = newPath();
    const first = opened(path);
    const hash = first.hashOf('token');
    expect(hash).toMatch(/^[0-9a-f]{64}$/u);
    expect(opened(path).hashOf('token')).toBe(hash);
    expect(first.hashOf('other')).not.toBe(hash);
    expect(opened().hashOf('token')).not.toBe(hash);
  });
});

describe('several changes at once', () => {
  test('are all made or none', () => {
    const journal = opened();
    const intent = newIntent();
    expect(() =>
      journal.atomically(() => {
        journal.begin(intent, 'h', nowMs);
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(journal.get(intent.id)).toBeUndefined();
    journal.begin(intent, 'h', nowMs);
  });
});

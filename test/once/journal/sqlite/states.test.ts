import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { states } from '../../../../src/once/journal/columns.ts';
import { openFile } from '../../../../src/once/journal/file/opening.ts';
import type { State } from '../../../../src/once/journal/journal.ts';
import { newPath } from '../../../../testing/journals.ts';

let database: DatabaseSyncInstance;
beforeEach(() => {
  database = openFile(newPath()).database;
});
afterEach(() => database.close());

type Setup = { tainted?: boolean; named?: boolean; resolvedAs?: 'happened' | 'did-not-happen' };

/** Brings intent 1 into a state by statements alone, on a way that the journal allows. */
function bring(
  state: State,
  { tainted = false, named = true, resolvedAs = 'did-not-happen' }: Setup = {},
): void {
  const name = named ? `'once', 'n'` : 'NULL, NULL';
  database.exec(`
    INSERT INTO intents (seq, id, kind, base_url, bot, named_by, name, key, identity, fingerprint, body, state, owner,
      created_at, updated_at)
    VALUES (1, 'i', 'message', 'u', 'b', ${name}, 'k', 'd', 'f', x'7b7d', 'sending', 'o', 1, 1);
    INSERT INTO attempts (seq, intent, number, started_at) VALUES (1, 1, 1, 1);`);
  if (tainted || state === 'unknown' || state === 'held')
    database.exec('UPDATE intents SET tainted = 1, may_have_landed_at = 1');
  if (state === 'sending') return;
  if (state === 'accepted') accept();
  const way =
    state === 'resolved'
      ? [tainted ? 'unknown' : 'open', 'resolved']
      : state === 'declined'
        ? ['open', 'declined']
        : [state];
  for (const step of way) move(step as State, resolvedAs);
}

function accept(): void {
  database.exec(`UPDATE attempts SET verdict = 'accepted', phase = 'replied', ended_at = 2`);
}

function move(state: State, resolvedAs = 'did-not-happen'): void {
  database.exec(`UPDATE intents SET state = '${state}',
    owner = ${state === 'sending' ? `'p'` : 'NULL'},
    resolved_as = ${state === 'resolved' ? `'${resolvedAs}'` : 'NULL'},
    tainted = ${isDoubtful(state) ? 1 : 'tainted'}, may_have_landed_at = ${isDoubtful(state) ? 1 : 'may_have_landed_at'}`);
}

const isDoubtful = (state: State): boolean => state === 'unknown' || state === 'held';

function stateNow(): unknown {
  return database.prepare('SELECT state FROM intents').get()?.state;
}

// Written from the design, not from the schema.
const allowed: Record<State, readonly State[]> = {
  open: ['sending', 'resolved', 'declined', 'accepted'],
  sending: ['open', 'unknown', 'accepted', 'rejected', 'held'],
  unknown: ['sending', 'held', 'resolved', 'accepted'],
  accepted: [],
  rejected: ['sending', 'resolved', 'declined', 'accepted'],
  held: ['sending', 'resolved', 'accepted'],
  resolved: ['sending', 'accepted'],
  declined: ['accepted'],
};

describe('how an intent moves', () => {
  const pairs = states.flatMap((from) => states.filter((to) => to !== from).map((to) => [from, to] as const));

  test.each(pairs)('from %s to %s', (from, to) => {
    bring(from);
    if (to === 'accepted' && from !== 'accepted') accept();
    if (allowed[from].includes(to)) {
      move(to);
      expect(stateNow()).toBe(to);
    } else {
      expect(() => move(to)).toThrow(/no intent moves between these states|CHECK constraint/u);
      expect(stateNow()).toBe(from);
    }
  });

  test.each(states)('never to a state that is none, from %s', (from) => {
    bring(from);
    expect(() => database.exec(`UPDATE intents SET state = 'done'`)).toThrow();
  });

  test('to accepted only by an accepted attempt', () => {
    bring('unknown');
    expect(() => move('accepted')).toThrow('only an accepted attempt makes an intent accepted');
  });

  test('to sending not where it happened', () => {
    bring('resolved', { resolvedAs: 'happened' });
    expect(() => move('sending')).toThrow('what happened is not sent again');
  });

  test('from one owner to another only through unknown', () => {
    bring('sending');
    expect(() => database.exec(`UPDATE intents SET owner = 'p'`)).toThrow(
      'a claim passes on only through unknown',
    );
    move('unknown');
    move('sending');
  });
});

describe('what may have landed', () => {
  test.each(['open', 'rejected'] as const)('is never %s again', (state) => {
    bring('sending', { tainted: true });
    expect(() => move(state)).toThrow('CHECK constraint failed');
  });

  test.each(['unknown', 'held'] as const)('is what %s means', (state) => {
    bring('sending');
    const statement = `UPDATE intents SET state = '${state}', owner = NULL`;
    expect(() => database.exec(statement)).toThrow('CHECK constraint failed');
  });

  test('stays so', () => {
    bring('unknown');
    expect(() => database.exec('UPDATE intents SET tainted = 0')).toThrow('a tainted intent stays tainted');
  });

  test.each(['unknown', 'held'])('is what an attempt that ended %s makes of its intent', (verdict) => {
    bring('sending');
    database.exec(`UPDATE attempts SET verdict = '${verdict}', phase = 'sent', ended_at = 2`);
    expect(database.prepare('SELECT tainted, may_have_landed_at AS at FROM intents').get()).toEqual({
      tainted: 1,
      at: 1,
    });
  });

  test.each(['rejected', 'unsent', 'limited', 'accepted'])(
    'is not said of an attempt that ended %s',
    (verdict) => {
      bring('sending');
      database.exec(`UPDATE attempts SET verdict = '${verdict}', phase = 'replied', ended_at = 2`);
      expect(database.prepare('SELECT tainted FROM intents').get()?.tainted).toBe(0);
    },
  );
});

describe('what is written stays', () => {
  test.each([
    ['its id', `UPDATE intents SET id = 'x'`],
    ['its key', `UPDATE intents SET key = 'x'`],
    ['its identity', `UPDATE intents SET identity = 'x'`],
    ['its base URL', `UPDATE intents SET base_url = 'x'`],
    ['its kind', `UPDATE intents SET kind = 'transfer'`],
    ['its name', `UPDATE intents SET name = 'x'`],
    ['how it is named', `UPDATE intents SET named_by = 'run'`],
    ['when it began', `UPDATE intents SET created_at = 0`],
    ['its place in the journal', `UPDATE intents SET seq = 9`],
  ])('an intent keeps %s', (_what, statement) => {
    bring('open');
    expect(() => database.exec(statement)).toThrow('an intent keeps its key and identity');
  });

  test('an intent’s attempts are not uncounted', () => {
    bring('open');
    database.exec('UPDATE intents SET attempts = 2');
    expect(() => database.exec('UPDATE intents SET attempts = 1')).toThrow('attempts are not uncounted');
  });

  const rewrites = [`body = x'7b'`, `fingerprint = 'g'`, `bot = 'x'`];

  test.each(
    (['sending', 'unknown', 'held', 'accepted'] as const).flatMap((state) =>
      rewrites.map((rewrite) => [state, rewrite] as const),
    ),
  )('what is %s keeps its body: %s', (state, rewrite) => {
    bring(state);
    expect(() => database.exec(`UPDATE intents SET ${rewrite}`)).toThrow('the body of an intent is frozen');
  });

  test.each<[State, Setup]>([
    ['resolved', { tainted: true }],
    ['resolved', { resolvedAs: 'happened' }],
  ])('what is %s %j keeps its body', (state, setup) => {
    bring(state, setup);
    for (const rewrite of rewrites) {
      expect(() => database.exec(`UPDATE intents SET ${rewrite}`)).toThrow('the body of an intent is frozen');
    }
  });

  test.each(['open', 'rejected', 'resolved'] as const)(
    'what is %s, and never may have landed, may get another',
    (state) => {
      bring(state);
      for (const rewrite of rewrites) database.exec(`UPDATE intents SET ${rewrite}`);
      expect(database.prepare('SELECT body, fingerprint FROM intents').get()).toEqual({
        body: Uint8Array.of(0x7b),
        fingerprint: 'g',
      });
    },
  );

  test.each(['rejected', 'resolved'] as const)(
    'what is %s, and was ever proposed, gets no other',
    (state) => {
      bring(state);
      database.exec(
        `INSERT INTO decisions (intent, kind, who, at, reason) SELECT seq, 'proposed', 'w', 1, 'r' FROM intents`,
      );
      for (const rewrite of rewrites)
        expect(() => database.exec(`UPDATE intents SET ${rewrite}`)).toThrow(
          'the body of an intent is frozen',
        );
    },
  );

  test('when an outcome was first reported', () => {
    bring('accepted');
    database.exec('UPDATE intents SET reported_at = 5');
    expect(() => database.exec('UPDATE intents SET reported_at = 6')).toThrow('first reported once');
    expect(() => database.exec('UPDATE intents SET reported_at = NULL')).toThrow('first reported once');
  });

  test.each([
    ['another intent', 'intent = 2'],
    ['another number', 'number = 2'],
    ['another start', 'started_at = 0'],
    ['another place', 'seq = 9'],
  ])('an attempt gets no %s', (_what, change) => {
    bring('sending');
    expect(() => database.exec(`UPDATE attempts SET ${change}`)).toThrow('an attempt stays where it began');
  });

  test.each([`verdict = 'rejected'`, 'status = 500', `reply = x''`, 'verdict = NULL, ended_at = NULL'])(
    'an attempt that ended is not changed: %s',
    (change) => {
      bring('accepted');
      expect(() => database.exec(`UPDATE attempts SET ${change}`)).toThrow('an attempt ends once');
    },
  );

  test('an attempt whose process was thought dead may still end, once', () => {
    bring('sending');
    database.exec(`UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = 2`);
    database.exec(`UPDATE attempts SET verdict = 'accepted', phase = 'replied', ended_at = 3`);
    expect(() => database.exec(`UPDATE attempts SET verdict = 'rejected'`)).toThrow('an attempt ends once');
  });

  test('an attempt begins without a verdict', () => {
    bring('sending');
    expect(() =>
      database.exec(`INSERT INTO attempts (intent, number, started_at, ended_at, verdict, phase)
                     VALUES (1, 2, 1, 2, 'accepted', 'replied')`),
    ).toThrow('an attempt begins without a verdict');
  });

  test.each(states.filter((state) => state !== 'sending'))(
    'no attempt is begun where nobody sends: %s',
    (state) => {
      bring(state);
      expect(() =>
        database.exec('INSERT INTO attempts (intent, number, started_at) VALUES (1, 2, 1)'),
      ).toThrow('an attempt needs a claim');
    },
  );

  test('an attempt belongs to an intent', () => {
    expect(() =>
      database.exec('INSERT INTO attempts (intent, number, started_at) VALUES (7, 1, 1)'),
    ).toThrow();
  });

  const decision = `INSERT INTO decisions (seq, intent, kind, who, at, reason) VALUES (1, 1, 'happened', 'w', 1, 'r')`;

  test.each(['reason = $$', 'kind = $send-again$', 'who = $x$', 'at = 2'])(
    'a decision stands: %s',
    (change) => {
      bring('unknown');
      database.exec(decision);
      const statement = `UPDATE decisions SET ${change.replaceAll('$', `'`)}`;
      expect(() => database.exec(statement)).toThrow('a decision stands as it was made');
    },
  );

  test.each(['intents', 'attempts', 'decisions'])('nothing is deleted from %s', (table) => {
    bring('unknown');
    database.exec(decision);
    expect(() => database.exec(`DELETE FROM ${table}`)).toThrow('nothing is deleted from the journal');
  });

  test.each([
    [
      'intents',
      `INSERT OR REPLACE INTO intents (id, kind, base_url, bot, key, identity, fingerprint, body, state, owner, created_at, updated_at)
       VALUES ('i', 'message', 'u', 'b', 'k2', 'd', 'f', x'7b7d', 'sending', 'o', 1, 1)`,
    ],
    [
      'intents, by key',
      `INSERT OR REPLACE INTO intents (id, kind, base_url, bot, key, identity, fingerprint, body, state, owner, created_at, updated_at)
       VALUES ('j', 'message', 'u', 'b', 'k', 'd', 'f', x'7b7d', 'sending', 'o', 1, 1)`,
    ],
    ['attempts', `INSERT OR REPLACE INTO attempts (intent, number, started_at) VALUES (1, 1, 9)`],
    ['decisions', decision.replace('INSERT', 'INSERT OR REPLACE')],
  ])('nothing is replaced in %s', (_table, statement) => {
    bring('unknown');
    database.exec(decision);
    move('sending');
    expect(() => database.exec(statement)).toThrow('nothing is replaced in the journal');
  });
});

describe('how an intent begins', () => {
  const values: Record<string, string> = {
    id: `'i'`,
    kind: `'message'`,
    base_url: `'u'`,
    bot: `'b'`,
    key: `'k'`,
    identity: `'d'`,
    fingerprint: `'f'`,
    body: `x'7b7d'`,
    state: `'sending'`,
    owner: `'o'`,
    created_at: '1',
    updated_at: '1',
  };
  const insert = (change: Record<string, string>): void => {
    const all = { ...values, ...change };
    database.exec(`INSERT INTO intents (${Object.keys(all)}) VALUES (${Object.values(all)})`);
  };

  test('claimed and untainted', () => {
    insert({});
    expect(stateNow()).toBe('sending');
  });

  test.each<[string, Record<string, string>]>([
    ['in another state', { state: `'open'`, owner: 'NULL' }],
    ['accepted', { state: `'accepted'`, owner: 'NULL' }],
    ['tainted', { tainted: '1' }],
    ['without an owner', { owner: 'NULL' }],
    ['with an empty key', { key: `''` }],
    ['with an unknown kind', { kind: `'mail'` }],
    ['with a name that nothing gave', { name: `'n'` }],
    ['named by something unknown', { named_by: `'it'`, name: `'n'` }],
    ['named by something without a name', { named_by: `'once'` }],
    ['a message with a payment', { payment: `'p'` }],
    ['a transfer without a payment', { kind: `'transfer'` }],
    ['resolved already', { resolved_as: `'happened'` }],
    ['without a body', { body: 'NULL' }],
    ['with a text as its time', { created_at: `'now'` }],
  ])('never %s', (_how, change) => {
    expect(() => insert(change)).toThrow();
    expect(stateNow()).toBeUndefined();
  });

  test('never with a key that another one at the same place has', () => {
    insert({});
    expect(() => insert({ id: `'j'` })).toThrow();
    insert({ id: `'j'`, kind: `'transfer'`, payment: `'p'` });
    insert({ id: `'l'`, base_url: `'v'` });
  });
});

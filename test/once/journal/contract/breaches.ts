import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { states } from '../../../../src/once/journal/columns.ts';
import type { State } from '../../../../src/once/journal/journal.ts';
import { deletion, rules, tablesNeverDeletedFrom } from '../../../../src/once/journal/schema.ts';

/** The tables of a new journal, for statements alone. A statement that is refused changes nothing. */
export type Tables = {
  run(sql: string): Promise<void>;
  /** The first row, every value as text. */
  row(sql: string): Promise<Readonly<Record<string, string>> | undefined>;
  close(): Promise<void>;
};

type Row = Readonly<Record<string, string>>;

/** An entry, as the journal begins one. */
export function beginning(changes: Row = {}): string {
  const is: Row = {
    ...{
      seq: '1',
      id: `'i'`,
      kind: `'message'`,
      base_url: `'u'`,
      bot: `'b'`,
      named_by: `'once'`,
      name: `'n'`,
    },
    ...{ key: `'k'`, identity: `'d'`, fingerprint: `'f'`, body: '@body', attempts: '1', created_at: '1' },
    ...{ updated_at: '1', state: `'sending'`, owner: `'o'` },
    ...changes,
  };
  return `INSERT INTO entries (${Object.keys(is)}) VALUES (${Object.values(is)})`;
}

const begin = beginning();
const attempt = (number: number): string =>
  `INSERT INTO attempts (entry, number, started_at) VALUES (1, ${number}, 1)`;
const end = (verdict: string): string =>
  `UPDATE attempts SET verdict = '${verdict}', phase = 'replied', ended_at = 2`;
const doubt = 'UPDATE entries SET was_in_doubt = 1, in_doubt_since = 1';

/** As an engine moves it: what is unknown or held is in doubt from then on. */
function move(state: State, resolvedAs = 'did-not-happen'): string {
  return `UPDATE entries SET state = '${state}',
    owner = ${state === 'sending' ? `'p'` : 'NULL'},
    resolved_as = ${state === 'resolved' ? `'${resolvedAs}'` : 'NULL'}${
      state === 'unknown' || state === 'held' ? ', was_in_doubt = 1, in_doubt_since = 1' : ''
    }`;
}

type Setup = { inDoubt?: true; resolvedAs?: 'happened' };

/** The statements that bring the entry into a state, on a way that the journal allows. */
function ways(state: State, { inDoubt, resolvedAs }: Setup = {}): string[] {
  const begun = [begin, attempt(1), ...(inDoubt ? [doubt] : [])];
  if (state === 'sending') return begun;
  if (state === 'accepted') return [...begun, end('accepted'), move(state)];
  const between: State[] =
    state === 'resolved' ? [inDoubt ? 'unknown' : 'open'] : state === 'declined' ? ['open'] : [];
  return [...begun, ...between.map((one) => move(one)), move(state, resolvedAs)];
}

/** How an entry may move otherwise than to be accepted. Written from the design, not from the schema. */
const allowed: Record<State, readonly State[]> = {
  open: ['sending', 'resolved', 'declined'],
  sending: ['open', 'unknown', 'rejected', 'held'],
  unknown: ['sending', 'held', 'resolved'],
  accepted: [],
  rejected: ['sending', 'resolved', 'declined'],
  held: ['sending', 'resolved'],
  resolved: ['sending'],
  declined: [],
};

const moves = states.flatMap((from) => states.filter((to) => to !== from).map((to) => [from, to] as const));
const others = states.filter((state) => state !== 'sending');

const observe = (verdict: string): string =>
  `INSERT INTO observations (entry, verdict, at, signature, genesis, facts)
   VALUES (1, '${verdict}', 1, 's', 'g', '{}')`;
const decide = (kind = 'happened') =>
  `INSERT INTO decisions (entry, kind, who, at, reason) VALUES (1, '${kind}', 'w', 1, 'r')`;
const keep = `INSERT INTO receipts (origin, what, value, entry) VALUES ('u', 'signature', 's', 1)`;
const batch = `INSERT INTO batches (name, base_url, kind, rows, invalid) VALUES ('b', 'u', 'message', 1, 0)`;

const closing = (kind: string, ended = 'NULL, NULL') =>
  `INSERT INTO closings (kind, who, at, reason, ended_at, ended_by) VALUES ('${kind}', 'w', 1, 'r', ${ended})`;
const endClosing = `UPDATE closings SET ended_at = 2, ended_by = 'w'`;

type Breach = readonly [says: string, ...statements: readonly string[]];

const rewrites = [`body = @other`, `fingerprint = 'g'`, `bot = 'x'`];
const frozen = (before: readonly string[]): Breach[] =>
  rewrites.map((one) => ['the body of an entry is frozen', ...before, `UPDATE entries SET ${one}`]);
const each = (says: string, before: readonly string[], table: string, changes: readonly string[]): Breach[] =>
  changes.map((change) => [says, ...before, `UPDATE ${table} SET ${change}`]);

/** What breaks a rule, after statements that break none. */
const breaches: readonly Breach[] = [
  ...each('a journal keeps its id and its salt', [], 'meta', [
    `name = 'x' WHERE name = 'salt'`,
    `value = @other WHERE name = 'salt'`,
    `value = @other WHERE name = 'journal-id'`,
  ]),
  [
    'a loss stands as it was accepted',
    `INSERT INTO losses (who, at, detail) VALUES ('w', 1, '{}')`,
    `UPDATE losses SET detail = 'x'`,
  ],
  ...each('a closing ends once, and that of a move never', [closing('backup')], 'closings', [
    `kind = 'person'`,
    `who = 'x'`,
    'at = 2',
    `reason = 'x'`,
  ]),
  ['a closing ends once, and that of a move never', closing('backup'), endClosing, endClosing],
  ['a closing ends once, and that of a move never', closing('moved'), endClosing],
  ...[
    { state: `'open'`, owner: 'NULL' },
    { state: `'accepted'`, owner: 'NULL' },
    { was_in_doubt: '1' },
    { state: `'held'`, owner: 'NULL', why: `'policy'`, attempts: '0' },
    { state: `'held'`, owner: 'NULL', attempts: '0' },
  ].map(
    (changes): Breach => ['an entry begins claimed, or as a proposal, and not in doubt', beginning(changes)],
  ),
  ...each('an entry keeps its key and identity', ways('open'), 'entries', [
    ...[`id = 'x'`, `key = 'x'`, `identity = 'x'`, `base_url = 'x'`, `kind = 'transfer'`, `name = 'x'`],
    ...[`named_by = 'run'`, 'created_at = 0', 'seq = 9', `row_id = 'x'`, `columns = 'x'`],
  ]),
  ...(['sending', 'unknown', 'held', 'accepted'] as const).flatMap((state) => frozen(ways(state))),
  ...frozen(ways('resolved', { inDoubt: true })),
  ...frozen(ways('resolved', { resolvedAs: 'happened' })),
  ...(['open', 'rejected', 'resolved'] as const).flatMap((state) =>
    frozen([...ways(state), decide('proposed')]),
  ),
  ['attempts are not uncounted', begin, 'UPDATE entries SET attempts = 0'],
  ['an entry in doubt stays in doubt', ...ways('unknown'), 'UPDATE entries SET was_in_doubt = 0'],
  ...each(
    'an outcome is first reported once',
    [...ways('accepted'), 'UPDATE entries SET reported_at = 5'],
    'entries',
    ['reported_at = 6', 'reported_at = NULL'],
  ),
  ['no entry moves between these states', ...ways('open'), move('held')],
  ['what happened is not sent again', ...ways('resolved', { resolvedAs: 'happened' }), move('sending')],
  ...others
    .filter((state) => state !== 'accepted')
    .map(
      (state): Breach => [
        'only an accepted attempt makes an entry accepted',
        ...ways(state),
        move('accepted'),
      ],
    ),
  ['a claim passes on only through unknown', begin, `UPDATE entries SET owner = 'p'`],
  ...others.map((state): Breach => ['an attempt needs a claim', ...ways(state), attempt(2)]),
  [
    'an attempt begins without a verdict',
    begin,
    `INSERT INTO attempts (entry, number, started_at, ended_at, verdict) VALUES (1, 1, 1, 2, 'accepted')`,
  ],
  ...each('an attempt stays where it began', ways('sending'), 'attempts', [
    ...['entry = 99', 'number = 2', 'started_at = 0', 'seq = 9'],
  ]),
  ...each('an attempt ends once', ways('accepted'), 'attempts', [
    ...[`verdict = 'rejected'`, 'status = 500', 'reply = @other', 'verdict = NULL, ended_at = NULL'],
  ]),
  ['what is proven has a payment of its own', begin, observe('proven')],
  ['a batch keeps its name', batch, `UPDATE batches SET name = 'c'`],
  ...each('a decision stands as it was made', [begin, decide()], 'decisions', [
    ...[`reason = ''`, `kind = 'send-again'`, `who = 'x'`, 'at = 2'],
  ]),
  ['a receipt stands as it was given', begin, keep, `UPDATE receipts SET value = 't'`],
  ['an observation stands as it was made', begin, observe('likely'), `UPDATE observations SET facts = '[]'`],
];

/** What one row must not say of itself, whichever rule or column's check finds it first. */
const never: readonly (readonly [what: string, ...statements: readonly string[]])[] = [
  ['a state that is none', ...ways('open'), `UPDATE entries SET state = 'done'`],
  ['open, and may have taken effect', ...ways('sending', { inDoubt: true }), move('open')],
  ['rejected, and may have taken effect', ...ways('sending', { inDoubt: true }), move('rejected')],
  ['unknown without a doubt', begin, `UPDATE entries SET state = 'unknown', owner = NULL`],
  ['held without a doubt', begin, `UPDATE entries SET state = 'held', owner = NULL`],
  ['without an owner', beginning({ owner: 'NULL' })],
  ['an empty key', beginning({ key: `''` })],
  ['an unknown kind', beginning({ kind: `'mail'` })],
  ['a name that nothing gave', beginning({ named_by: 'NULL' })],
  ['named by something unknown', beginning({ named_by: `'it'` })],
  ['named by something without a name', beginning({ name: 'NULL' })],
  ['a message with a payment', beginning({ payment: `'p'` })],
  ['a transfer without a payment', beginning({ kind: `'transfer'` })],
  ['resolved already', beginning({ resolved_as: `'happened'` })],
  ['without a body', beginning({ body: 'NULL' })],
  ['a text as its time', beginning({ created_at: `'now'` })],
  ['an id twice', begin, beginning({ seq: '2', key: `'k2'` })],
  ['a key twice at one place', begin, beginning({ seq: '2', id: `'j'` })],
  ['closed for no known reason', closing('tired')],
  ['closed until nobody opened it', closing('backup', '2, NULL')],
  ['an attempt twice', begin, attempt(1), attempt(1)],
  ['an attempt of no entry', `INSERT INTO attempts (entry, number, started_at) VALUES (7, 1, 1)`],
  ['a receipt twice', begin, keep, keep],
  ['a receipt of no entry', keep],
  ['a batch twice', batch, batch],
];

/** Everything that is kept, with a row in it. */
const rowIn: Readonly<Record<(typeof tablesNeverDeletedFrom)[number], string>> = {
  entries: begin,
  batches: batch,
  attempts: `${begin}; ${attempt(1)}`,
  decisions: `${begin}; ${decide()}`,
  receipts: `${begin}; ${keep}`,
  observations: `${begin}; ${observe('likely')}`,
  meta: `INSERT INTO meta (name, value) SELECT 'other', value FROM meta WHERE name = 'salt'`,
  losses: `INSERT INTO losses (who, at, detail) VALUES ('w', 1, '{}')`,
  closings: closing('moved'),
};

/** Breaks every rule of the schema, and does what each allows. */
export function describeBreaches(name: string, open: () => Promise<Tables>): void {
  describe(name, () => {
    let tables: Tables;
    beforeEach(async () => {
      tables = await open();
    });
    afterEach(() => tables.close());
    const runAll = async (statements: readonly string[]): Promise<void> => {
      for (const statement of statements) await tables.run(statement);
    };
    const state = async () => (await tables.row('SELECT state FROM entries'))?.state;

    test.each(breaches)('holds to it that %s', async (says, ...statements) => {
      await runAll(statements.slice(0, -1));
      await expect(tables.run(statements.at(-1) ?? '')).rejects.toThrow(says);
    });

    test.each(never)('has no entry that is %s', async (_what, ...statements) => {
      await runAll(statements.slice(0, -1));
      const before = await state();
      await expect(tables.run(statements.at(-1) ?? '')).rejects.toThrow();
      expect(await state()).toBe(before);
    });

    test.each(moves)('lets an entry go from %s to %s only where the design does', async (from, to) => {
      await runAll(ways(from));
      if (to === 'accepted') await tables.run(end(to));
      const may = to === 'accepted' || allowed[from].includes(to);
      const refusal = /no entry moves between these states|check constraint/iu;
      if (may) await tables.run(move(to));
      else await expect(tables.run(move(to))).rejects.toThrow(refusal);
      expect(await state()).toBe(may ? to : from);
    });

    test('begins a proposal held, with no attempt made', async () => {
      await tables.run(beginning({ state: `'held'`, owner: 'NULL', why: `'approval'`, attempts: '0' }));
      expect(await state()).toBe('held');
    });

    test('has a key once for each kind at each place', async () => {
      await tables.run(begin);
      await tables.run(beginning({ seq: '2', id: `'j'`, kind: `'transfer'`, payment: `'p'` }));
      await tables.run(beginning({ seq: '3', id: `'l'`, base_url: `'v'` }));
      expect(await tables.row('SELECT count(*) AS many FROM entries')).toEqual({ many: '3' });
    });

    test.each(['open', 'rejected', 'resolved'] as const)(
      'lets what is %s have another body',
      async (from) => {
        await runAll([...ways(from), ...rewrites.map((one) => `UPDATE entries SET ${one}`)]);
        expect(await tables.row('SELECT bot, fingerprint FROM entries')).toEqual({
          bot: 'x',
          fingerprint: 'g',
        });
      },
    );

    test('ends an attempt once more whose process was thought dead', async () => {
      await runAll(ways('sending'));
      await tables.run(`UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = 2`);
      await expect(tables.run('UPDATE attempts SET phase = NULL')).rejects.toThrow('an attempt ends once');
      await tables.run(end('accepted'));
      await expect(tables.run(end('rejected'))).rejects.toThrow('an attempt ends once');
    });

    test.each([
      ['unknown', '1'],
      ['held', '1'],
      ...['rejected', 'unsent', 'limited', 'accepted'].map((verdict) => [verdict, '0'] as const),
    ] as const)(
      'takes an entry for in doubt after an attempt that ended %s: %s',
      async (verdict, inDoubt) => {
        await runAll([...ways('sending'), end(verdict)]);
        const landed = 'coalesce(in_doubt_since, 0) AS landed';
        expect(await tables.row(`SELECT was_in_doubt, ${landed} FROM entries`)).toEqual({
          was_in_doubt: inDoubt,
          landed: inDoubt,
        });
      },
    );

    test.each(tablesNeverDeletedFrom)('deletes nothing from %s', async (table) => {
      await tables.run(rowIn[table]);
      await expect(tables.run(`DELETE FROM ${table}`)).rejects.toThrow(deletion);
    });

    test('has no rule that is not broken here', () => {
      const broken = new Set(breaches.map(([says]) => says));
      expect(rules.filter(([, , says]) => !broken.has(says))).toEqual([]);
    });
  });
}

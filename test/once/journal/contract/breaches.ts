import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deletion, kept, rules } from '../../../../src/once/journal/schema.ts';

/** The tables of a new journal, for statements alone. */
export type Tables = { run(sql: string): Promise<void>; close(): Promise<void> };

const columns = `seq, id, kind, base_url, bot, named_by, name, key, identity, fingerprint, body, attempts, created_at,
  updated_at, state, owner`;
const begin = (named = `'once', 'n'`): string =>
  `INSERT INTO intents (${columns}) VALUES (1, 'i', 'message', 'u', 'b', ${named}, 'k', 'd', 'f', @body, 1, 1, 1, 'sending', 'o')`;
const attempt = (number: number): string =>
  `INSERT INTO attempts (intent, number, started_at) VALUES (1, ${number}, 1)`;
const end = (verdict: string): string =>
  `UPDATE attempts SET verdict = '${verdict}', phase = 'replied', ended_at = 2`;
const move = (state: string, more = ''): string =>
  `UPDATE intents SET state = '${state}', owner = NULL, resolved_as = NULL${more}`;
const claim = `UPDATE intents SET state = 'sending', owner = 'p', resolved_as = NULL`;
const happened = move('resolved', '').replace('resolved_as = NULL', `resolved_as = 'happened'`);
const observe = (verdict: string): string =>
  `INSERT INTO observations (intent, verdict, at, signature, genesis, facts)
   VALUES (1, '${verdict}', 1, 's', 'g', '{}')`;
const decide = `INSERT INTO decisions (intent, kind, who, at, reason) VALUES (1, 'happened', 'w', 1, 'r')`;
const keep = `INSERT INTO receipts (origin, what, value, intent) VALUES ('u', 'signature', 's', 1)`;
const batch = `INSERT INTO batches (name, base_url, kind, rows, invalid) VALUES ('b', 'u', 'message', 1, 0)`;

/** What breaks a rule, after statements that break none. */
const breaches: readonly (readonly [says: string, ...statements: readonly string[]])[] = [
  ['a journal keeps its id and its salt', `UPDATE meta SET name = 'x' WHERE name = 'salt'`],
  [
    'a loss stands as it was accepted',
    `INSERT INTO losses (who, at, detail) VALUES ('w', 1, '{}')`,
    `UPDATE losses SET detail = 'x'`,
  ],
  [
    'an intent begins claimed, or as a proposal, and untainted',
    begin().replace(`'sending', 'o'`, `'open', NULL`),
  ],
  ['an intent keeps its key and identity', begin(), `UPDATE intents SET key = 'x'`],
  ['an intent keeps its key and identity', begin(), `UPDATE intents SET row_id = 'x'`],
  ['the body of an intent is frozen', begin(), `UPDATE intents SET fingerprint = 'g'`],
  ['attempts are not uncounted', begin(), 'UPDATE intents SET attempts = 0'],
  [
    'a tainted intent stays tainted',
    begin(),
    'UPDATE intents SET tainted = 1',
    'UPDATE intents SET tainted = 0',
  ],
  [
    'an outcome is first reported once',
    begin(),
    'UPDATE intents SET reported_at = 5',
    'UPDATE intents SET reported_at = 6',
  ],
  ['no intent moves between these states', begin(), happened],
  [
    'no intent moves between these states',
    begin(),
    move('open'),
    move('held', `, why = 'policy', tainted = 1, may_have_landed_at = 1`),
  ],
  ['only a decision about this body approves it', begin(), `UPDATE intents SET approved = 1`],
  [
    'what happened is not sent again',
    begin(),
    move('unknown', ', tainted = 1, may_have_landed_at = 1'),
    happened,
    claim,
  ],
  ['only an accepted attempt makes an intent accepted', begin(), attempt(1), move('accepted')],
  ['a claim passes on only through unknown', begin(), `UPDATE intents SET owner = 'p'`],
  ['an attempt needs a claim', begin(), move('open'), attempt(1)],
  [
    'an attempt begins without a verdict',
    begin(),
    `INSERT INTO attempts (intent, number, started_at, ended_at, verdict) VALUES (1, 1, 1, 2, 'accepted')`,
  ],
  ['an attempt stays where it began', begin(), attempt(1), 'UPDATE attempts SET started_at = 0'],
  ['an attempt ends once', begin(), attempt(1), end('accepted'), end('rejected')],
  ['what is proven has a payment of its own', begin(), observe('proven')],
  ['a batch keeps its name', batch, `UPDATE batches SET name = 'c'`],
  ['a decision stands as it was made', begin(), decide, `UPDATE decisions SET reason = 's'`],
  ['a receipt stands as it was given', begin(), keep, `UPDATE receipts SET value = 't'`],
  [
    'an observation stands as it was made',
    begin(),
    observe('likely'),
    `UPDATE observations SET facts = '[]'`,
  ],
];

/** Everything that is kept, with a row in it. */
const rowIn: Readonly<Record<(typeof kept)[number], string>> = {
  intents: begin(),
  batches: batch,
  attempts: `${begin()}; ${attempt(1)}`,
  decisions: `${begin()}; ${decide}`,
  receipts: `${begin()}; ${keep}`,
  observations: `${begin()}; ${observe('likely')}`,
  meta: `INSERT INTO meta (name, value) SELECT 'other', value FROM meta WHERE name = 'salt'`,
  losses: `INSERT INTO losses (who, at, detail) VALUES ('w', 1, '{}')`,
};

/** Breaks every rule of the schema once. */
export function describeBreaches(name: string, open: () => Promise<Tables>): void {
  describe(name, () => {
    let tables: Tables;
    beforeEach(async () => {
      tables = await open();
    });
    afterEach(() => tables.close());

    test.each(breaches)('holds to it that %s', async (says, ...statements) => {
      const breach = statements.at(-1) ?? '';
      for (const statement of statements.slice(0, -1)) await tables.run(statement);
      await expect(tables.run(breach)).rejects.toThrow(says);
    });

    test.each(kept)('deletes nothing from %s', async (table) => {
      await tables.run(rowIn[table]);
      await expect(tables.run(`DELETE FROM ${table}`)).rejects.toThrow(deletion);
    });

    test('has no rule that is not broken here', () => {
      const broken = new Set(breaches.map(([says]) => says));
      expect(rules.filter(([, , says]) => !broken.has(says))).toEqual([]);
    });
  });
}

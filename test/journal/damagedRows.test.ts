import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { requestOf } from '../../src/display/report.ts';
import { failureOf } from '../helpers/failure.ts';
import { message, posted, Workshop } from '../helpers/workshop.ts';

let workshop: Workshop;
beforeEach(async () => {
  workshop = new Workshop();
  await workshop.run(message(), [posted]);
});
afterEach(() => workshop.remove());

/** What a few flipped bits can do, past everything that guards the journal. */
function flip(sql: string): void {
  const database = new DatabaseSync(workshop.path);
  database.exec('PRAGMA ignore_check_constraints = ON');
  const triggers = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all();
  for (const { name } of triggers as { name: string }[]) database.exec(`DROP TRIGGER ${name}`);
  database.exec(sql);
  database.close();
}

// The proof flipped bits in journals until what was read made no sense: botctl called that a bug of its own.
test.each([
  ['a state that there is not', `UPDATE intents SET state = 'sendine'`],
  ['a time beyond all time', 'UPDATE intents SET created_at = 9000000000000000000'],
])('%s is damage', async (_what, sql) => {
  flip(sql);
  const read = (): unknown =>
    workshop.look((journal) =>
      [...journal.select({ limit: 10 })].map(({ id }) => [journal.get(id), journal.attemptsOf(id)]),
    );
  expect(await failureOf(read)).toMatchObject({ code: 'journal-damaged' });
});

test('what the journal refuses because it is damaged is damage', async () => {
  flip(`UPDATE intents SET state = 'unknown', tainted = 1, resolved_as = 'happened'`);
  const { id } = workshop.only();
  const write = (): unknown => workshop.look((journal) => journal.hold(id, 'clock', 1));
  expect(await failureOf(write)).toMatchObject({ code: 'journal-damaged' });
});

// One bit of the journal's own schema: no row shows it, and what it refuses is not botctl's mistake.
test('a check that was damaged itself is damage', async () => {
  const { id } = workshop.only();
  flip(`UPDATE intents SET state = 'open'; PRAGMA wal_checkpoint(TRUNCATE)`);
  const bytes = readFileSync(workshop.path);
  const check = bytes.indexOf("'open', 'sending', 'unknown'");
  bytes[check + "'open', 'sending', 'u".length] = 'm'.charCodeAt(0);
  writeFileSync(workshop.path, bytes);
  const write = (): unknown =>
    workshop.look((journal) => {
      journal.claim(id, 1);
      journal.conclude(id, 'unknown', undefined, 1);
    });
  expect(await failureOf(write)).toMatchObject({ code: 'journal-damaged' });
});

test('a body that is no JSON is damage, when it is to be shown', async () => {
  expect(await failureOf(() => requestOf({ body: Buffer.from('{"') }))).toMatchObject({
    code: 'journal-damaged',
  });
  expect(await failureOf(() => requestOf({ body: Buffer.from('7') }))).toMatchObject({
    code: 'journal-damaged',
  });
});

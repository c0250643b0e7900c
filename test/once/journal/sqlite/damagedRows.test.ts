import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { requestOf } from '../../../../src/cli/show/entry.ts';
import { damageJournal } from '../../../support/damageJournal.ts';
import { failureOf } from '../../../support/failure.ts';
import {
  lost,
  message,
  once,
  paid,
  posted,
  ScriptedEngine,
  transfer,
} from '../../../support/scriptedEngine.ts';

let scripted: ScriptedEngine;
beforeEach(async () => {
  scripted = new ScriptedEngine();
  await scripted.run(message(), [posted]);
});
afterEach(() => scripted.remove());

// The proof flipped bits in journals until what was read made no sense: botctl called that a bug of its own.
test.each([
  ['a state that there is not', `UPDATE entries SET state = 'sendine'`],
  ['a time beyond all time', 'UPDATE entries SET created_at = 9000000000000000000'],
])('%s is damage', async (_what, sql) => {
  damageJournal(scripted.path, sql);
  const read = (): unknown =>
    scripted.look(async (journal) => {
      for await (const { id } of journal.select({ limit: 10 })) {
        await journal.get(id);
        await journal.attemptsOf(id);
      }
    });
  expect(await failureOf(read)).toMatchObject({ code: 'journal-damaged' });
});

test('what the journal refuses because it is damaged is damage', async () => {
  damageJournal(
    scripted.path,
    `UPDATE entries SET state = 'unknown', was_in_doubt = 1, resolved_as = 'happened'`,
  );
  const { id } = await scripted.only();
  const write = (): unknown => scripted.look((journal) => journal.hold(id, 'clock', 1));
  expect(await failureOf(write)).toMatchObject({ code: 'journal-damaged' });
});

const check = "'open', 'sending', 'unknown', 'accepted'";

// One bit of the journal's own schema: no row shows it, and what it refuses is not botctl's mistake.
test('a check that was damaged itself is damage', async () => {
  const { id } = await scripted.only();
  damageJournal(scripted.path, `UPDATE entries SET state = 'open'`);
  const database = new DatabaseSync(scripted.path);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const bytes = readFileSync(scripted.path);
  // Also where SQLite keeps what it no longer reads.
  for (let at = bytes.indexOf(check); at >= 0; at = bytes.indexOf(check, at + 1))
    bytes[at + check.indexOf('nknown')] = 'm'.charCodeAt(0);
  writeFileSync(scripted.path, bytes);
  const write = (): unknown =>
    scripted.look(async (journal) => {
      await journal.claim(id, 1);
      await journal.conclude(id, 'unknown', undefined, 1);
    });
  expect(await failureOf(write)).toMatchObject({ code: 'journal-damaged' });
});

// SQLite does not see a bit that flipped within a row. The proof saw one leave: no JSON any more; it might as
// well have been another amount.
test.each([
  ['a body', `UPDATE entries SET body = CAST(replace(CAST(body AS TEXT), '1.5', '9.5') AS BLOB)`],
  ['a key within a body', `UPDATE entries SET body = CAST(replace(CAST(body AS TEXT), '-', '_') AS BLOB)`],
  ['a body that is no JSON any more', `UPDATE entries SET body = CAST(CAST(body AS TEXT) || '}' AS BLOB)`],
  ['a key', `UPDATE entries SET key = key || 'x' WHERE named_by IS NULL`],
])('%s that was damaged is not sent', async (_what, sql) => {
  const payment = transfer();
  await scripted.run(payment, [lost], { limits: { maxWaitMs: 0 } });
  damageJournal(scripted.path, sql);
  const sent = scripted.sent.length;
  expect(await failureOf(() => scripted.run(payment, [paid]))).toMatchObject({ code: 'journal-damaged' });
  expect(scripted.sent).toHaveLength(sent);
});

test.each([
  ['a fingerprint', `UPDATE entries SET fingerprint = '0' || substr(fingerprint, 2)`],
  ['a body', `UPDATE entries SET body = CAST(replace(CAST(body AS TEXT), '1.5', '9.5') AS BLOB)`],
])('%s that was damaged under a name is not told as another body', async (_what, sql) => {
  const payment = transfer({}, once('rent'));
  await scripted.run(payment, [paid]);
  damageJournal(scripted.path, sql);
  expect(await failureOf(() => scripted.run(payment))).toMatchObject({ code: 'journal-damaged' });
});

test('a body that is no JSON is damage, when it is to be shown', async () => {
  expect(await failureOf(() => requestOf({ body: Buffer.from('{"') }))).toMatchObject({
    code: 'journal-damaged',
  });
  expect(await failureOf(() => requestOf({ body: Buffer.from('7') }))).toMatchObject({
    code: 'journal-damaged',
  });
});

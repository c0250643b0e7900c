import { expect, test } from 'vitest';
import type { Journal } from '../../src/once/journal/journal.ts';
import { failureOf } from '../../testing/failure.ts';
import { onShared, scriptedEngines } from '../../testing/postgres/sharedEngine.ts';
import {
  newSharedPlace,
  onServer,
  openShared,
  type SharedPlace,
} from '../../testing/postgres/sharedJournal.ts';
import { lost, noRetries, once, paid, type ScriptedEngine, transfer } from '../../testing/scriptedEngine.ts';

const newEngine = scriptedEngines();
const payment = transfer({}, once('rent'));

type Opened = { readonly place: SharedPlace; readonly journal: Journal; readonly scripted: ScriptedEngine };

async function sentAndLost(): Promise<Opened> {
  const place = await newSharedPlace();
  const [journal, scripted] = [await openShared(place), newEngine()];
  await scripted.run(payment, [lost], { ...onShared(journal), ...noRetries });
  return { place, journal, scripted };
}

/** What a disk can do, past everything that guards the journal. */
function damage(place: SharedPlace, sql: string): Promise<unknown> {
  return onServer(place, (client) => client.query(`SET session_replication_role = replica; ${sql}`));
}

const text = `convert_from(body, 'UTF8')`;

test.each([
  ['a body', `UPDATE intents SET body = convert_to(replace(${text}, '1.5', '9.5'), 'UTF8')`],
  ['a key within a body', `UPDATE intents SET body = convert_to(replace(${text}, '-', '_'), 'UTF8')`],
  ['a body that is no JSON any more', `UPDATE intents SET body = convert_to(${text} || '}', 'UTF8')`],
])('%s that was damaged on the server is not sent', async (_what, sql) => {
  const { place, journal, scripted } = await sentAndLost();
  await damage(place, sql);
  const failed = await failureOf(() => scripted.run(payment, [paid], onShared(journal)));
  expect(failed).toMatchObject({ code: 'journal-damaged' });
  expect(scripted.sent).toHaveLength(1);
});

test('a fingerprint that was damaged on the server is not told as another body', async () => {
  const { place, journal, scripted } = await sentAndLost();
  await scripted.run(payment, [paid], onShared(journal));
  await damage(place, `UPDATE intents SET fingerprint = 'f' || substr(fingerprint, 2, 5) || 'x'`);
  expect(await failureOf(() => scripted.run(payment, [], onShared(journal)))).toMatchObject({
    code: 'journal-damaged',
  });
});

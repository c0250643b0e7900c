import { expect, onTestFinished, test } from 'vitest';
import { parseAddress } from '../../src/postgres/address.ts';
import { PgConnection } from '../../src/postgres/connection.ts';
import { closedAfterTest } from '../../testing/closedAfterTest.ts';
import { sharedServer } from '../../testing/postgres/server.ts';

test('many questions at once are answered in turn, and the driver warns of nothing', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const { url } = await sharedServer(18);
  const line = closedAfterTest(
    await PgConnection.connect(parseAddress(url, 'BOTCTL_JOURNAL', {}, () => 'nobody')),
  );
  const answers = await Promise.all([
    line.query('SELECT 1 AS n'),
    line.query('SELECT nothing').catch(() => 'refused'),
    ...[3, 4, 5].map((n) => line.ask(`asks ${n}`, `SELECT $1::int AS n`, [n])),
  ]);
  expect(answers.map((one) => (typeof one === 'string' ? one : one.rows))).toEqual([
    [{ n: 1 }],
    'refused',
    [{ n: 3 }],
    [{ n: 4 }],
    [{ n: 5 }],
  ]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});

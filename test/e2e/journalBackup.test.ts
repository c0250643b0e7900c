import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { payAda, SandboxHome } from '../../testing/sandboxHome.ts';

let operator: SandboxHome;
let copy: string;
beforeEach(async () => {
  operator = await SandboxHome.open();
  copy = join(operator.home.path, 'copy.db');
});
afterEach(() => operator.close());

test('a backup is a whole journal, private, and replays what it holds', async () => {
  expect((await operator.apart([...payAda, '--yes', '--once', 'one'])).code).toBe(0);
  const made = await operator.apart(['journal', 'backup', copy]);
  expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('(1 entry, 1 request)')]);
  expect(readdirSync(operator.home.path).filter((name) => name.startsWith('copy.db'))).toEqual(['copy.db']);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  const again = await operator.jsonApart([...payAda, '--yes', '--once', 'one', '--journal', copy]);
  expect(again).toMatchObject({ exit: 0, replayed: true });
  expect(
    (await operator.apart([...payAda, '--yes', '--once', 'two', '--repeat', '--journal', copy])).code,
  ).toBe(0);
  expect((await operator.apart(['doctor', '--journal', copy])).stdout).toContain(
    'has everything that it acknowledged',
  );
});

test('put back beside the newer note, it is refused with the number of what it lacks', async () => {
  expect((await operator.apart([...payAda, '--yes', '--once', 'one'])).code).toBe(0);
  await operator.apart(['journal', 'backup', copy]);
  expect((await operator.apart([...payAda, '--yes', '--once', 'two', '--repeat'])).code).toBe(0);
  const restore = `cp '${copy}' '${operator.journal}' && rm -f '${operator.journal}-wal'`;
  expect((await operator.shell(restore)).code).toBe(0);
  const refused = await operator.apart([...payAda, '--yes', '--once', 'two', '--repeat']);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('has lost 1 request')]);
});

test('nothing that is there is written over, and nothing half made is left', async () => {
  expect((await operator.run(['journal', 'backup', copy])).stderr).toContain('There is no journal');
  expect((await operator.run([...payAda, '--yes'])).code).toBe(0);
  expect((await operator.run(['journal', 'backup', ''])).code).toBe(2);
  writeFileSync(copy, 'mine');
  const refused = await operator.run(['journal', 'backup', copy]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is there already')]);
  const nowhere = await operator.run(['journal', 'backup', join(operator.home.path, 'no', 'copy.db')]);
  expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('cannot be written')]);
  expect(readdirSync(operator.home.path).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
});

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sharedServer } from '../support/postgres/server.ts';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

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
});

test('a name without a folder is a file in this one, and a server is none', async () => {
  expect((await operator.apart([...payAda, '--yes', '--once', 'one'])).code).toBe(0);
  const made = await operator.shell(`cd '${operator.home.path}' && botctl journal backup bk.db`);
  expect([made.code, made.stderr, existsSync(join(operator.home.path, 'bk.db'))]).toEqual([0, '', true]);
  const server = await operator.shell(
    `cd '${operator.home.path}' && botctl journal backup bots@db.example.com`,
  );
  expect(server.stderr).toContain('FILE is not the whole path of a file');
});

const two = [...payAda, '--yes', '--once', 'two', '--repeat'];
const paid = () => operator.sandbox.ledger({ kind: 'transfer' });

test('a backup pays nothing until its loss is accepted, and says what is not in it', async () => {
  expect((await operator.run([...payAda, '--yes', '--once', 'one'])).code).toBe(0);
  expect((await operator.run(['journal', 'backup', copy])).code).toBe(0);
  expect(await operator.json([...two, '--journal', copy])).toMatchObject({
    exit: 10,
    error: {
      code: 'journal-closed',
      retry: 'decide',
      message: expect.stringMatching(
        /is closed for sending: it is a backup of .*: what was sent since is not in it/u,
      ),
    },
  });
  expect((await operator.run([...two, '--dry-run', '--journal', copy])).code).toBe(10);
  const doctor = await operator.run(['doctor', '--journal', copy]);
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining('is closed for sending')]);
  expect(doctor.stdout).toMatch(/A person must decide\.\n/u);
  expect(doctor.stdout).not.toContain('botctl doctor');
  expect(await paid()).toHaveLength(1);
  expect((await operator.run(['journal', 'accept-loss', '--yes', '--journal', copy])).code).toBe(0);
  expect((await operator.run(['doctor', '--journal', copy])).stdout).toContain(
    'nothing shows whether it is complete',
  );
  expect(await operator.json([...two, '--journal', copy])).toMatchObject({ exit: 0 });
  expect(await paid()).toHaveLength(2);
});

test('a batch with a backup begins no row, and nothing says to run it again', async () => {
  expect((await operator.run([...payAda, '--yes', '--once', 'one'])).code).toBe(0);
  expect((await operator.run(['journal', 'backup', copy])).code).toBe(0);
  const rows = operator.home.file('rows.csv', `id,to_address,asset,amount\na,${payAda[2]},SOL,0.7\n`);
  const batch = ['batch', 'transfer', rows, '--once', 'nov', '--yes', '--journal', copy];
  const ran = await operator.run(batch);
  expect([ran.code, `${ran.stdout}${ran.stderr}`]).toEqual([10, expect.not.stringMatching(/run .* again/u)]);
  const { stdout } = await operator.run([...batch, '--json']);
  const end = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  expect(end.error).toMatchObject({ code: 'journal-closed', retry: 'decide' });
  expect(await paid()).toHaveLength(1);
});

test('nobody is asked about a batch with a backup, and its dry run ends as it would', async () => {
  expect((await operator.run([...payAda, '--yes', '--once', 'one'])).code).toBe(0);
  expect((await operator.run(['journal', 'backup', copy])).code).toBe(0);
  const equal = operator.home.file(
    'rows.csv',
    `id,to_address,asset,amount\na,${payAda[2]},SOL,${payAda.at(-1)}\n`,
  );
  const batch = ['batch', 'transfer', equal, '--once', 'nov', '--journal', copy];
  const asked = await onTerminalHere(batch, [], operator.env);
  expect([asked.code, asked.shown]).toEqual([10, expect.not.stringMatching(/Pay them besides|\[y\/N\]/u)]);
  expect((await operator.run([...batch, '--dry-run'])).code).toBe(10);
  expect(await paid()).toHaveLength(1);
});

test('a backup of a journal that was closed, restored in its place, says both reasons', async () => {
  expect((await operator.run([...payAda, '--yes', '--once', 'one'])).code).toBe(0);
  expect((await operator.run(['journal', 'backup', copy])).code).toBe(0);
  const second = `${copy}.second`;
  expect((await operator.run(['journal', 'backup', second, '--journal', copy])).code).toBe(0);
  const { error } = await operator.json([...two, '--journal', second]);
  expect(error?.message.match(/it is a backup of/gu)).toHaveLength(2);
});

test('a backup is not taken into a server', async () => {
  expect((await operator.run([...payAda, '--yes', '--once', 'one'])).code).toBe(0);
  expect((await operator.run(['journal', 'backup', copy])).code).toBe(0);
  const server = await sharedServer();
  const env = { BOTCTL_JOURNAL: await server.newDatabase() };
  const refused = await operator.json(['journal', 'migrate', '--import', copy], { env });
  expect(refused).toMatchObject({ exit: 10, error: { code: 'journal-closed' } });
});

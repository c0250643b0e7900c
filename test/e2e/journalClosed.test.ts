// A journal that a person closes for sending, in a file and on a server: what is in flight is recorded, nothing begins.
import { copyFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sharedServer } from '../support/postgres/server.ts';
import { newSharedPlace } from '../support/postgres/sharedJournal.ts';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const rent = [...payAda, '--once', 'rent'];
const paid = () => operator.sandbox.ledger({ kind: 'transfer' });
const closed = { exit: 10, error: { code: 'journal-closed', retry: 'decide' } };

async function journalOn(where: string): Promise<string> {
  if (where === 'a file') return `${operator.home.path}/journal.db`;
  const { url } = await newSharedPlace();
  return url;
}

function batchOf(rows: number, ...more: readonly string[]): string[] {
  const lines = Array.from({ length: rows }, (_, row) => `r${row},${payAda[2]},SOL,0.0${row + 11}\n`);
  const file = operator.home.file('rows.csv', `id,to_address,asset,amount\n${lines.join('')}`);
  return ['batch', 'transfer', file, '--once', 'nov', '--yes', ...more];
}

const endIn = (stdout: string) => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');

describe.each(['a file', 'a server'])('in %s', (where) => {
  beforeEach(async () => {
    operator.env.BOTCTL_JOURNAL = await journalOn(where);
  });

  test('what is in doubt stays unknown, and is not said to be unsent', async () => {
    await operator.sandbox.faults({ kind: 'drop', when: 'after', times: 1 });
    expect(await operator.json(rent)).toMatchObject({ exit: 9 });
    await operator.run(['journal', 'close']);
    const again = await operator.json(rent);
    expect(again).toMatchObject({ exit: 9, outcome: 'unknown', error: { retry: 'decide' } });
    expect(again.error?.message).toMatch(/closed for sending/u);
    expect(again.error?.message).not.toMatch(/[Nn]othing was sent\b/u);
    await operator.run(['journal', 'open']);
    expect(await operator.json(rent)).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(await paid()).toHaveLength(1);
  });

  test('a batch that runs ends within the requests that it has in flight, and goes on when it is open', async () => {
    const gate = await operator.gate();
    const stalled = gate.holdNext('reply');
    const batch = batchOf(30, '--concurrency', '2', '--json');
    const running = operator.start(batch);
    await stalled;
    const { code } = await operator.apart(['journal', 'close']);
    const begun = (await paid()).length;
    gate.release();
    const ended = await running.ended;
    expect([code, ended.code, endIn(ended.stdout).error]).toMatchObject([0, 10, closed.error]);
    // One attempt a place may have been committed before the close was.
    expect((await paid()).length).toBeLessThanOrEqual(begun + 2);
    const before = (await paid()).length;
    expect(endIn(ended.stdout).result).toMatchObject({ done: before });
    await operator.run(['journal', 'open']);
    expect((await operator.apart(batch)).code).toBe(0);
    expect(await paid()).toHaveLength(30);
  });
});

test('a journal that lost entries is closed all the same', async () => {
  const [journal, copy] = [operator.journal, `${operator.home.path}/copy.db`];
  expect((await operator.apart(rent)).code).toBe(0);
  expect((await operator.apart(['journal', 'backup', copy])).code).toBe(0);
  expect((await operator.apart([...rent.slice(0, -1), 'two', '--repeat'])).code).toBe(0);
  for (const beside of ['-wal', '-shm']) rmSync(`${journal}${beside}`, { force: true });
  copyFileSync(copy, journal);
  expect((await operator.apart(['journal', 'close'])).code).toBe(0);
  expect((await operator.apart(['journal', 'accept-loss', '--yes'])).code).toBe(0);
  expect(await operator.jsonApart([...rent.slice(0, -1), 'three', '--repeat'])).toMatchObject(closed);
});

describe('a backup', () => {
  let copy: string;
  beforeEach(() => {
    copy = join(operator.home.path, 'copy.db');
  });

  test('is a whole journal, private, and replays what it holds', async () => {
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

  test('pays nothing until its loss is accepted, and says what is not in it', async () => {
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

  test('begins no row of a batch, and nothing says to run it again', async () => {
    expect((await operator.run([...payAda, '--yes', '--once', 'one'])).code).toBe(0);
    expect((await operator.run(['journal', 'backup', copy])).code).toBe(0);
    const rows = operator.home.file('rows.csv', `id,to_address,asset,amount\na,${payAda[2]},SOL,0.7\n`);
    const batch = ['batch', 'transfer', rows, '--once', 'nov', '--yes', '--journal', copy];
    const ran = await operator.run(batch);
    expect([ran.code, `${ran.stdout}${ran.stderr}`]).toEqual([
      10,
      expect.not.stringMatching(/run .* again/u),
    ]);
    const { stdout } = await operator.run([...batch, '--json']);
    const end = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    expect(end.error).toMatchObject({ code: 'journal-closed', retry: 'decide' });
    expect(await paid()).toHaveLength(1);
  });

  test('is asked about no batch, and its dry run ends as it would', async () => {
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

  test('of a journal that was closed, restored in its place, says both reasons', async () => {
    expect((await operator.run([...payAda, '--yes', '--once', 'one'])).code).toBe(0);
    expect((await operator.run(['journal', 'backup', copy])).code).toBe(0);
    const second = `${copy}.second`;
    expect((await operator.run(['journal', 'backup', second, '--journal', copy])).code).toBe(0);
    const { error } = await operator.json([...two, '--journal', second]);
    expect(error?.message.match(/it is a backup of/gu)).toHaveLength(2);
  });

  test('is not taken into a server', async () => {
    expect((await operator.run([...payAda, '--yes', '--once', 'one'])).code).toBe(0);
    expect((await operator.run(['journal', 'backup', copy])).code).toBe(0);
    const server = await sharedServer();
    const env = { BOTCTL_JOURNAL: await server.newDatabase() };
    const refused = await operator.json(['journal', 'migrate', '--import', copy], { env });
    expect(refused).toMatchObject({ exit: 10, error: { code: 'journal-closed' } });
  });
});

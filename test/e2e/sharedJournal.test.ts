import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { botctl, type Ran, started } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { startGate } from '../support/gate.ts';
import { Home } from '../support/home.ts';
import { startCuttableProxy } from '../support/postgres/cuttableProxy.ts';
import { newSharedJournal } from '../support/postgres/newJournal.ts';
import { startPretendPooler } from '../support/postgres/pretendPooler.ts';
import { type PostgresServer, sharedServer } from '../support/postgres/server.ts';
import { silence, silenceUntil, upForLong } from '../support/postgres/silence.ts';
import { programWords } from '../support/program.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';
import { payAda, type Said, said } from '../support/sandboxHome.ts';

let server: PostgresServer;
let sandbox: TestSandbox;
beforeAll(async () => {
  [server, sandbox] = await Promise.all([sharedServer(), startTestSandbox()]);
});
afterAll(() => sandbox.close());

let journal: string;
beforeEach(async () => {
  await sandbox.clearFaults();
  await sandbox.reset();
  journal = await newSharedJournal(server);
});

/** A machine of its own: it has nothing in common with the others but the journal. */
function machine(url = journal): Record<string, string> {
  const home = new Home();
  onTestFinished(() => home.remove());
  return {
    ...home.env,
    BOTCTL_JOURNAL: url,
    BOTCTL_BASE_URL: sandbox.baseUrl,
    BOTCTL_TOKEN: sandbox.tokens.full,
  };
}

const payRent = [...payAda, '--once', 'rent', '--yes', '--json'];

type Ended = { readonly code: number | null; readonly said: Said; readonly stderr: string };

const endOf = ({ code, stdout, stderr }: Ran): Ended => ({
  ...{ code, stderr, said: stdout === '' ? ({} as Said) : said({ stdout }) },
});

async function run(words: readonly string[], env: Record<string, string>, run = botctl): Promise<Ended> {
  return endOf(await run(words, { env }));
}

function start(words: readonly string[], env: Record<string, string>) {
  const { child, ended } = started(words, env);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: ended.then(endOf) };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let look = 0; look < 1000; look += 1) {
    if (await isSo()) return;
    await pause(10);
  }
  throw new Error('it did not come to that');
}

describe('two machines with one journal', () => {
  test('make one request of the same named command', async () => {
    const [first, second] = await Promise.all([run(payRent, machine()), run(payRent, machine())]);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect([first.said.replayed, second.said.replayed].sort()).toEqual([false, true]);
    expect(await sandbox.ledger()).toHaveLength(1);
  });

  test('pay once, though one of them is stopped in the middle for longer than its lease', async () => {
    await upForLong(journal);
    const gate = closedAfterTest(await startGate(sandbox.baseUrl));
    const atGate = () => ({ ...machine(), BOTCTL_BASE_URL: gate.baseUrl });
    const sent = gate.holdNext('request');
    const slow = start(payRent, atGate());
    await sent;
    slow.child.kill('SIGSTOP');
    const ending = run(payRent, atGate());
    await silenceUntil(journal, slow.child.pid, ending);
    const taking = await ending;
    expect(taking.said).toMatchObject({ outcome: 'accepted', entry: { attempts: 2 } });
    gate.release();
    slow.child.kill('SIGCONT');
    const late = await slow.ended;
    expect([taking.code, late.code]).toEqual([0, 0]);
    expect(late.said.transfer).toEqual(taking.said.transfer);
    expect(await sandbox.ledger()).toHaveLength(1);
  });
});

describe('the password of a shared journal', () => {
  test('is in no output, no argument, no row and no name that others see', async () => {
    const password = new URL(journal).password;
    const gate = closedAfterTest(await startGate(sandbox.baseUrl));
    const env = {
      ...machine(),
      BOTCTL_BASE_URL: gate.baseUrl,
      NODE_DEBUG: 'net,tls,http,stream,child_process,module',
    };
    const sent = gate.holdNext('request');
    const { child, ended } = start([...payRent, '--verbose'], env);
    await sent;
    const looking = new Client({ connectionString: journal });
    await looking.connect();
    const seen: string[] = [];
    await until(async () => {
      const { rows } = await looking.query<{ row: string }>(
        'SELECT a::text AS row FROM pg_stat_activity a WHERE pid <> pg_backend_pid()',
      );
      seen.push(...rows.map(({ row }) => row));
      return seen.some((row) => row.includes(',botctl,'));
    });
    seen.push(execFileSync('ps', ['-o', 'args=', '-p', String(child.pid)], { encoding: 'utf8' }));
    gate.release();
    const { code, said, stderr } = await ended;
    expect(code).toBe(0);
    const { rows } = await looking.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'botctl'::regnamespace AND relkind = 'r'`,
    );
    expect(rows.length).toBeGreaterThan(8);
    for (const { name } of rows) {
      const table = await looking.query<{ row: string }>(`SELECT t::text AS row FROM botctl.${name} t`);
      seen.push(...table.rows.map(({ row }) => row));
    }
    await looking.end();
    const all = `${seen.join('\n')}${stderr}${JSON.stringify(said)}`;
    // The single file’s engine has no such output at all.
    if (programWords.length > 0) expect(stderr).toContain('MODULE ');
    expect(all).not.toContain(password);
    expect(all).not.toContain(Buffer.from(password).toString('hex'));
  });
});

describe('a COMMIT without an answer, before anything of this run was sent,', () => {
  const ways = [payRent, ['resume', '--all', '--yes', '--json']] as const;

  /** Runs it through a proxy that passes on the COMMIT that would send it, and not its answer. */
  async function cutAtCommit(words: readonly string[], env: Record<string, string>): Promise<Ended> {
    await upForLong(journal);
    const proxy = closedAfterTest(await startCuttableProxy(server.port));
    const cut = proxy.when({ from: 'server', has: 'COMMIT\0' }, 'cut').then(() => proxy.refuse());
    const through = { ...env, BOTCTL_JOURNAL: proxy.through(journal) };
    const ended = await run([...words, '--max-wait', '0s'], through, botctlHere);
    await cut;
    return ended;
  }

  test.each(ways)('of a payment in doubt leaves it in doubt: 9, with its ID (%s)', async (...words) => {
    const env = machine();
    await sandbox.faults({ kind: 'drop', when: 'after', operation: 'transfer' });
    const { entry } = (await run([...payRent, '--max-wait', '0s'], env, botctlHere)).said;
    expect(entry?.state).toBe('unknown');
    const ended = await cutAtCommit(words, env);
    expect(ended.said.error).toMatchObject({
      code: 'unknown',
      message: expect.stringMatching(/ID [0-9a-f]{12}\)\. Nothing was sent this time\.$/u),
      retry: 'same-command',
    });
    expect(ended.said.error?.message).toContain(entry?.id);
    expect(ended.code).toBe(9);
    expect(await sandbox.ledger()).toHaveLength(1);
    await silence(journal);
    expect((await run(payRent, env, botctlHere)).code).toBe(0);
    expect(await sandbox.ledger()).toHaveLength(1);
  });

  test('of one that nobody has sent leaves nothing in doubt: 8', async () => {
    const env = machine();
    const ended = await cutAtCommit(payRent, env);
    expect(ended).toMatchObject({ code: 8, said: { error: { code: 'journal-unreachable' } } });
    expect(await sandbox.ledger()).toHaveLength(0);
    await silence(journal);
    expect((await run(payRent, env, botctlHere)).code).toBe(0);
    expect(await sandbox.ledger()).toHaveLength(1);
  });
});

test('a commit that another process of the server would make is refused, and nothing is sent', async () => {
  const pooler = closedAfterTest(await startPretendPooler(server));
  const refused = await run(payRent, machine(pooler.through(journal)), botctlHere);
  const error = { code: 'journal-schema', retry: 'after-fix' };
  expect(refused).toMatchObject({ code: 1, said: { error } });
  expect(refused.said.error?.message).toContain('A pooler in front of the journal');
  expect(await sandbox.ledger()).toEqual([]);
});

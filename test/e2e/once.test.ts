import type { ChildProcess } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { payAda, SandboxHome, said, sendHello } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('the same command twice at once', () => {
  test.each([
    ['send', sendHello],
    ['transfer', payAda],
  ] as const)('%s makes one request, and both print the same outcome', async (_name, argv) => {
    await operator.sandbox.faults({ kind: 'stall', when: 'after', ms: 400 });
    const waiting = [...argv, '--max-wait', '20s'];
    const both = await Promise.all([operator.jsonApart(waiting), operator.jsonApart(waiting)]);
    const [left, right] = both;
    expect(both.map(({ exit }) => exit)).toEqual([0, 0]);
    expect(left.entry).toEqual(right.entry);
    expect(left.message ?? left.transfer).toEqual(right.message ?? right.transfer);
    expect(both.map(({ replayed }) => replayed).sort()).toEqual([false, true]);
    expect(await operator.sandbox.ledger()).toHaveLength(1);
    const requests = operator.sandbox.lines.filter(
      ({ operation }) => operation === 'message' || operation === 'transfer',
    );
    expect(requests).toHaveLength(1);
  });
});

describe('a process that is killed in flight', () => {
  test.each([
    ['message', sendHello],
    ['transfer', payAda],
  ] as const)('leaves a %s that the same command brings to its end, once', async (_kind, argv) => {
    await operator.sandbox.faults({ kind: 'stall', when: 'after', ms: null });
    const { child, ended } = operator.start(argv);
    await operator.effects(1);
    child.kill('SIGKILL');
    expect((await ended).signal).toBe('SIGKILL');
    const [listed] = (await operator.run(['history', '--json'])).stdout.split('\n');
    expect(JSON.parse(listed ?? '')).toMatchObject({ outcome: 'unknown' });
    const again = await operator.json(argv);
    expect(again).toMatchObject({ exit: 0, outcome: 'accepted', entry: { attempts: 2 } });
    expect(await operator.sandbox.ledger({ key: again.entry?.key ?? '' })).toHaveLength(1);
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });
});

/** Resolves when it has said so on stderr. */
function toldBy({ stderr }: ChildProcess, line: RegExp): Promise<void> {
  return new Promise((resolve) => {
    let text = '';
    stderr?.on('data', (chunk: string) => {
      text += chunk;
      if (line.test(text)) resolve();
    });
  });
}

describe('an interrupt', () => {
  test('in flight says what is waited for and how to leave, lets the reply come, and tells it', async () => {
    const gate = await operator.gate();
    const came = gate.holdNext('reply');
    const { child, ended } = operator.start([...payAda, '--json']);
    await came;
    const told = toldBy(
      child,
      /^note: Interrupted while the transfer is being sent: .* Interrupt again to leave/mu,
    );
    child.kill('SIGINT');
    await told;
    gate.release();
    const done = await ended;
    expect(done.code).toBe(0);
    expect(said(done).outcome).toBe('accepted');
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'and a second one (%s) end it at once: unknown, and on record',
    async (signal) => {
      await operator.sandbox.faults({ kind: 'stall', when: 'after', ms: null });
      const { child, ended } = operator.start([...payAda, '--json']);
      await operator.effects(1);
      // Two that come at once are one to a process.
      while (child.exitCode === null) {
        child.kill(signal);
        await pause(50);
      }
      const done = await ended;
      expect(done.code).toBe(9);
      expect(said(done)).toMatchObject({ outcome: 'unknown', error: { code: 'unknown' } });
    },
  );
});

describe('what nobody could read', () => {
  test.skipIf(!existsSync('/dev/full'))('is told again however late, and done once', async () => {
    const line = `botctl ${payAda.join(' ')} --max-wait 0s`;
    for (const flags of ['', ' --json', ' --quiet']) {
      const full = await operator.shell(`${line}${flags} > /dev/full`);
      expect(full.code).toBe(1);
      expect(full.stderr).toMatch(/could not be written/u);
      expect(full.stderr).toMatch(/accepted/u);
    }
    expect(await operator.json(payAda)).toMatchObject({ exit: 0, replayed: true });
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });

  test('because the reader left ends quietly, and is not taken for told', async () => {
    const closed = await operator.shell(
      `botctl ${payAda.join(' ')} --json --max-wait 0s | true; echo "\${PIPESTATUS[0]}"`,
    );
    expect(closed.stdout).toBe('0\n');
    expect(closed.stderr).not.toMatch(/ at |EPIPE/u);
    expect(
      (await operator.shell(`botctl ${payAda.join(' ')} | head -1; echo "\${PIPESTATUS[0]}"`)).stdout,
    ).toMatch(/\n0\n$/u);
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });
});

describe('--dry-run', () => {
  test('sends nothing, and makes no file where there is none', async () => {
    for (const argv of [sendHello, payAda]) {
      const ended = await operator.json([...argv, '--dry-run']);
      expect(ended).toMatchObject({ exit: 0, outcome: 'dry-run' });
      expect(JSON.stringify(ended)).not.toContain(operator.sandbox.tokens.full);
    }
    expect((await operator.run([...sendHello, '--dry-run'])).stdout).toMatch(/nothing was recorded or sent/u);
    expect(existsSync(operator.journal)).toBe(false);
    expect((await readdir(operator.home.path)).filter((name) => name === 'data')).toEqual([]);
    expect(operator.sandbox.lines.filter(({ operation }) => operation !== 'control')).toEqual([]);
  });
});

describe('a reply that the journal can no longer take', () => {
  test.each([[[]], [['--json']]])('is printed all the same, and exits 9 %j', async (flags: string[]) => {
    const gate = await operator.gate();
    const came = gate.holdNext('reply');
    const { ended } = operator.start([...payAda, ...flags]);
    await came;
    const database = new DatabaseSync(operator.journal);
    database.exec("CREATE TRIGGER full BEFORE UPDATE ON attempts BEGIN SELECT RAISE(ABORT, 'no'); END");
    gate.release();
    const done = await ended;
    database.exec('DROP TRIGGER full');
    database.close();
    const [effect] = await operator.sandbox.ledger();
    expect(done.code).toBe(9);
    expect(done.stdout).toContain(effect?.signature);
    if (flags.length > 0)
      expect(said(done)).toMatchObject({ outcome: 'unknown', error: { code: 'not-recorded' } });
    else expect(done.stderr).toMatch(/A reply came .*the journal could not/u);
    expect(await operator.json(payAda)).toMatchObject({
      exit: 0,
      outcome: 'accepted',
      entry: { key: effect?.key },
    });
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });

  test('because its files went away is told, and that it is not on record', async () => {
    const gate = await operator.gate();
    const came = gate.holdNext('reply');
    const { ended } = operator.start([...payAda, '--yes']);
    await came;
    renameSync(operator.journal, `${operator.journal}.moved`);
    gate.release();
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(9);
    expect(stdout).toMatch(/Signature/u);
    expect(stderr).toContain('journal.db is gone');
  });
});

test('a run makes every different command of it happen once, and needs a name', async () => {
  const env = { BOTCTL_RUN: 'nightly-7' };
  const other = [...payAda.slice(0, 6), '0.6'];
  for (const argv of [payAda, payAda, other, other]) expect((await operator.run(argv, { env })).code).toBe(0);
  expect(await operator.sandbox.ledger()).toHaveLength(2);
  expect((await operator.run(payAda, { env: { BOTCTL_RUN: 'nightly-8' } })).code).toBe(10);
  expect((await operator.run([...payAda, '--repeat'], { env: { BOTCTL_RUN: 'nightly-8' } })).code).toBe(0);
  expect(await operator.sandbox.ledger()).toHaveLength(3);
  const nameless = await operator.json(sendHello, { env: { BOTCTL_RUN: '' } });
  expect(nameless).toMatchObject({ exit: 2, error: { message: expect.stringContaining('BOTCTL_RUN') } });
});

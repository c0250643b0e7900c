import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../src/machine/process.ts';
import { SkippingClock } from '../../testing/builtHere.ts';
import { lastLine } from '../../testing/jsonOutput.ts';
import { newSharedJournal } from '../../testing/postgres/newJournal.ts';
import { sharedServer } from '../../testing/postgres/server.ts';
import { otherRecipient } from '../../testing/sandbox.ts';
import { type Exited, payAda, SandboxHome } from '../../testing/sandboxHome.ts';

type Chain = { verdict: string; reasons: string[]; signature: string; earlier?: boolean };
type Told = Exited & { chain?: Chain; verified?: unknown };

const hourS = 3600;
const dayS = 24 * hourS;

/** The machine's clock, so far from the sandbox's as a test says. */
class WrongClock extends SkippingClock {
  byMs = 0;

  override now(): number {
    return super.now() + this.byMs;
  }
}

let operator: SandboxHome;
let clock: WrongClock & Clock;
beforeEach(async () => {
  clock = new WrongClock();
  operator = await SandboxHome.openWithNode(clock);
  await operator.sandbox.readings({ slot_ms: 0 });
});
afterEach(() => operator.close());

const told = async (...argv: string[]): Promise<Told> => (await operator.json(argv)) as Told;

const idOf = ({ intent }: Told): string => intent?.id ?? '';

/** From now on the service names the signature of a payment of the same amount, made for another journal. */
async function namesOlder(): Promise<void> {
  await told(...payAda, '--once', 'older', '--journal', `${operator.home.path}/other.db`);
  await operator.sandbox.readings({ reply_signature: 'previous' });
}

/** The node says of every transaction that it was made then. */
async function nodeSays(blockTime: number | null): Promise<void> {
  const { sandbox } = operator;
  await sandbox.clearFaults();
  await sandbox.faults({
    kind: 'twist',
    method: 'getTransaction',
    path: 'blockTime',
    value: blockTime,
    times: 99,
  });
}

const nowS = (): number => Math.floor(Date.now() / 1000);

const named = ['--once', 'rent'] as const;
const row = `id,to_address,asset,amount\na,${payAda[2]},SOL,0.5\n`;
const waits = ['--wait', '--wait-timeout', '3s'] as const;

describe('an older signature as the reply to a random key', () => {
  test('proves nothing', async () => {
    await namesOlder();
    await nodeSays(nowS() - 3 * hourS);
    const paid = await told(...payAda);
    expect(paid).toMatchObject({ exit: 0, outcome: 'accepted' });
    const looked = await told('verify', idOf(paid));
    expect(looked).toMatchObject({
      ...{ exit: 10, outcome: 'accepted', verified: false },
      chain: { verdict: 'undecided', reasons: ['other-time'] },
      error: { code: 'other-time', retry: 'decide' },
    });
    expect(looked.error?.message.match(/\d{4}-\d\d-\d\d/gu)).toHaveLength(2);
    expect(looked.error?.next).toEqual([expect.stringContaining('--acknowledge')]);
  });

  test('is told by every run until a person has dealt with it', async () => {
    await namesOlder();
    await nodeSays(nowS() - 30 * dayS);
    const id = idOf(await told(...payAda, ...named));
    const all = (): Promise<Told> => told('verify', '--all');
    expect(await operator.run(['verify', '--all'])).toMatchObject({
      code: 10,
      stdout: '0 proven, 0 contradicted, 1 undecided.\n',
    });
    expect(await told(...payAda, ...named)).toMatchObject({ exit: 10, verified: false, replayed: true });
    expect(await told('verify', id, '--acknowledge', '--reason', 'asked the service')).toMatchObject({
      exit: 0,
    });
    expect(await all()).toMatchObject({ exit: 0, verified: { undecided: 0 } });
    expect(await told('verify', id)).toMatchObject({ exit: 0, chain: { acknowledged: true } });
    expect(await told(...payAda, ...named)).toMatchObject({ exit: 0, verified: false, replayed: true });
  });

  test('is known by the chain’s slots alone, where a node was asked before', async () => {
    await namesOlder();
    expect(await told(...payAda, '--wait')).toMatchObject({
      ...{ exit: 10, verified: false },
      chain: { verdict: 'undecided', reasons: ['other-time'] },
    });
  });

  test('decides nothing of what the service said had failed', async () => {
    await namesOlder();
    await nodeSays(nowS() - 30 * dayS);
    await operator.sandbox.readings({ transfer_status: 'failed' });
    const id = idOf(await told(...payAda));
    expect(await told('verify', id)).toMatchObject({
      exit: 10,
      outcome: 'held',
      error: { code: 'other-time' },
    });
    expect(await told('history', id)).toMatchObject({ outcome: 'held', decisions: [] });
  });
});

describe('a name that another machine may have used', () => {
  test('is proven by a payment of up to 20 hours before, and says so', async () => {
    await namesOlder();
    await nodeSays(nowS() - 19 * hourS);
    const id = idOf(await told(...payAda, ...named));
    const looked = await told('verify', id);
    expect(looked).toMatchObject({ exit: 0, verified: true, chain: { verdict: 'proven', earlier: true } });
    expect(looked.warnings).toEqual([
      expect.stringMatching(/paid at .* before the first request .* another machine/u),
    ]);
  });

  test('says so by the slots where a node was asked before', async () => {
    await namesOlder();
    expect(await told(...payAda, ...named, '--wait')).toMatchObject({
      ...{ exit: 0, chain: { verdict: 'proven', earlier: true } },
    });
  });

  test('and is in doubt is decided by a person', async () => {
    await namesOlder();
    await nodeSays(nowS() - 3 * hourS);
    await operator.sandbox.readings({ extra_fields: { to_address: otherRecipient } });
    const id = idOf(await told(...payAda, ...named));
    const looked = await told('verify', id);
    expect(looked).toMatchObject({
      ...{ exit: 10, outcome: 'held', chain: { verdict: 'proven', earlier: true }, error: { code: 'held' } },
    });
    expect(looked.error?.message).toContain('another machine');
    expect(await told('verify', '--all')).toMatchObject({ exit: 0 });
    expect(await told('resolve', id, '--happened', '--reason', 'paid by the runner')).toMatchObject({
      exit: 0,
    });
    expect(await told('verify', id)).toMatchObject({ exit: 0, outcome: 'resolved' });
  });

  test('is known to a journal that all machines share', async () => {
    operator.env.BOTCTL_JOURNAL = await newSharedJournal(await sharedServer());
    await namesOlder();
    await nodeSays(nowS() - 3 * hourS);
    const id = idOf(await told(...payAda, ...named));
    expect(await told('verify', id)).toMatchObject({
      ...{ exit: 10, verified: false, chain: { verdict: 'undecided', reasons: ['other-time'] } },
    });
    expect(await told(...payAda, '--once', 'next', '--wait')).toMatchObject({
      ...{ exit: 10, chain: { verdict: 'undecided', reasons: ['other-time'] } },
    });
  });

  test('is a row of a batch', async () => {
    await namesOlder();
    const run = async (hoursBefore: number, name: string): Promise<object> => {
      await nodeSays(nowS() - hoursBefore * hourS);
      const words = ['batch', 'transfer', '-', '--once', name, ...waits, '--json', '--yes'];
      const { code, stdout } = await operator.run(words, { stdin: row });
      return { code, last: lastLine(stdout) };
    };
    expect(await run(3, 'one')).toMatchObject({ code: 0 });
    expect(await run(21, 'two')).toMatchObject({
      code: 10,
      last: { error: { code: 'some-held', retry: 'decide' } },
    });
  });

  test('is told to a person of a row, too', async () => {
    await namesOlder();
    const words = ['batch', 'transfer', '-', '--once', 'b', ...waits, '--yes'];
    const { code, stderr } = await operator.run(words, { stdin: row });
    expect(code).toBe(0);
    expect(stderr).toMatch(/warning: On the chain, it was paid at .* before the first request/u);
  });
});

describe('clocks', () => {
  test('that differ by three hours decide nothing by themselves', async () => {
    clock.byMs = 1000 * 3 * hourS;
    const id = idOf(await told(...payAda));
    const looked = await told('verify', id);
    expect(looked).toMatchObject({
      ...{ exit: 9, chain: { verdict: 'undecided', reasons: ['clock'] }, error: { code: 'unproven' } },
    });
    expect(looked.error?.message).toContain('clocks');
  });

  test('matter to nobody where the node was asked for its own before', async () => {
    clock.byMs = -3000 * hourS;
    expect(await told(...payAda, '--wait')).toMatchObject({ exit: 0, chain: { verdict: 'proven' } });
  });
});

describe('a reply that said it failed', () => {
  test('is decided by no chain alone, although the chain shows the payment', async () => {
    await operator.sandbox.readings({ transfer_status: 'failed' });
    const id = idOf(await told(...payAda));
    const looked = await told('verify', id);
    expect(looked).toMatchObject({
      ...{
        exit: 10,
        outcome: 'held',
        chain: { verdict: 'proven' },
        error: { code: 'held', retry: 'decide' },
      },
    });
    expect(looked.error?.message).toContain('the service said that the transfer failed');
    expect(await told('history', id)).toMatchObject({ outcome: 'held', decisions: [] });
    expect(await told('resolve', id, '--happened', '--reason', 'on chain')).toMatchObject({ exit: 0 });
    expect(await told('verify', id)).toMatchObject({ exit: 0, outcome: 'resolved', verified: true });
  });

  test('and was sent again since is decided by none, either', async () => {
    const { sandbox } = operator;
    await sandbox.readings({ transfer_status: 'failed' });
    const id = idOf(await told(...payAda));
    await sandbox.faults({ kind: 'drop', when: 'after' });
    expect(await told('resume', id, '--yes')).toMatchObject({ exit: 9, outcome: 'unknown' });
    expect(await told('verify', id)).toMatchObject({ exit: 10, outcome: 'unknown', error: { code: 'held' } });
  });
});

describe('a bot whose wallet nobody names', () => {
  beforeEach(() => {
    operator.useProfiles({ payer: { ...operator.chainProfile(), wallet: undefined } }, 'payer');
  });

  test('is shown to have paid, likely, and not asked about again', async () => {
    const id = idOf(await told(...payAda));
    const looked = await told('verify', id);
    expect(looked).toMatchObject({
      ...{ exit: 0, chain: { verdict: 'likely', commitment: 'finalized', reasons: ['source-unchecked'] } },
      warnings: [expect.stringContaining('names no wallet')],
    });
    expect(await told('verify', '--all')).toMatchObject({ exit: 0, verified: { likely: 0, undecided: 0 } });
    operator.useProfiles({ payer: operator.chainProfile() }, 'payer');
    expect(await told('verify', id)).toMatchObject({ exit: 0, chain: { verdict: 'proven', reasons: [] } });
  });

  test('is told of a payment from before its first attempt, too', async () => {
    await namesOlder();
    await nodeSays(nowS() - 19 * hourS);
    const looked = await told('verify', idOf(await told(...payAda, ...named)));
    expect(looked).toMatchObject({
      ...{ exit: 0, verified: false, chain: { verdict: 'likely', earlier: true } },
      warnings: [
        expect.stringContaining('names no wallet'),
        expect.stringMatching(/paid at .* before the first request/u),
      ],
    });
  });

  test('is counted by verify --all', async () => {
    await told(...payAda);
    const { code, stdout, stderr } = await operator.run(['verify', '--all']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '0 proven, 1 likely, 0 contradicted, 0 undecided.\n',
    });
    expect(stderr).not.toContain('warning: The chain');
  });

  test('has the payment to itself all the same', async () => {
    await operator.sandbox.readings({ extra_fields: { to_address: otherRecipient } });
    const one = idOf(await told(...payAda, '--once', 'one'));
    await operator.sandbox.readings({ reply_signature: 'previous' });
    const two = idOf(await told(...payAda, '--once', 'two'));
    expect(await told('verify', one)).toMatchObject({
      ...{ exit: 10, outcome: 'held', chain: { verdict: 'likely' }, error: { code: 'held' } },
    });
    expect(await told('verify', two)).toMatchObject({ exit: 10, chain: { reasons: ['claimed'] } });
  });

  test.each([[['--wait']], [['--wait=finalized']]])('cannot be waited for to the end: %s', async (wait) => {
    const refused = await told(...payAda, ...wait);
    expect(refused).toMatchObject({
      exit: 2,
      error: { code: 'no-wallet', hint: expect.stringContaining('--wait=confirmed') },
    });
    expect(refused.error?.next).toEqual(['botctl config set payer wallet ADDRESS']);
    const batch = ['batch', 'transfer', '-', '--once', 'b', ...wait, '--json'];
    expect(await operator.run(batch, { stdin: row })).toMatchObject({ code: 2 });
    expect(await operator.sandbox.ledger()).toEqual([]);
  });

  test('contradicts no row that is waited for again', async () => {
    const batch = ['batch', 'transfer', '-', '--once', 'b', '--wait=confirmed', '--yes'];
    for (const run of ['first', 'again']) {
      const { code, stderr } = await operator.run(batch, { stdin: row });
      expect({ run, code, stderr }).toMatchObject({ run, code: 0 });
      expect(stderr).toContain('0 contradicted');
    }
  });

  test('can be waited for until it is confirmed', async () => {
    expect(await told(...payAda, '--wait=confirmed')).toMatchObject({
      exit: 0,
      chain: { verdict: 'likely' },
    });
  });
});

test('what the chain decided is said of no operator', async () => {
  await operator.sandbox.readings({ extra_fields: { to_address: otherRecipient } });
  const id = idOf(await told(...payAda, ...named));
  expect(await told('verify', id)).toMatchObject({ exit: 0, outcome: 'resolved' });
  const { code, stderr } = await operator.run([...payAda, ...named]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/it was decided at .* that this transfer happened/u);
  expect(stderr).not.toContain('operator');
});

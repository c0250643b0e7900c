import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { botctlHere, SkippingClock } from '../support/builtHere.ts';
import { payAda, SandboxHome, said } from '../support/sandboxHome.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

const clock = new SkippingClock();
let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open(clock);
});
afterEach(() => operator.close());

const pay = (amount: string, ...more: string[]) => [...payAda.slice(0, -1), amount, ...more];
const rent = pay('0.5', '--once', 'rent', '--propose');
const paid = () => operator.sandbox.ledger({ kind: 'transfer' });
async function propose(argv: readonly string[] = rent): Promise<string> {
  const { exit, outcome, entry } = await operator.json(argv);
  expect({ exit, outcome }).toEqual({ exit: 10, outcome: 'held' });
  return entry?.id ?? '';
}

const decline = (id: string) => ['decline', id, '--reason', 'the invoice says 120'];

/** Returns the policy's path. */
function usePolicy(more: object): string {
  const policy = operator.home.policy({ schema: 'botctl-policy/1', limits: { SOL: {} }, ...more });
  operator.useProfiles({ bot: { policy } }, 'bot');
  return policy;
}

const table = (...rows: string[]): string =>
  operator.home.file('payroll.csv', ['id,to_address,asset,amount', ...rows, ''].join('\n'));
const row = (id: string, amount: string): string => `${id},${payAda[2]},SOL,${amount}`;
const payroll = (path: string, ...more: string[]) => [
  'batch',
  'transfer',
  path,
  '--once',
  'payroll',
  ...more,
];

describe('where nobody can be asked, nobody is told to decide', () => {
  const deciding = /--yes|--repeat|--skip-repeats|\b(?:approve|decline|resolve|resume|decide|accept-loss)\b/u;

  const expectNoneIn = (text: string): void => {
    expect(text).toContain('A person must decide');
    expect(text.replaceAll('A person must decide', '')).not.toMatch(deciding);
  };

  async function expectNoDecision(...argv: string[]): Promise<void> {
    const inJson = await operator.run([...argv, '--json']);
    expect(inJson.code).toBe(10);
    const { error } = said(inJson);
    expectNoneIn(JSON.stringify([error?.message, error?.hint, error?.next]));
    expectNoneIn((await operator.run(argv)).stderr);
  }

  test('about a proposal, by its own command and by approve', async () => {
    const id = await propose();
    await expectNoDecision(...rent);
    await expectNoDecision('approve', id);
    await expectNoDecision('resume', id);
  });
});

describe('a proposal', () => {
  test('is approved and declined without a token, a profile or a connection', async () => {
    const [one, other] = [await propose(), await propose(pay('0.6', '--once', 'other', '--propose'))];
    const { BOTCTL_BASE_URL: _url, BOTCTL_TOKEN: _token, ...env } = operator.env;
    const here = async (argv: readonly string[]) => said(await botctlHere([...argv, '--json'], { env }));
    expect(await here(['approve', one, '--yes'])).toMatchObject({ outcome: 'open' });
    expect(await here(decline(other))).toMatchObject({ outcome: 'declined' });
    const dry = await operator.run(pay('0.6', '--once', 'other', '--propose', '--dry-run'));
    expect([dry.code, dry.stdout]).toEqual([10, expect.stringContaining('a person declined it')]);
    expect(await operator.json(['resume', '--all'])).toMatchObject({ exit: 0, entry: { id: one } });
    expect(await paid()).toHaveLength(1);
  });

  test('that is approved is not sent, on every screen', async () => {
    usePolicy({});
    const id = await propose();
    await operator.run(['approve', id, '--yes']);
    expect((await operator.run(['history'])).stdout).toContain('(approved, not sent)');
    expect((await operator.run(['history', '--total'])).stdout).toContain('approved, not sent');
    expect((await operator.run(['doctor'])).stdout).toContain('1 open (1 approved, not sent)');
    // Within the limits of that moment.
    usePolicy({ limits: { SOL: { transfer: '0.1' } } });
    for (const argv of [rent, ['resume', id]])
      expect(await operator.json(argv)).toMatchObject({ exit: 2, error: { code: 'policy-limit' } });
    expect(await paid()).toEqual([]);
  });

  test('that is approved and cannot be sent is sent by the same command, without another approval', async () => {
    const id = await propose();
    await operator.run(['approve', id, '--yes']);
    await operator.sandbox.faults({ kind: 'reset', when: 'after', operation: 'transfer' });
    expect(await operator.json(rent)).toMatchObject({ exit: 9, outcome: 'unknown' });
    expect(await operator.json(rent)).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(await operator.json(['history', id])).toHaveProperty('decisions.length', 2);
    expect(await paid()).toHaveLength(1);
  });
});

describe('why it waits', () => {
  test('is said with amount and limit, by who asks and to who decides, and is kept', async () => {
    const policy = usePolicy({ approve_above: { SOL: '1' } });
    const why = `2.2 SOL is above 1 SOL, approve_above of ${policy}`;
    const words = pay('2.2', '--once', 'bonus');
    expect((await operator.run([...words, '--dry-run'])).stdout).toContain(why);
    const proposed = await operator.json(words);
    expect(proposed.error?.message).toContain(`is waiting for approval: ${why}. ID `);
    const again = await operator.json(words);
    expect(again.error?.message).toContain(why);
    const shown = await operator.json(['history', proposed.entry?.id ?? '']);
    expect(shown).toMatchObject({ decisions: [{ kind: 'proposed', reason: why }] });
    expect((await operator.run(['history', proposed.entry?.id ?? ''])).stdout).toContain(
      '2.2 SOL is above 1 SOL',
    );
    const list = await operator.run(['history', '--state', 'held']);
    expect(list.stdout).toMatch(/ waiting +[0-9a-f]{12} +2\.2 SOL → 9WzDXw\w+ \[bonus\]\n/u);
    const question = await onTerminalHere(
      ['approve', 'bonus'],
      [['Approve it? [y/N] ', 'n\r']],
      operator.env,
    );
    for (const part of ['bot', operator.sandbox.baseUrl, '2.2 SOL', 'bonus', proposed.entry?.id ?? ''])
      expect(question.shown).toContain(part);
    expect(question.shown).toMatch(new RegExp(`To +${payAda[2]}\\s+never paid before`, 'u'));
    expect(question.shown.replace(/\s+/gu, ' ')).toContain('2.2 SOL is above 1 SOL');
    const asked = await operator.json(pay('0.5', '--once', 'tip', '--propose'));
    expect(asked.error?.message).toContain('is waiting for approval: asked for by --propose. ID ');
  });
});

describe('a batch', () => {
  test('says how many rows would wait, and is approved as one table', async () => {
    usePolicy({ approve_above: { SOL: '1' } });
    const path = table(row('a', '2'), row('b', '0.1'), row('c', '3'));
    const dry = await operator.run(payroll(path, '--dry-run'));
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of 3 wait for approval') });
    expect(await operator.json(payroll(path, '--dry-run'))).toMatchObject({
      rows: { all: 3, to_send: 1, waiting: 2 },
    });
    const asked = await onTerminalHere(payroll(path), [['[y/N] ', 'n\r']], operator.env);
    expect(asked.shown).toContain('2 of 3 wait for approval');
    expect(asked.shown).toContain('Pay 0.1 SOL to 1 person, and propose to pay 5 SOL to 1 person?');
    const first = await operator.run(payroll(path, '--yes', '--max-failures', '1'));
    expect(first.code).toBe(10);
    expect(first.stderr).toContain('Rows not done: 2 waiting for approval.');
    expect(first.stderr).toContain('A person must decide.');
    expect(first.stderr).not.toMatch(/resolve or resume|--yes|botctl approve/u);
    expect(await paid()).toHaveLength(1);
    expect(await operator.json(['batch', 'status', 'payroll'])).toMatchObject({
      exit: 10,
      standings: { done: 1, waiting: 2 },
    });
    const unasked = await operator.json(['approve', '--batch', 'payroll']);
    expect(unasked).toMatchObject({ exit: 10, error: { code: 'held' } });
    const { code, shown } = await onTerminalHere(
      ['approve', '--batch', 'payroll'],
      [['[y/N] ', 'y\r']],
      operator.env,
    );
    expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining('2 rows, 5 SOL') });
    // The third row has paid the same address meanwhile.
    const heads = ['ROW  AMOUNT  TO', 'PAID BEFORE'].join(' '.repeat(44));
    expect(shown).toContain(`  ${heads}\n  a    2 SOL   ${payAda[2]}  1 time\n`.replace(/\n/gu, '\r\n'));
    expect(shown.replace(/\s+/gu, ' ')).toContain(
      '2 rows waiting for approval: above 1 SOL, approve_above of',
    );
    // Rows of one name may be of several bots.
    expect(shown).toMatch(/Bot +bot\s/u);
    expect(await paid()).toHaveLength(1);
    expect(await operator.json(['batch', 'status', 'payroll'])).toMatchObject({
      exit: 11,
      standings: { done: 1, approved: 2 },
    });
    expect((await operator.run(payroll(path, '--yes', '--repeat'))).code).toBe(0);
    expect(await paid()).toHaveLength(3);
  });

  test('that is done but for declined rows says so, on every later run as well', async () => {
    usePolicy({ approve_above: { SOL: '1' } });
    const path = table(row('a', '2'), row('b', '0.1'));
    await operator.run(payroll(path, '--yes'));
    expect(await operator.run(['decline', '--batch', 'payroll', '--reason', 'no', '--yes'])).toMatchObject({
      code: 0,
    });
    for (const _ of [1, 2]) {
      const again = await operator.run(payroll(path, '--yes'));
      expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('All other rows are done.') });
      expect(again.stderr).toContain('1 declined');
    }
    expect(await operator.json(['batch', 'status', 'payroll'])).toMatchObject({
      exit: 2,
      standings: { done: 1, declined: 1 },
    });
    expect((await operator.run(payroll(path, '--dry-run'))).code).toBe(2);
    const more = table(row('a', '2'), row('b', '0.1'), row('c', 'much'));
    const invalid = await operator.run(payroll(more, '--yes', '--skip-invalid'));
    expect(invalid).toMatchObject({ code: 2, stderr: expect.stringContaining('1 declined, 1 invalid') });
    table(row('a', '1'), row('b', '0.1'));
    const changed = await operator.run(payroll(path, '--yes'));
    expect(changed).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('the id is taken by transfer'),
    });
    expect(await paid()).toHaveLength(1);
  });
});

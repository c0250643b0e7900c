// A decision is about what was shown: what others do while a question is open is not decided with it.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newSharedJournal } from '../support/postgres/newJournal.ts';
import { type PostgresServer, sharedServer } from '../support/postgres/server.ts';
import { otherRecipient } from '../support/sandbox.ts';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';
import type { OnTerminal, Steps } from '../support/terminal.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await sharedServer();
});

const pay = (...more: string[]) => [...payAda, ...more];
const rent = pay('--once', 'rent');
const proposing = [...rent, '--propose'];
const swapped = `transfer --to ${otherRecipient} --asset SOL --amount 5 --once rent`;
const transfers = { operation: 'transfer' } as const;
const once = '--max-wait 0s';

describe.each(['file', 'server'])('through a journal on a %s', (store) => {
  let operator: SandboxHome;
  beforeEach(async () => {
    operator = await SandboxHome.open();
    if (store === 'server') operator.env.BOTCTL_JOURNAL = await newSharedJournal(server);
  });
  afterEach(() => operator.close());

  const paid = async () =>
    (await operator.sandbox.ledger({ kind: 'transfer' })).map(({ request }) => request.amount);
  const start = async (argv: readonly string[]): Promise<string> =>
    (await operator.json(argv)).entry?.id ?? '';
  const standing = async (id: string) => (await operator.json(['history', id])).outcome;
  /** Answers Yes, after the others are done; and No, if it is asked again. */
  function yes(argv: readonly string[], ...meanwhile: readonly string[]): Promise<OnTerminal> {
    const lines = meanwhile.map((line) => `botctl ${line}`).join('\n');
    const answers: Steps = [
      ['[y/N] ', 'y\r', lines],
      ['[y/N] ', 'n\r'],
    ];
    return onTerminalHere(argv, answers, operator.env);
  }
  const words = ({ shown }: OnTerminal): string => shown.replaceAll(/\s+/gu, ' ');

  test('approve decides nothing about what took the place of the proposal it showed', async () => {
    const id = await start(proposing);
    const ended = await yes(['approve', id], `decline ${id} --reason swapped`, `${swapped} --propose`);
    expect(await paid()).toEqual([]);
    expect(ended.code).toBe(10);
    expect(words(ended)).toContain('declined transfer');
  });

  test('“it did not happen” is not said of an attempt that was made since', async () => {
    await operator.sandbox.faults({ ...transfers, kind: 'reset', when: 'before' });
    const id = await start(rent);
    await operator.run(['resolve', id, '--happened', '--reason', 'seen']);
    await operator.sandbox.faults({ ...transfers, kind: 'reset', when: 'after' });
    const undone = ['resolve', id, '--did-not-happen', '--reason'];
    const ended = await yes(
      [...undone, 'not seen'],
      `${undone.join(' ')} 'not there' --yes`,
      `${rent.join(' ')} ${once}`,
    );
    expect(await standing(id)).toBe('unknown');
    expect({ code: ended.code, paid: await paid() }).toEqual({ code: 130, paid: ['0.5'] });
    expect(words(ended)).toContain(`Entry ${id} has changed since this command looked at it`);
    expect(await operator.json(rent)).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(await paid()).toHaveLength(1);
  });

  // The rest is decided by what was shown, whatever keeps the journal.
  if (store === 'server') return;

  test('what somebody else approved is shown as approved, and both approvals are kept', async () => {
    const id = await start(proposing);
    const ended = await yes(['approve', id], `approve ${id} --yes`);
    expect({ code: ended.code, paid: await paid() }).toEqual({ code: 0, paid: [] });
    const { decisions } = (await operator.json(['history', id])) as { decisions?: unknown[] };
    expect(decisions).toHaveLength(3);
  });

  test('what was approved and declined since is told as declined', async () => {
    const id = await start(proposing);
    const ended = await yes(
      ['approve', id],
      `approve ${id} --yes`,
      `decline ${id} --yes --reason 'wrong after all'`,
    );
    expect({ code: ended.code, paid: await paid() }).toEqual({ code: 10, paid: [] });
    expect(words(ended)).toContain('wrong after all');
  });

  test('what somebody else resumed to no better end is asked about again', async () => {
    const saysNothing = { ...transfers, kind: 'reply', status: 200, body: 'OK' } as const;
    await operator.sandbox.faults(saysNothing, saysNothing);
    const id = await start(rent);
    expect(await standing(id)).toBe('held');
    const ended = await yes(['resume', id, ...once.split(' ')], `resume ${id} --yes ${once}`);
    expect(words(ended)).toContain(`Entry ${id} has changed since this command looked at it`);
    expect({ code: ended.code, now: await operator.json(['history', id]) }).toMatchObject({
      code: 10,
      now: { outcome: 'held', entry: { attempts: 2 } },
    });
  });

  test.each(['approve', 'decline', 'resolve', 'resume'])(
    'without a question, %s takes a whole ID, and no key',
    async (command) => {
      const reason = ['--reason', 'r'];
      const words = { decline: reason, resolve: ['--did-not-happen', ...reason] }[command] ?? [];
      const isOfProposals = command === 'approve' || command === 'decline';
      const saysNothing = { ...transfers, kind: 'reply', status: 200, body: 'OK' } as const;
      if (!isOfProposals) await operator.sandbox.faults(saysNothing, saysNothing);
      const proposes = isOfProposals ? ['--propose'] : [];
      const id = await start([...rent, ...proposes]);
      const key = id.slice(0, 6);
      const trap = await start([...payAda.slice(0, -1), '5', '--idempotency-key', key, ...proposes]);
      expect(await standing(trap)).toBe('held');
      const before = await operator.json(['history', id]);
      for (const named of [key, before.entry?.key ?? ''])
        expect([2, 10]).toContain((await operator.json([command, named, ...words, '--yes'])).exit);
      expect(await operator.json(['history', id])).toEqual(before);
      expect(await operator.json([command, id, ...words, '--yes'])).toMatchObject({ exit: 0 });
      expect(await paid()).toEqual(command === 'resume' ? ['0.5'] : []);
    },
  );
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { payAda, SandboxHome } from '../../testing/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const rent = [...payAda, '--once', 'rent'];
const paid = () => operator.sandbox.ledger({ kind: 'transfer' });

describe('transfer --propose', () => {
  test('puts it on record, and nothing sends it before it is approved', async () => {
    const transfer = rent;
    const first = await operator.json([...transfer, '--propose']);
    expect(first).toMatchObject({
      exit: 10,
      outcome: 'held',
      intent: { attempts: 0, why: 'approval', tainted: false },
      error: { code: 'held', retry: 'decide' },
    });
    const id = first.intent?.id ?? '';
    expect(first.error?.message).toContain(id);
    expect(first.error?.message).toContain('is waiting for approval');
    expect(first.error?.message).toMatch(/ Nothing was sent\.$/u);
    expect((await operator.run(['history'])).stdout).toContain('(waits for approval)');
    expect((await operator.run(['doctor'])).stdout).toContain('1 held (1 waits for approval)');
    for (const again of [[...transfer, '--propose'], transfer])
      expect(await operator.json([...again])).toMatchObject({ exit: 10, intent: { id, attempts: 0 } });
    expect(await paid()).toEqual([]);
    const unasked = await operator.json(['approve', id]);
    expect(unasked).toMatchObject({ exit: 10, error: { next: first.error?.next } });
    expect(unasked.error?.message).toContain('Nothing was decided.');
    expect(unasked.error?.message).not.toContain('may have happened');
    expect(await operator.json(['approve', id, '--yes'])).toMatchObject({ exit: 0, outcome: 'open' });
    expect(await operator.json([...transfer, '--propose'])).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(await operator.json([...transfer, '--propose'])).toMatchObject({ exit: 0, replayed: true });
    expect(await paid()).toHaveLength(1);
  });

  test('two of one payment, both approved: one is paid, and the other stops until it is meant', async () => {
    const again = [...payAda, '--once', 'again'];
    for (const words of [rent, again]) {
      const { intent } = await operator.json([...words, '--propose']);
      expect(await operator.json(['approve', intent?.id ?? '', '--yes'])).toMatchObject({ exit: 0 });
    }
    expect(await operator.json(rent)).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(await operator.json(again)).toMatchObject({ exit: 10, error: { code: 'paid-already' } });
    expect(await paid()).toHaveLength(1);
    expect(await operator.json([...again, '--repeat'])).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(await paid()).toHaveLength(2);
  });

  test('says on a dry run what it would do', async () => {
    const dry = async () => {
      const { stdout } = await operator.run([...rent, '--propose', '--dry-run']);
      return stdout.split('\n').filter((line) => /^ {2}(?:Policy|Re-run) /u.test(line));
    };
    const [proposal, rerun] = await dry();
    expect(proposal).toContain('it would be held until a person approves it');
    expect(rerun).toContain('no: it would be new');
    expect((await operator.run(['history'])).stdout).toBe('');
    const { intent } = await operator.json([...rent, '--propose']);
    const [again] = await dry();
    expect(again).toContain(`yes: it waits for approval; nothing would be sent (ID ${intent?.id})`);
    await operator.run(['approve', intent?.id ?? '', '--yes']);
    expect((await dry())[0]).toContain('it would be allowed');
    await operator.run(rent);
    expect(await dry()).toEqual([expect.stringContaining('yes: it is done')]);
  });
});

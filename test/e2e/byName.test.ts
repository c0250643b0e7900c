import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkippingClock } from '../support/builtHere.ts';
import { otherRecipient } from '../support/sandbox.ts';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.openWithNode(new SkippingClock());
});
afterEach(() => operator.close());

const idOf = (words: readonly string[]): Promise<string> =>
  operator.json([...words, '--yes']).then(({ entry }) => entry?.id ?? '');

async function unknownRent(): Promise<string> {
  await operator.sandbox.faults({ kind: 'drop', when: 'after', operation: 'transfer' });
  return idOf([...payAda, '--once', 'rent', '--max-wait', '0s']);
}

const answering = (words: readonly string[], answer: string) =>
  onTerminalHere(words, [[/\[y\/N\] /u, `${answer}\r`]], { ...operator.env, NO_COLOR: '1' });

describe('a name, where no ID fits', () => {
  test('shows and verifies its entry', async () => {
    const id = await idOf([...payAda, '--once', 'rent']);
    expect(await operator.json(['history', 'rent'])).toMatchObject({ exit: 0, entry: { id } });
    expect(await operator.json(['verify', 'rent'])).toMatchObject({ entry: { id } });
    expect(await operator.json(['history', 'ren'])).toMatchObject({ exit: 2, error: { code: 'usage' } });
    expect(await operator.json(['history', 'rented'])).toMatchObject({ error: { code: 'no-such-entry' } });
  });

  test('that several entries have, or a batch, is listed and never guessed', async () => {
    const pay = ['transfer', '--to', otherRecipient, '--asset', 'SOL', '--amount', '2'];
    const paid = await idOf([...pay, '--once', 'rent']);
    const said = await idOf(['send', '--conversation', 'conv_demo', '--content', 'Paid', '--once', 'rent']);
    const several = await operator.json(['history', 'rent']);
    expect(several).toMatchObject({ exit: 2, error: { next: ['botctl history'] } });
    expect(several.error?.message).toContain(said);
    expect(several.error?.message).toContain(paid);
    const rows = operator.home.file('rows.csv', 'id,conversation_id,content\n1,conv_demo,Hi\n');
    await operator.run(['batch', 'send', rows, '--once', 'news', '--yes']);
    expect(await operator.json(['history', 'news'])).toMatchObject({
      exit: 2,
      error: { next: ['botctl history --batch news'] },
    });
  });

  test('gives way to an ID', async () => {
    const id = await idOf([...payAda, '--once', 'rent']);
    await idOf(['send', '--conversation', 'conv_demo', '--content', 'x', '--once', id.slice(0, 6)]);
    expect(await operator.json(['history', id.slice(0, 6)])).toMatchObject({ entry: { id } });
  });
});

describe('a name, where something is decided', () => {
  test.each([
    // The state decides the exit of what could not be resumed.
    [9, ['resume', 'rent']],
    [2, ['resolve', 'rent', '--happened', '--reason', 'seen']],
  ] as const)('is not taken with --yes, or without a terminal: exit %i, %s', async (ends, words) => {
    const id = await unknownRent();
    for (const more of [[], ['--yes']]) {
      const { error, exit } = await operator.json([...words, ...more]);
      expect(exit).toBe(ends);
      expect(error?.message).toContain(`botctl takes only a whole ID, and this one stands for entry ${id}`);
    }
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });

  test('is taken by resume after a question that shows the entry, and not after a No', async () => {
    await unknownRent();
    const no = await answering(['resume', 'rent'], 'n');
    expect([no.code, no.shown]).toEqual([9, expect.stringContaining('rent')]);
    expect(await operator.json(['history', 'rent'])).toMatchObject({ entry: { state: 'unknown' } });
    expect((await answering(['resume', 'rent'], 'y')).code).toBe(0);
    expect(await operator.json(['history', 'rent'])).toMatchObject({ entry: { state: 'accepted' } });
  });

  test('is taken by resolve, approve and decline in the same way', async () => {
    await unknownRent();
    expect((await answering(['resolve', 'rent', '--happened', '--reason', 'seen'], 'y')).code).toBe(0);
    expect(await operator.json(['history', 'rent'])).toMatchObject({ entry: { state: 'resolved' } });
    const pay = ['transfer', '--to', otherRecipient, '--asset', 'SOL', '--amount', '2', '--propose'];
    for (const name of ['a', 'b']) await idOf([...pay, '--once', name]);
    expect(await operator.json(['approve', 'a', '--yes'])).toMatchObject({ error: { code: 'usage' } });
    expect((await answering(['approve', 'a'], 'y')).code).toBe(0);
    expect((await answering(['decline', 'b', '--reason', 'twice'], 'y')).code).toBe(0);
    expect(await operator.json(['history', 'a'])).toMatchObject({ entry: { state: 'open' } });
    expect(await operator.json(['history', 'b'])).toMatchObject({ entry: { state: 'declined' } });
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { botctlHere } from '../../testing/builtHere.ts';
import { payAda, SandboxHome, said } from '../../testing/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const rent = [...payAda, '--once', 'rent'];
const paid = () => operator.sandbox.ledger({ kind: 'transfer' });

describe('transfer --propose', () => {
  test.each([
    ['named', rent],
    ['unnamed', payAda],
  ])('puts a %s one on record, and no command but approve sends it', async (_what, transfer) => {
    const first = await operator.json([...transfer, '--propose']);
    expect(first).toMatchObject({
      exit: 10,
      outcome: 'held',
      intent: { attempts: 0, why: 'approval', proposed: true, tainted: false },
      error: { code: 'held', retry: 'decide' },
    });
    const id = first.intent?.id ?? '';
    expect(first.error?.message).toContain(id);
    expect(first.error?.message).toContain(
      'is waiting for approval: the command asked for it (--propose). ID',
    );
    expect(first.error?.message).toMatch(/ Nothing was sent\.$/u);
    expect((await operator.run(['history'])).stdout).toContain('(waits for approval)');
    expect((await operator.run(['doctor'])).stdout).toContain('1 held (1 waits for approval)');
    for (const again of [[...transfer, '--propose'], transfer])
      expect(await operator.json([...again])).toMatchObject({ exit: 10, intent: { id, attempts: 0 } });
    expect(await paid()).toEqual([]);
    const unasked = await operator.json(['approve', id]);
    expect(unasked).toMatchObject({ exit: 10, error: { next: first.error?.next } });
    expect(unasked.error?.message).toContain('It is still waiting for approval. Nothing was sent this time.');
    expect(unasked.error?.message).not.toContain('may have happened');
    expect(await operator.json(['approve', id, '--yes'])).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(await operator.json([...transfer, '--propose'])).toMatchObject({ exit: 0, replayed: true });
    expect(await paid()).toHaveLength(1);
  });

  test('never speaks of what may have happened: without its profile, or beside the same payment', async () => {
    const token = { kind: 'env', variable: 'BOTCTL_TOKEN' };
    const opsAt = (url: string) => ({ version: 1, profiles: { ops: { 'base-url': url, token } } });
    operator.home.writeConfig(opsAt(operator.sandbox.baseUrl));
    const { intent } = await operator.json([...rent, '--propose', '--profile', 'ops']);
    const id = intent?.id ?? '';
    const approve = ['approve', id, '--yes'];
    const twin = await operator.json([...payAda, '--profile', 'ops']);
    expect(twin.error?.message).toContain('is waiting for approval');
    operator.home.writeConfig(opsAt('https://elsewhere.example'));
    const moved = await operator.json(approve);
    operator.home.writeConfig({ version: 1, profiles: {} });
    const gone = await operator.json(approve);
    for (const { error } of [twin, moved, gone]) {
      expect(JSON.stringify(error)).not.toMatch(
        /--happened|whether it happened|whether this transfer happened/u,
      );
      expect(error?.next?.at(-1)).toContain(`decline ${id} --reason`);
    }
    expect(gone.error?.next?.[0]).toContain('config add ops --base-url');
  });

  test('approved without its token, or without a base URL beside it, says nothing of a token that it was sent with', async () => {
    const { intent } = await operator.json([...rent, '--propose']);
    const approve = ['approve', intent?.id ?? '', '--yes', '--json'];
    const { BOTCTL_BASE_URL: baseUrl, BOTCTL_TOKEN: token, ...env } = operator.env;
    const other = await operator.json([...payAda.slice(0, -1), '0.7', '--once', 'other', '--propose']);
    const { stdout } = await botctlHere(
      ['approve', intent?.id ?? '', other.intent?.id ?? '', '--yes', '--json'],
      { env },
    );
    expect(stdout).toContain(`${other.intent?.id} was started`);
    const without = said(await botctlHere(approve, { env }));
    const unled = said(await botctlHere(approve, { env: { ...env, BOTCTL_TOKEN: token } }));
    for (const { error } of [without, unled]) expect(JSON.stringify(error)).not.toContain('sent with');
    expect(without.error?.message).toContain('was started with a token from outside the profiles');
    expect(unled.error?.message).toMatch(/^The journal does not say which token started transfer \w+,/u);
    expect(unled.error?.next).toEqual([
      expect.stringMatching(new RegExp(`approve .* --base-url ${baseUrl}`, 'u')),
    ]);
    expect(await paid()).toEqual([]);
  });

  test('says on a dry run what it would do', async () => {
    const dry = async () => {
      const { stdout } = await operator.run([...rent, '--propose', '--dry-run']);
      return stdout.split('\n').filter((line) => /^ {2}(?:Approval|Re-run) /u.test(line));
    };
    const [proposal, rerun] = await dry();
    expect(proposal).toContain('it would be recorded and held; nothing would be sent');
    expect(rerun).toContain('no: it would be new');
    expect((await operator.run(['history'])).stdout).toBe('');
    const { intent } = await operator.json([...rent, '--propose']);
    const [staying, again] = await dry();
    expect(staying).toContain('it would stay as it is, and wait for approval');
    expect(again).toContain(`yes: it waits for approval; nothing would be sent (ID ${intent?.id})`);
    await operator.run(['approve', intent?.id ?? '', '--yes']);
    expect(await dry()).toEqual([expect.stringContaining('yes: it is done')]);
  });
});

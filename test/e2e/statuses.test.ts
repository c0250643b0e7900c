import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SkippingClock } from '../support/builtHere.ts';
import { payAda, SandboxHome, sendHello } from '../support/sandboxHome.ts';

let operator: SandboxHome;
const open = async (): Promise<void> => {
  operator = await SandboxHome.open(new SkippingClock());
};
const close = (): Promise<void> => operator.close();

describe('for real', () => {
  beforeAll(open);
  afterAll(close);

  test('a success is told whole: to a person, to a script and to a pipe', async () => {
    const sent = await operator.run(sendHello);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    const [message] = await operator.sandbox.ledger({ kind: 'message' });
    expect(sent.stdout).toContain(message?.id);
    expect(sent.stdout).toMatch(/conv_demo/u);
    const paid = await operator.run(payAda);
    const [transfer] = await operator.sandbox.ledger({ kind: 'transfer' });
    for (const part of ['0.5 SOL', payAda[2], transfer?.signature, transfer?.id, 'confirmed']) {
      expect(paid.stdout).toContain(part);
    }
    const quiet = await operator.run([...payAda, '--quiet']);
    expect(quiet.stdout).toBe(`${transfer?.signature}\n`);
    const json = await operator.json(payAda);
    expect(json).toMatchObject({
      exit: 0,
      outcome: 'accepted',
      replayed: true,
      duplicate: false,
    });
    expect(json.transfer).toMatchObject({ transfer_id: transfer?.id, signature: transfer?.signature });
  });

  test('a success that a reply tells in its transfer is told like any other', async () => {
    const transfer = { transfer_id: 'tr_nested', signature: 'sig_nested', status: 'confirmed' };
    await operator.sandbox.faults({ kind: 'reply', status: 200, when: 'before', body: { transfer } });
    const argv = [...payAda.slice(0, -1), '0.03', '--once', 'nested'];
    expect(await operator.json(argv)).toMatchObject({ exit: 0, transfer: { signature: 'sig_nested' } });
    expect((await operator.run([...argv, '--quiet'])).stdout).toBe('sig_nested\n');
    const { stdout } = await operator.run(['history', 'nested']);
    for (const part of ['sig_nested', 'tr_nested']) expect(stdout).toContain(part);
  });

  test('a rate limit that does not pass in time exits 7 and says when to come back', async () => {
    await operator.sandbox.readings({ rate_limit: { capacity: 0, per_second: 0.01 } });
    const ended = await operator.json([...sendHello, '--once', 'limited']);
    await operator.sandbox.readings({ rate_limit: null });
    expect(ended).toMatchObject({
      exit: 7,
      outcome: 'open',
      error: { code: 'rate-limited', retry: 'same-command' },
    });
    expect(ended.error?.hint).toMatch(/again after \d{4}-.+\(in \d+ s\)/u);
    expect(await operator.json([...sendHello, '--once', 'limited'])).toMatchObject({
      exit: 0,
      outcome: 'accepted',
    });
  });
});

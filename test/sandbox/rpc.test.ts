// Stock clients against /rpc: @solana/kit as it comes, and @noble/ed25519 for the signatures.
import { createHash } from 'node:crypto';
import { hashes, verify } from '@noble/ed25519';
import { base58 } from '@scure/base';
import {
  address,
  createSolanaRpc,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Signature,
} from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { otherRecipient, recipient, startTestSandbox, type TestSandbox } from '../../testing/sandbox.ts';

hashes.sha512 = (message) => new Uint8Array(createHash('sha512').update(message).digest());

let sandbox: TestSandbox;
let rpc: ReturnType<typeof createSolanaRpc>;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  await sandbox.readings({ slot_ms: 0 });
  rpc = createSolanaRpc(`${sandbox.baseUrl}/rpc`);
});
afterAll(() => sandbox.close());

async function pay(body: object): Promise<Signature> {
  const { json, status } = await sandbox.post('transfer', { to_address: recipient, ...body });
  expect(status).toBe(200);
  return json.signature as Signature;
}

test('kit confirms a transfer of SOL and reads its balance changes', async () => {
  const wallet = address(sandbox.wallet.address);
  const before = (await rpc.getBalance(wallet).send()).value;
  const signature = await pay({ asset: 'SOL', amount: '1.5', memo: 'hello' });
  const { value } = await rpc.getSignatureStatuses([signature]).send();
  expect(value[0]).toMatchObject({ err: null, confirmationStatus: 'finalized' });
  expect((await rpc.getBalance(wallet).send()).value).toBe(before - 1_500_005_000n);
  expect((await rpc.getBalance(address(recipient)).send()).value).toBe(1_500_000_000n);
  const found = await rpc
    .getTransaction(signature, { encoding: 'json', maxSupportedTransactionVersion: 0 })
    .send();
  const keys = found?.transaction.message.accountKeys ?? [];
  const moved = (who: string): bigint => {
    const index = (keys as readonly string[]).indexOf(who);
    return (found?.meta?.postBalances[index] ?? 0n) - (found?.meta?.preBalances[index] ?? 0n);
  };
  expect([moved(wallet), moved(recipient), found?.meta?.fee]).toEqual([
    -1_500_005_000n,
    1_500_000_000n,
    5000n,
  ]);
  expect(found?.meta?.logMessages?.join('\n')).toContain('Memo (len 5)');
  expect(found?.transaction.signatures).toEqual([signature]);
});

test('kit reads what a transfer of USDC moved', async () => {
  const signature = await pay({ to_address: otherRecipient, asset: 'USDC', amount: '2.5' });
  const found = await rpc
    .getTransaction(signature, { encoding: 'json', maxSupportedTransactionVersion: 0 })
    .send();
  const held = found?.meta?.postTokenBalances?.find((balance) => balance.owner === otherRecipient);
  expect(held?.uiTokenAmount).toMatchObject({ amount: '2500000', decimals: 6, uiAmountString: '2.5' });
  const account = found?.transaction.message.accountKeys[held?.accountIndex ?? -1];
  const balance = await rpc.getTokenAccountBalance(address(String(account))).send();
  expect(balance.value).toMatchObject({ amount: '2500000', decimals: 6 });
});

test.each(['SOL', 'USDC'])(
  'a signature verifies with ed25519 against the transaction that getTransaction returns: %s',
  async (asset) => {
    const signature = await pay({ asset, amount: '1', memo: 'signed' });
    expect(base58.decode(signature)).toHaveLength(64);
    const found = await rpc
      .getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 })
      .send();
    const wire = getBase64Encoder().encode(found?.transaction[0] ?? '');
    const { messageBytes } = getTransactionDecoder().decode(wire);
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
    expect(message.staticAccounts[0]).toBe(sandbox.wallet.address);
    const publicKey = base58.decode(sandbox.wallet.address);
    expect(verify(base58.decode(signature), new Uint8Array(messageBytes), publicKey)).toBe(true);
    const forged = new Uint8Array(messageBytes);
    forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1;
    expect(verify(base58.decode(signature), forged, publicKey)).toBe(false);
  },
);

test('equal transfers have different signatures, also after a restart and a reset', async () => {
  const seen = new Set<string>();
  for (let n = 0; n < 3; n += 1) seen.add(await pay({ asset: 'SOL', amount: '1' }));
  await sandbox.reset();
  await sandbox.readings({ slot_ms: 0 });
  for (let n = 0; n < 3; n += 1) seen.add(await pay({ asset: 'SOL', amount: '1' }));
  const restarted = await startTestSandbox({ dataDir: sandbox.dataDir });
  const { json } = await restarted.post('transfer', { to_address: recipient, asset: 'SOL', amount: '1' });
  await restarted.close();
  seen.add(String(json.signature));
  expect(seen.size).toBe(7);
});

test('getLatestBlockhash changes with every transfer and stays valid for 150 slots', async () => {
  const { value } = await rpc.getLatestBlockhash().send();
  await pay({ asset: 'SOL', amount: '1' });
  const later = await rpc.getLatestBlockhash().send();
  expect(later.value.blockhash).not.toBe(value.blockhash);
  expect(value.lastValidBlockHeight - (await rpc.getBlockHeight().send())).toBe(149n);
  expect((await rpc.isBlockhashValid(value.blockhash).send()).value).toBe(true);
});

test('what is not there is null, and what is not offered is an error that says what is', async () => {
  const unknown = base58.encode(new Uint8Array(64).fill(7)) as Signature;
  expect(
    await rpc.getTransaction(unknown, { encoding: 'json', maxSupportedTransactionVersion: 0 }).send(),
  ).toBeNull();
  expect((await rpc.getSignatureStatuses([unknown]).send()).value).toEqual([null]);
  await expect(rpc.getClusterNodes().send()).rejects.toThrow();
});

test('malformed calls are answered as JSON-RPC has it', async () => {
  const call = async (body: unknown): Promise<unknown> => {
    const headers = { 'Content-Type': 'application/json' };
    return (
      await fetch(`${sandbox.baseUrl}/rpc`, { method: 'POST', headers, body: JSON.stringify(body) })
    ).json();
  };
  for (const body of [
    7,
    {},
    { id: 1 },
    { id: 1, method: 'toString', params: [] },
    { id: 1, method: 'getBalance' },
  ]) {
    expect(await call(body)).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
  }
  expect(await call([{ id: 1, method: 'getHealth' }])).toEqual([{ jsonrpc: '2.0', id: 1, result: 'ok' }]);
});

// Clients as they come, none of them changed for the sandbox: @solana/web3.js 1, @solana/kit, @solana/spl-token.
import { createHash } from 'node:crypto';
import { hashes, verify } from '@noble/ed25519';
import { base58 } from '@scure/base';
import {
  address,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  fetchAddressesForLookupTables,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Signature,
} from '@solana/kit';
import {
  AccountLayout,
  getAccount,
  getAssociatedTokenAddress,
  getAssociatedTokenAddressSync,
  getMint,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  createBlockHeightExceedencePromiseFactory,
  createRecentSignatureConfirmationPromiseFactory,
  waitForRecentTransactionConfirmation,
} from '@solana/transaction-confirmation';
import { Connection, type KeyedAccountInfo, type Logs, PublicKey, SystemProgram } from '@solana/web3.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { otherRecipient, recipient, startTestSandbox, type TestSandbox } from '../../testing/sandbox.ts';

hashes.sha512 = (message) => new Uint8Array(createHash('sha512').update(message).digest());

let sandbox: TestSandbox;
let connection: Connection;
beforeAll(async () => {
  sandbox = await startTestSandbox({ nextPortToo: true });
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  await sandbox.reset();
  connection = new Connection(sandbox.node.rpcUrl);
});

async function pay(body: object = {}): Promise<string> {
  const wanted = { to_address: recipient, asset: 'SOL', amount: '1.5', ...body };
  const { json, status } = await sandbox.post('transfer', wanted);
  expect(status).toBe(200);
  return String(json.signature);
}

describe('@solana/web3.js 1', () => {
  test.each(['processed', 'confirmed', 'finalized'] as const)(
    'confirmTransaction finishes at %s, by the websocket at the next port',
    async (commitment) => {
      const latest = await connection.getLatestBlockhash();
      const signature = await pay();
      const { value } = await connection.confirmTransaction({ signature, ...latest }, commitment);
      expect(value.err).toBeNull();
    },
  );

  test('confirmTransaction gives up when the fork was dropped and the blockhash is past', async () => {
    await sandbox.readings({ node_history: 'dropped', slot_ms: 1 });
    const latest = await connection.getLatestBlockhash();
    const signature = await pay();
    const confirming = connection.confirmTransaction({ signature, ...latest }, 'finalized');
    await expect(confirming).rejects.toThrow(/block height exceeded/);
  });

  test('getParsedTransaction says in words what moved', async () => {
    await sandbox.readings({ slot_ms: 0 });
    const mint = sandbox.node.assets.USDC;
    const signature = await pay({ asset: 'USDC', amount: '2.5', memo: 'rent' });
    const found = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
    const parsed = found?.transaction.message.instructions.map((each) =>
      'parsed' in each ? (each.parsed.type ?? each.parsed) : each,
    );
    expect(parsed).toEqual(['createIdempotent', 'rent', 'transferChecked']);
    expect(found?.transaction.message.instructions[2]).toMatchObject({
      parsed: { info: { mint, authority: sandbox.wallet.address, tokenAmount: { amount: '2500000' } } },
    });
    const inner = found?.meta?.innerInstructions?.flatMap(({ index, instructions }) =>
      instructions.map((each) => [index, 'parsed' in each ? each.parsed.type : each.data]),
    );
    expect(inner).toEqual([
      [0, 'getAccountDataSize'],
      [0, 'createAccount'],
      [0, 'initializeImmutableOwner'],
      [0, 'initializeAccount3'],
    ]);
    expect(
      found?.meta?.postTokenBalances?.find(({ owner }) => owner === recipient)?.uiTokenAmount.amount,
    ).toBe('2500000');
  });

  test('getSignaturesForAddress lists what names an address, newest first, in pages', async () => {
    await sandbox.readings({ slot_ms: 0 });
    const signatures = [await pay(), await pay({ memo: 'hello' }), await pay({ asset: 'USDC' }), await pay()];
    const all = await connection.getSignaturesForAddress(new PublicKey(recipient));
    expect(all.map(({ signature }) => signature)).toEqual([...signatures].reverse());
    expect(all.map(({ memo }) => memo)).toEqual([null, null, '[5] hello', null]);
    const before = signatures[3] ?? '';
    const until = signatures[0] ?? '';
    const page = await connection.getSignaturesForAddress(new PublicKey(recipient), {
      before,
      until,
      limit: 1,
    });
    expect(page.map(({ signature }) => signature)).toEqual([signatures[2]]);
    expect(await connection.getSignaturesForAddress(PublicKey.unique())).toEqual([]);
  });

  test('accounts are there one by one, together, by owner, and parsed', async () => {
    await pay({ asset: 'USDC', amount: '2.5' });
    const owner = new PublicKey(recipient);
    const mint = new PublicKey(sandbox.node.assets.USDC ?? '');
    const [held] = (await connection.getTokenAccountsByOwner(owner, { mint })).value;
    const [parsed] = (await connection.getParsedTokenAccountsByOwner(owner, { mint })).value;
    expect(parsed?.account.data.parsed.info.tokenAmount).toMatchObject({ amount: '2500000', decimals: 6 });
    const [same, none] = await connection.getMultipleAccountsInfo([held?.pubkey ?? mint, PublicKey.unique()]);
    expect([same?.data.length, none]).toEqual([165, null]);
    expect((await connection.getTokenSupply(mint)).value.amount).toBe('10000000000');
    const rent = await connection.getMinimumBalanceForRentExemption(165);
    expect([rent, await connection.getMinimumBalanceForRentExemption(0)]).toEqual([2_039_280, 890_880]);
  });

  test('a slot subscription hears of slots, until it is ended', async () => {
    await sandbox.readings({ slot_ms: 10 });
    const slots: number[] = [];
    const id = await new Promise<number>((heard) => {
      const subscription = connection.onSlotChange(({ slot }) => {
        slots.push(slot);
        if (slots.length === 3) heard(subscription);
      });
    });
    await connection.removeSlotChangeListener(id);
    expect(slots).toEqual([...slots].sort((left, right) => left - right));
    expect(new Set(slots).size).toBe(3);
  });

  /** Settled once the node knows of the listeners that are there: it hears calls in their order. */
  async function subscribed(): Promise<void> {
    let id = 0;
    await new Promise<void>((heard) => {
      id = connection.onSlotChange(() => heard());
    });
    await connection.removeSlotChangeListener(id);
  }

  const until = (isSo: () => boolean): Promise<void> => expect.poll(isSo).toBe(true);

  test('onAccountChange hears what a payment left, and of money given by hand', async () => {
    await pay();
    const seen: number[] = [];
    const id = connection.onAccountChange(
      new PublicKey(recipient),
      ({ lamports, owner }) => seen.push(owner.equals(SystemProgram.programId) ? lamports / 1e9 : -1),
      { commitment: 'finalized' },
    );
    await subscribed();
    await pay({ amount: '2' });
    await until(() => seen.includes(3.5));
    await sandbox.money({ asset: 'SOL', amount: '1', address: recipient });
    await until(() => seen.includes(4.5));
    await connection.removeAccountChangeListener(id);
  });

  test('onProgramAccountChange hears of the program’s accounts that the filters let through', async () => {
    const told: KeyedAccountInfo[] = [];
    const all: string[] = [];
    const filters = [{ dataSize: 165 }, { memcmp: { offset: 32, bytes: recipient } }];
    const ids = [
      connection.onProgramAccountChange(TOKEN_PROGRAM_ID, (each) => told.push(each), {
        commitment: 'confirmed',
        filters,
      }),
      connection.onProgramAccountChange(TOKEN_PROGRAM_ID, ({ accountId }) => all.push(accountId.toBase58())),
    ];
    await subscribed();
    await pay();
    await pay({ asset: 'USDC', amount: '2.5' });
    await until(() => all.length >= 2);
    const mint = new PublicKey(sandbox.node.assets.USDC ?? '');
    const held = (owner: string): string =>
      getAssociatedTokenAddressSync(mint, new PublicKey(owner)).toBase58();
    expect(all.sort()).toEqual([held(sandbox.wallet.address), held(recipient)].sort());
    expect(told.map(({ accountId }) => accountId.toBase58())).toEqual([held(recipient)]);
    expect(AccountLayout.decode(told[0]?.accountInfo.data ?? Buffer.of()).amount).toBe(2_500_000n);
    for (const id of ids) await connection.removeProgramAccountChangeListener(id);
  });

  test('onLogs hears the logs of all transactions, and of those that name an address', async () => {
    const all: Logs[] = [];
    const told: Logs[] = [];
    const ids = [
      connection.onLogs('all', (each) => all.push(each), 'processed'),
      connection.onLogs(new PublicKey(otherRecipient), (each) => told.push(each)),
    ];
    await subscribed();
    const signatures = [await pay({ memo: 'rent' }), await pay({ to_address: otherRecipient })];
    await until(() => told.length >= 1 && all.length >= 2);
    expect(all.map(({ signature }) => signature)).toEqual(signatures);
    expect(all[0]?.logs.join()).toMatch(/Memo \(len 4\).*rent/);
    expect(told.map(({ signature, err }) => [signature, err])).toEqual([[signatures[1], null]]);
    for (const id of ids) await connection.removeOnLogsListener(id);
  });

  test('what is not answered is asked for three times, and then only as time goes by', async () => {
    const still = await startTestSandbox({ nowMs: () => 1_700_000_000_000, nextPortToo: true });
    connection = new Connection(still.node.rpcUrl);
    const refused = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    try {
      const id = connection.onSlotUpdate(() => undefined);
      await until(() => refused.mock.calls.length === 3);
      await subscribed();
      await subscribed();
      expect(refused).toHaveBeenCalledTimes(3);
      await connection.removeSlotUpdateListener(id);
    } finally {
      refused.mockRestore();
      await still.close();
    }
  });
});

describe('@solana/kit', () => {
  async function first<Told>(told: Promise<AsyncIterable<Told>>, act: () => Promise<unknown>): Promise<Told> {
    const notifications = await told;
    await act();
    for await (const each of notifications) return each;
    throw new Error('nothing was told');
  }

  const abortSignal = AbortSignal.timeout(60_000);

  test('hears of accounts, programs and logs, each at the stage that it asked for', async () => {
    const rpc = createSolanaRpcSubscriptions(sandbox.node.rpcUrl.replace('http', 'ws'));
    const mint = sandbox.node.assets.USDC ?? '';
    const account = await first(
      rpc
        .accountNotifications(address(recipient), { encoding: 'base64', commitment: 'processed' })
        .subscribe({ abortSignal }),
      () => pay(),
    );
    expect(account.value).toMatchObject({ lamports: 1_500_000_000n, data: ['', 'base64'], space: 0n });
    const held = await first(
      rpc
        .programNotifications(address(TOKEN_PROGRAM_ID.toBase58()), {
          encoding: 'jsonParsed',
          filters: [{ memcmp: { offset: 32n, bytes: recipient as never, encoding: 'base58' } }],
        })
        .subscribe({ abortSignal }),
      () => pay({ asset: 'USDC', amount: '2.5' }),
    );
    expect(held.value.account.data).toMatchObject({
      parsed: { info: { mint, owner: recipient, tokenAmount: { amount: '2500000' } } },
    });
    let signature = '';
    const logs = await first(
      rpc.logsNotifications({ mentions: [address(recipient)] }).subscribe({ abortSignal }),
      async () => {
        signature = await pay();
      },
    );
    expect(logs.value).toMatchObject({ signature, err: null });
    expect(logs.value.logs?.length).toBeGreaterThan(0);
  });

  test('reads the addresses of a lookup table, parsed', async () => {
    await sandbox.readings({ transaction_version: 'v0-lookups', slot_ms: 0 });
    const rpc = createSolanaRpc(sandbox.node.rpcUrl);
    const signature = (await pay()) as Signature;
    const config = { maxSupportedTransactionVersion: 0, encoding: 'json' } as const;
    const found = await rpc.getTransaction(signature, config).send();
    const message = found?.transaction.message;
    const lookups =
      message !== undefined && 'addressTableLookups' in message ? message.addressTableLookups : [];
    const table = lookups?.[0]?.accountKey ?? address('');
    const loaded = found?.meta?.loadedAddresses;
    const read = await fetchAddressesForLookupTables([table], rpc);
    expect(read).toEqual({ [table]: [...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])] });
    expect(read[table]?.length).toBeGreaterThan(0);
    const parsed = await rpc.getAccountInfo(table, { encoding: 'jsonParsed' }).send();
    expect(parsed.value?.data).toMatchObject({
      program: 'address-lookup-table',
      parsed: {
        type: 'lookupTable',
        info: { deactivationSlot: '18446744073709551615', lastExtendedSlotStartIndex: 0 },
      },
    });
  });
});

test('kit waits for a transaction until it is finalized, and until its blockhash is past', async () => {
  const rpc = createSolanaRpc(sandbox.node.rpcUrl);
  const rpcSubscriptions = createSolanaRpcSubscriptions(sandbox.node.rpcUrl.replace('http', 'ws'));
  const confirm = async (lastValidBlockHeight: bigint): Promise<void> => {
    const signature = (await pay()) as Signature;
    const blockhash = (await rpc.getLatestBlockhash().send()).value.blockhash;
    const wire = (await rpc.getTransaction(signature, { commitment: 'confirmed', encoding: 'base64' }).send())
      ?.transaction[0];
    const transaction = {
      ...getTransactionDecoder().decode(getBase64Encoder().encode(wire ?? '')),
      lifetimeConstraint: { blockhash, lastValidBlockHeight },
    };
    await waitForRecentTransactionConfirmation({
      abortSignal: AbortSignal.timeout(20_000),
      commitment: 'finalized',
      getBlockHeightExceedencePromise: createBlockHeightExceedencePromiseFactory({ rpc, rpcSubscriptions }),
      getRecentSignatureConfirmationPromise: createRecentSignatureConfirmationPromiseFactory({
        rpc,
        rpcSubscriptions,
      }),
      transaction: transaction as Parameters<typeof waitForRecentTransactionConfirmation>[0]['transaction'],
    });
  };
  await sandbox.readings({ slot_ms: 0 });
  await confirm(1_000_000_000n);
  await sandbox.readings({ slot_ms: 1, commitment_held_at: 'confirmed' });
  await expect(confirm((await rpc.getBlockHeight().send()) + 20n)).rejects.toThrow(
    /progressed past the last block/,
  );
});

test('@solana/spl-token reads accounts and mints, and u64 are whole', async () => {
  const mint = new PublicKey(sandbox.node.assets.USDC ?? '');
  await sandbox.money({ asset: 'USDC', amount: '9999999999.123457', address: recipient });
  const held = await getAssociatedTokenAddress(mint, new PublicKey(recipient));
  const account = await getAccount(connection, held);
  expect([account.amount, account.owner.toBase58()]).toEqual([9_999_999_999_123_457n, recipient]);
  expect(await getMint(connection, mint)).toMatchObject({ decimals: 6, supply: 10_000_009_999_123_457n });
});

describe.each(['legacy', 'v0', 'v0-lookups', 'v1'] as const)('a transfer made as %s', (form) => {
  test('is signed over its own bytes, which kit decodes, and moves the same', async () => {
    await sandbox.readings({ transaction_version: form, slot_ms: 0 });
    const rpc = createSolanaRpc(sandbox.node.rpcUrl);
    const signature = (await pay({ asset: 'USDC', amount: '2.5' })) as Signature;
    const config = { maxSupportedTransactionVersion: 1 as 0 };
    const found = await rpc.getTransaction(signature, { ...config, encoding: 'base64' }).send();
    const { messageBytes, signatures } = getTransactionDecoder().decode(
      getBase64Encoder().encode(found?.transaction[0] ?? ''),
    );
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
    expect(message.version).toBe({ legacy: 'legacy', v0: 0, 'v0-lookups': 0, v1: 1 }[form]);
    const [[payer, signed] = []] = Object.entries(signatures);
    expect(payer).toBe(sandbox.wallet.address);
    const publicKey = base58.decode(sandbox.wallet.address);
    expect(verify(Uint8Array.from(signed ?? []), Uint8Array.from(messageBytes), publicKey)).toBe(true);
    const json = await rpc.getTransaction(signature, { ...config, encoding: 'json' }).send();
    const { loadedAddresses, preTokenBalances, postTokenBalances } = json?.meta ?? {};
    const keys = [
      ...(json?.transaction.message.accountKeys ?? []),
      ...(loadedAddresses?.writable ?? []),
      ...(loadedAddresses?.readonly ?? []),
    ];
    const held = await getAssociatedTokenAddress(
      new PublicKey(sandbox.node.assets.USDC ?? ''),
      new PublicKey(recipient),
    );
    const post = postTokenBalances?.find(({ owner }) => owner === recipient);
    expect([keys[post?.accountIndex ?? -1], post?.uiTokenAmount.amount]).toEqual([
      held.toBase58(),
      '2500000',
    ]);
    expect(preTokenBalances).toHaveLength(1);
    expect(loadedAddresses?.writable.length).toBe(form === 'v0-lookups' ? 2 : 0);
    const balance = await rpc.getBalance(address(sandbox.wallet.address)).send();
    expect(balance.value).toBe(json?.meta?.postBalances[0]);
  });
});

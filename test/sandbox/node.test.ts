// What the node at /rpc says under each reading and fault, with a clock that stands until it is moved.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Readings } from '../../src/sandbox/readings.ts';
import { otherRecipient, recipient, startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

const another = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';

let now = 1_700_000_000_000;
let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox({ nowMs: () => now });
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset());

const pass = (slots: number): void => {
  now += slots * 100;
};

type Answer<Result> = { result: Result; error?: { code: number; message: string; data?: unknown } };

type Balance = { owner: string; mint: string; programId: string; uiTokenAmount: { amount: string } };

type Told = {
  slot: number;
  version: unknown;
  transaction: {
    signatures: string[];
    message: { accountKeys: { pubkey: string }[]; instructions: { programId: string; parsed?: string }[] };
  };
  meta: {
    fee: number;
    preBalances: number[];
    postBalances: number[];
    preTokenBalances: Balance[];
    postTokenBalances: Balance[];
  };
};

type Held = { value: { owner: string; data: [string, string] } };

type Statuses = { value: ({ confirmationStatus: string } | null)[] };

async function ask(body: unknown): Promise<{ status: number; headers: Headers; text: string }> {
  const reply = await fetch(sandbox.node.rpcUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

async function call<Result = unknown>(method: string, params: unknown[] = []): Promise<Answer<Result>> {
  const { text } = await ask({ jsonrpc: '2.0', id: 1, method, params });
  return JSON.parse(text) as Answer<Result>;
}

async function slotNow(): Promise<number> {
  const { result } = await call<{ context: { slot: number } }>('getBalance', [recipient]);
  return result.context.slot;
}

async function pay(body: object = {}): Promise<string> {
  const wanted = { to_address: recipient, asset: 'SOL', amount: '1.5', ...body };
  return String((await sandbox.post('transfer', wanted)).json.signature);
}

const parsed = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 1 };
const newest = { ...parsed, commitment: 'confirmed' };

async function stageOf(signature: string): Promise<unknown> {
  const { result } = await call<Statuses>('getSignatureStatuses', [[signature]]);
  return result.value[0] === null ? null : result.value[0]?.confirmationStatus;
}

describe('the stages of a transaction', () => {
  test('it is processed in its own slot, confirmed in the next, finalized in the one after', async () => {
    const signature = await pay();
    const seen: unknown[] = [];
    for (let slot = 0; slot < 4; slot += 1) {
      const { result } = await call('getTransaction', [signature, newest]);
      const final = await call('getTransaction', [signature, parsed]);
      seen.push([await stageOf(signature), result !== null, final.result !== null]);
      pass(1);
    }
    expect(seen).toEqual([
      ['processed', false, false],
      ['confirmed', true, false],
      ['finalized', true, true],
      ['finalized', true, true],
    ]);
  });

  test.each([
    [{ slot_ms: 0 }, ['finalized', 'finalized', 'finalized', 'finalized']],
    [{ commitment_held_at: 'processed' }, ['processed', 'processed', 'processed', 'processed']],
    [{ commitment_held_at: 'confirmed' }, ['processed', 'confirmed', 'confirmed', 'confirmed']],
    [{ node_history: 'forgotten' }, ['processed', 'confirmed', null, null]],
    [{ node_history: 'unavailable' }, [null, null, null, null]],
    [{ node_lag_slots: 2 }, [null, null, 'processed', 'confirmed']],
  ] as [Partial<Readings>, unknown[]][])('%j', async (readings, stages) => {
    await sandbox.readings(readings);
    const signature = await pay();
    const seen: unknown[] = [];
    for (const _ of stages) {
      seen.push(await stageOf(signature));
      pass(1);
    }
    expect(seen).toEqual(stages);
  });

  test('what was held goes on when it is let go, and a new length of slots takes nothing back', async () => {
    await sandbox.readings({ commitment_held_at: 'processed' });
    const signature = await pay();
    pass(10);
    const before = await slotNow();
    await sandbox.readings({ commitment_held_at: null, slot_ms: 1000 });
    expect(await stageOf(signature)).toBe('finalized');
    expect(await slotNow()).toBe(before);
  });

  test('a status older than 150 slots is found by a search only', async () => {
    const signature = await pay();
    pass(151);
    const statuses = async (config?: object): Promise<unknown> =>
      (await call<Statuses>('getSignatureStatuses', [[signature], config ?? null])).result.value;
    expect(await statuses()).toEqual([null]);
    expect(await statuses({ searchTransactionHistory: true })).toMatchObject([
      { err: null, confirmations: null },
    ]);
  });

  test('slots never go back with the clock, and are never used twice', async () => {
    const slotOf = async (signature: string): Promise<number> =>
      (await call<Told>('getTransaction', [signature, newest])).result.slot;
    const signatures = [await pay()];
    now -= 60_000;
    signatures.push(await pay(), await pay());
    pass(1000);
    const slots = await Promise.all(signatures.map(slotOf));
    expect(slots).toEqual([...new Set(slots)].sort((left, right) => Number(left) - Number(right)));
  });
});

describe('a node that is not sound', () => {
  test('one that lost its history says so of transactions and blocks, and says nothing of addresses', async () => {
    const signature = await pay();
    pass(5);
    expect((await call('getFirstAvailableBlock')).result).toBe(0);
    await sandbox.readings({ node_history: 'unavailable' });
    expect((await call('getTransaction', [signature, newest])).error?.code).toBe(-32019);
    expect((await call('getSignaturesForAddress', [recipient])).result).toEqual([]);
    await sandbox.readings({ node_history: 'forgotten' });
    expect((await call('getTransaction', [signature, newest])).result).toBeNull();
    expect((await call('getSignaturesForAddress', [recipient])).result).toEqual([]);
    const slot = await slotNow();
    expect((await call('getFirstAvailableBlock')).result).toBe(slot);
  });

  test('one that lags knows of less slots', async () => {
    pass(50);
    const slot = await slotNow();
    await sandbox.readings({ node_lag_slots: 20 });
    expect(await slotNow()).toBe(slot - 20);
  });

  test('one of another cluster has its genesis hash; this one’s is steady', async () => {
    const { genesisHash } = sandbox.node;
    expect((await call('getGenesisHash')).result).toBe(genesisHash);
    await sandbox.readings({ genesis_hash: another });
    expect((await call('getGenesisHash')).result).toBe(another);
    await sandbox.reset();
    expect((await call('getGenesisHash')).result).toBe(genesisHash);
  });
});

describe('faults that meet /rpc', () => {
  test('an error of JSON-RPC meets the method that it is for, once', async () => {
    await sandbox.faults({ kind: 'rpc-error', code: -32015, method: 'getTransaction', data: { a: 1 } });
    expect((await call('getGenesisHash')).error).toBeUndefined();
    const signature = await pay();
    expect((await call('getTransaction', [signature])).error).toMatchObject({ code: -32015, data: { a: 1 } });
    expect((await call('getTransaction', [signature, parsed])).result).toBeNull();
  });

  test('what a network does it does to /rpc too, and to nothing else', async () => {
    await sandbox.faults(
      { kind: 'reply', status: 503, operation: 'rpc' },
      { kind: 'reply', status: 429, operation: 'rpc', method: 'getGenesisHash' },
      { kind: 'cut', at: 3, operation: 'rpc' },
      { kind: 'drop', operation: 'rpc' },
      { kind: 'stall', ms: 1, operation: 'rpc' },
    );
    expect((await sandbox.post('message', { conversation_id: 'conv_demo', content: 'a' })).status).toBe(200);
    const asked = { id: 7, method: 'getGenesisHash' };
    const unwell = await ask(asked);
    expect([unwell.status, JSON.parse(unwell.text)]).toMatchObject([503, { id: 7, error: { code: 503 } }]);
    const limited = await ask(asked);
    expect([limited.status, JSON.parse(limited.text).error.code]).toEqual([429, 429]);
    await expect(ask(asked)).rejects.toThrow();
    await expect(ask(asked)).rejects.toThrow();
    expect((await ask(asked)).status).toBe(200);
  });

  test('a fault without an operation is not for /rpc', async () => {
    await sandbox.faults({ kind: 'drop' });
    expect((await call('getGenesisHash')).error).toBeUndefined();
  });
});

describe('calls that are not sound', () => {
  test.each([
    ['not JSON', 'x{', -32700],
    ['a batch of calls', [{ id: 1, method: 'getGenesisHash' }], -32600],
    ['no such method', { id: 1, method: 'sendTransaction' }, -32601],
    ['no address', { id: 1, method: 'getBalance', params: ['x'] }, -32602],
    ['no signature', { id: 1, method: 'getTransaction', params: ['x'] }, -32602],
    [
      'a commitment below confirmed',
      { id: 1, method: 'getSignaturesForAddress', params: [recipient, { commitment: 'processed' }] },
      -32602,
    ],
    [
      'no commitment',
      { id: 1, method: 'getSignaturesForAddress', params: [recipient, { commitment: 'root' }] },
      -32602,
    ],
    [
      'a configuration that is none',
      { id: 1, method: 'getSignaturesForAddress', params: [recipient, 7] },
      -32602,
    ],
    [
      'too many signatures',
      { id: 1, method: 'getSignatureStatuses', params: [Array(257).fill('a')] },
      -32602,
    ],
    [
      'a limit over 1000',
      { id: 1, method: 'getSignaturesForAddress', params: [recipient, { limit: 1001 }] },
      -32602,
    ],
    ['no mint', { id: 1, method: 'getTokenAccountsByOwner', params: [recipient, {}] }, -32602],
    [
      'a mint that is none',
      { id: 1, method: 'getTokenAccountsByOwner', params: [recipient, { mint: recipient }] },
      -32602,
    ],
  ])('%s', async (_, body, code) => {
    const { status, text } = await ask(body);
    expect([status, JSON.parse(text).error.code]).toEqual([200, code]);
  });
});

describe('the transactions that transfers make', () => {
  const told = async (signature: string): Promise<Told> => {
    await sandbox.readings({ slot_ms: 0 });
    return (await call<Told>('getTransaction', [signature, newest])).result;
  };
  const places = ({ transaction }: Told): string[] =>
    transaction.message.accountKeys.map(({ pubkey }) => pubkey);

  test('SOL: what wallet and recipient had and have, and the memo as text', async () => {
    const signature = await pay({ memo: 'lunch, 午餐' });
    const { transaction, meta, version } = await told(signature);
    expect([version, transaction.signatures]).toEqual(['legacy', [signature]]);
    const [payer, paid] = [sandbox.wallet.address, recipient].map((who) =>
      places({ transaction } as Told).indexOf(who),
    );
    const moved = meta.postBalances.map((after, place) => after - (meta.preBalances[place] ?? 0));
    expect([moved[payer ?? -1], moved[paid ?? -1], meta.fee]).toEqual([-1_500_005_000, 1_500_000_000, 5000]);
    expect(transaction.message.instructions[0]).toMatchObject({ program: 'spl-memo', parsed: 'lunch, 午餐' });
    expect(transaction.message.instructions[1]).not.toHaveProperty('parsed');
  });

  test('a token: what its holders had and have, by owner and mint', async () => {
    const one = await told(await pay({ asset: 'USDC', amount: '2.5' }));
    const held = ({ meta }: Told, when: 'preTokenBalances' | 'postTokenBalances', who: string): unknown =>
      meta[when].find(({ owner }) => owner === who)?.uiTokenAmount.amount;
    expect(held(one, 'preTokenBalances', recipient)).toBeUndefined();
    expect(held(one, 'postTokenBalances', recipient)).toBe('2500000');
    const { wallet, node } = sandbox;
    expect(held(one, 'preTokenBalances', wallet.address)).toBe('10000000000');
    expect(held(one, 'postTokenBalances', wallet.address)).toBe('9997500000');
    expect(one.meta.postTokenBalances.map(({ mint }) => mint)).toEqual([node.assets.USDC, node.assets.USDC]);
  });

  test('the previous payment’s signature is said of a payment that was made', async () => {
    const first = await pay();
    await sandbox.readings({ reply_signature: 'previous' });
    expect(await pay({ to_address: otherRecipient })).toBe(first);
    const [, second] = await sandbox.ledger({ kind: 'transfer' });
    expect(places(await told(String(second?.signature)))).toContain(otherRecipient);
  });

  test('told as Token-2022 with a fee: the recipient gains less than was sent', async () => {
    await sandbox.readings({ token_replies: 'token-2022-fee' });
    const { transaction, meta } = await told(await pay({ asset: 'USDC', amount: '2.5' }));
    const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
    expect(transaction.message.instructions[1]).toMatchObject({ programId: token2022 });
    const gained = meta.postTokenBalances.find(({ owner }) => owner === recipient);
    expect([gained?.uiTokenAmount.amount, gained?.programId]).toEqual(['2475000', token2022]);
  });

  test('equal transfers have different signatures, also after a restart and a reset', async () => {
    const seen = new Set([await pay(), await pay()]);
    await sandbox.reset();
    seen.add(await pay());
    const restarted = await startTestSandbox({ dataDir: sandbox.dataDir });
    const { json } = await restarted.post('transfer', { to_address: recipient, asset: 'SOL', amount: '1.5' });
    await restarted.close();
    expect(seen.add(String(json.signature)).size).toBe(4);
  });
});

describe('the accounts', () => {
  test('of a wallet, by what it holds', async () => {
    const { wallet, node } = sandbox;
    expect((await call('getBalance', [wallet.address])).result).toMatchObject({ value: 100_000_000_000 });
    const mint = node.assets.USDC;
    const parsed = { encoding: 'jsonParsed' };
    const held = await call('getTokenAccountsByOwner', [wallet.address, { mint }, parsed]);
    const info = { mint, owner: wallet.address, tokenAmount: { amount: '10000000000', decimals: 6 } };
    expect(held.result).toMatchObject({ value: [{ account: { data: { parsed: { info } } } }] });
    const none = await call('getTokenAccountsByOwner', [recipient, { mint }, parsed]);
    expect(none.result).toMatchObject({ value: [] });
  });

  test('a mint, and nothing for an address that was never used', async () => {
    const base64 = { encoding: 'base64' };
    const mint = await call<Held>('getAccountInfo', [sandbox.node.assets.USDC, base64]);
    expect(Buffer.from(mint.result.value.data[0], 'base64')).toHaveLength(82);
    const parsed = await call('getAccountInfo', [sandbox.node.assets.USDC, { encoding: 'jsonParsed' }]);
    expect(parsed.result).toMatchObject({ value: { data: { parsed: { type: 'mint' } } } });
    expect((await call('getAccountInfo', [another, base64])).result).toMatchObject({ value: null });
    const base58 = await call('getAccountInfo', [sandbox.node.assets.USDC, { encoding: 'base58' }]);
    expect(base58.error?.code).toBe(-32602);
  });
});

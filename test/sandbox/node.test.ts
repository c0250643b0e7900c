// What the node at /rpc says under each reading and fault, with a clock that stands until it is moved.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Readings } from '../../src/sandbox/readings.ts';
import { otherRecipient, recipient, startTestSandbox, type TestSandbox } from '../../testing/sandbox.ts';

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

type Instruction = {
  programIdIndex: number;
  programId: string;
  accounts: number[];
  parsed: { type: string };
};

type Balance = { owner: string; programId: string; uiTokenAmount: { uiAmountString: string } };

type Told = {
  slot: number;
  version: unknown;
  transaction: {
    signatures: string[];
    message: {
      accountKeys: string[];
      instructions: Instruction[];
      addressTableLookups: { accountKey: string }[];
    };
  };
  meta: {
    fee: number;
    preBalances: [number, number];
    postBalances: [number, number];
    postTokenBalances: Balance[];
    innerInstructions: { index: number }[];
    loadedAddresses: { writable: string[] };
  };
};

type Held = { value: { owner: string; data: [string, string] } };

type Statuses = { value: ({ confirmationStatus: string } | null)[] };

async function ask(body: unknown, query = ''): Promise<{ status: number; headers: Headers; text: string }> {
  const reply = await fetch(sandbox.node.rpcUrl + query, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

async function call<Result = unknown>(
  method: string,
  params: unknown[] = [],
  query = '',
): Promise<Answer<Result>> {
  const { text } = await ask({ jsonrpc: '2.0', id: 1, method, params }, query);
  return JSON.parse(text) as Answer<Result>;
}

async function pay(body: object = {}): Promise<string> {
  const wanted = { to_address: recipient, asset: 'SOL', amount: '1.5', ...body };
  return String((await sandbox.post('transfer', wanted)).json.signature);
}

const newest = { maxSupportedTransactionVersion: 1, commitment: 'confirmed' };

async function stageOf(signature: string, query = ''): Promise<unknown> {
  const { result } = await call<Statuses>('getSignatureStatuses', [[signature]], query);
  return result.value[0] === null ? null : result.value[0]?.confirmationStatus;
}

describe('the stages of a transaction', () => {
  test('it is processed in its own slot, confirmed in the next, finalized in the one after', async () => {
    const signature = await pay();
    const seen: unknown[] = [];
    for (let slot = 0; slot < 4; slot += 1) {
      const { result } = await call('getTransaction', [signature, newest]);
      const final = await call('getTransaction', [signature, { maxSupportedTransactionVersion: 1 }]);
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
    [{ node_history: 'dropped' }, ['processed', 'confirmed', null, null]],
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
    const before = (await call('getSlot', [{ commitment: 'processed' }])).result;
    await sandbox.readings({ commitment_held_at: null, slot_ms: 1000 });
    expect(await stageOf(signature)).toBe('finalized');
    expect((await call('getSlot', [{ commitment: 'processed' }])).result).toBe(before);
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
  test('one that lost its history says so of transactions, and says nothing of addresses', async () => {
    const signature = await pay();
    pass(5);
    await sandbox.readings({ node_history: 'unavailable' });
    expect((await call('getTransaction', [signature, newest])).error?.code).toBe(-32019);
    expect((await call('getSignaturesForAddress', [recipient])).result).toEqual([]);
    await sandbox.readings({ node_history: 'forgotten' });
    expect((await call('getTransaction', [signature, newest])).result).toBeNull();
    expect((await call('getSignaturesForAddress', [recipient])).result).toEqual([]);
  });

  test('one that lags is not healthy, and refuses a slot that it has not reached', async () => {
    pass(50);
    const slot = (await call<number>('getSlot')).result;
    await sandbox.readings({ node_lag_slots: 20 });
    expect((await call('getHealth')).error).toMatchObject({ code: -32005, data: { numSlotsBehind: 20 } });
    expect((await call('getSlot')).result).toBe(slot - 20);
    const asked = await call('getBalance', [recipient, { minContextSlot: slot }]);
    expect(asked.error).toMatchObject({ code: -32016, data: { contextSlot: slot - 20 } });
  });

  test('one of another cluster has its genesis hash; this one’s is steady', async () => {
    const { genesisHash } = sandbox.node;
    expect((await call('getGenesisHash')).result).toBe(genesisHash);
    await sandbox.readings({ genesis_hash: another });
    expect((await call('getGenesisHash')).result).toBe(another);
    await sandbox.reset();
    expect((await call('getGenesisHash')).result).toBe(genesisHash);
  });

  test('two nodes over one ledger: the URL may set what a node does', async () => {
    const signature = await pay();
    pass(5);
    expect(await stageOf(signature)).toBe('finalized');
    expect(await stageOf(signature, '?node_history=forgotten')).toBeNull();
    expect(await stageOf(signature, '?node_lag_slots=4')).toBe('confirmed');
    expect(await stageOf(signature, '?commitment_held_at=processed')).toBe('processed');
    expect((await call('getGenesisHash', [], `?genesis_hash=${another}`)).result).toBe(another);
    for (const query of ['?transfer_status=sent', '?node_lag_slots=x', '?slot_ms=0'])
      expect((await ask({ id: 1, method: 'getHealth' }, query)).status).toBe(400);
  });

  test('a full bucket is 429 with the id of the call, and a time to come back', async () => {
    await sandbox.readings({ rpc_rate_limit: { capacity: 2, per_second: 0.5 } });
    const health = { jsonrpc: '2.0', id: 'a', method: 'getHealth' };
    const replies = [await ask(health), await ask(health), await ask(health)];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(replies[2]?.headers.get('Retry-After')).toBe('2');
    expect(JSON.parse(replies[2]?.text ?? '')).toMatchObject({ id: 'a', error: { code: 429 } });
  });
});

describe('faults that meet /rpc', () => {
  test('an error of JSON-RPC meets the method that it is for, once', async () => {
    await sandbox.faults({ kind: 'rpc-error', code: -32015, method: 'getTransaction', data: { a: 1 } });
    expect((await call('getHealth')).result).toBe('ok');
    const signature = await pay();
    expect((await call('getTransaction', [signature])).error).toMatchObject({ code: -32015, data: { a: 1 } });
    expect((await call('getTransaction', [signature])).result).toBeNull();
  });

  test.each([
    ['value.0.confirmationStatus', 'finalized', 'finalized'],
    ['value.0', null, undefined],
    ['', { value: [{ confirmationStatus: 'x' }] }, 'x'],
  ])('a twist changes one value of the result: %j to %j', async (path, value, seen) => {
    const signature = await pay();
    await sandbox.faults({ kind: 'twist', path, value });
    const { result } = await call<Statuses>('getSignatureStatuses', [[signature]]);
    expect(result.value[0]?.confirmationStatus).toBe(seen);
    expect(await stageOf(signature)).toBe('processed');
  });

  test('a twist whose path leads nowhere is told', async () => {
    await sandbox.faults({ kind: 'twist', path: 'value.0', value: 1 });
    expect((await call('getHealth')).error?.message).toContain('value');
  });

  test('what a network does it does to /rpc too, and to nothing else', async () => {
    await sandbox.faults(
      { kind: 'reply', status: 503, operation: 'rpc' },
      { kind: 'reply', status: 429, operation: 'rpc', method: 'getHealth' },
      { kind: 'cut', at: 3, operation: 'rpc' },
      { kind: 'drop', operation: 'rpc', when: 'unread' },
      { kind: 'stall', ms: 1, operation: 'rpc', when: 'unread' },
    );
    expect((await sandbox.post('message', { conversation_id: 'conv_demo', content: 'a' })).status).toBe(200);
    const health = { id: 7, method: 'getHealth' };
    const unwell = await ask(health);
    expect([unwell.status, JSON.parse(unwell.text)]).toMatchObject([503, { id: 7, error: { code: 503 } }]);
    const limited = await ask(health);
    expect([limited.status, JSON.parse(limited.text).error.code]).toEqual([429, 429]);
    await expect(ask(health)).rejects.toThrow();
    await expect(ask(health)).rejects.toThrow();
    expect((await ask(health)).status).toBe(200);
  });

  test('a fault without an operation is not for /rpc', async () => {
    await sandbox.faults({ kind: 'drop' });
    expect((await call('getHealth')).result).toBe('ok');
  });

  test.each([
    [{ kind: 'rpc-error' }, /code/],
    [{ kind: 'rpc-error', code: 1, operation: 'transfer' }, /operation rpc/],
    [{ kind: 'twist', path: 1 }, /path/],
    [{ kind: 'drop', method: 'getHealth' }, /method/],
    [{ kind: 'drop', operation: 'rpc', key: 'k' }, /key/],
    [{ kind: 'drop', operation: 'rpc', method: 'a', when: 'unread' }, /unread/],
    [{ kind: 'drop', operation: 'chain' }, /message, transfer or rpc/],
  ])('%j is not taken', async (fault, why) => {
    await expect(sandbox.faults(fault as Parameters<TestSandbox['faults']>[0])).rejects.toThrow(why);
  });
});

describe('calls that are not sound', () => {
  test.each([
    ['not JSON', 'x{', -32700],
    ['no calls', [], -32600],
    ['too many calls', Array.from({ length: 101 }, () => ({ id: 1, method: 'getHealth' })), -32600],
    ['no such method', { id: 1, method: 'sendTransaction' }, -32601],
    ['no address', { id: 1, method: 'getBalance', params: ['x'] }, -32602],
    ['no signature', { id: 1, method: 'getTransaction', params: ['x'] }, -32602],
    [
      'a commitment below confirmed',
      { id: 1, method: 'getSignaturesForAddress', params: [recipient, { commitment: 'processed' }] },
      -32602,
    ],
    ['no commitment', { id: 1, method: 'getSlot', params: [{ commitment: 'root' }] }, -32602],
    ['a configuration that is none', { id: 1, method: 'getSlot', params: [7] }, -32602],
    [
      'too many accounts',
      { id: 1, method: 'getMultipleAccounts', params: [Array(101).fill(recipient)] },
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
    ['no mint and no program', { id: 1, method: 'getTokenAccountsByOwner', params: [recipient, {}] }, -32602],
    ['a mint that is none', { id: 1, method: 'getTokenSupply', params: [recipient] }, -32602],
  ])('%s', async (_, body, code) => {
    const { status, text } = await ask(body);
    expect([status, JSON.parse(text).error.code]).toEqual([200, code]);
  });

  test('base58 is for small accounts, and a slice makes them small', async () => {
    const mint = sandbox.node.assets.USDC;
    const wallet = await call<{ value: { pubkey: string }[] }>('getTokenAccountsByOwner', [
      sandbox.wallet.address,
      { mint },
      { encoding: 'base64' },
    ]);
    const pubkey = wallet.result.value[0]?.pubkey;
    expect((await call('getAccountInfo', [pubkey, { encoding: 'base58' }])).error?.code).toBe(-32600);
    const sliced = { encoding: 'base58', dataSlice: { offset: 0, length: 32 } };
    expect((await call<Held>('getAccountInfo', [pubkey, sliced])).result.value.data).toEqual([
      mint,
      'base58',
    ]);
    const others = await call('getTokenAccountsByOwner', [sandbox.wallet.address, { programId: another }]);
    expect(others.result).toMatchObject({ value: [] });
  });
});

describe('the transactions that transfers make', () => {
  const told = async (signature: string, encoding = 'json'): Promise<Told> => {
    await sandbox.readings({ slot_ms: 0 });
    return (await call<Told>('getTransaction', [signature, { ...newest, encoding }])).result;
  };

  test.each([
    ['legacy', undefined, undefined],
    ['legacy', 0, 'legacy'],
    ['v0', undefined, -32015],
    ['v0', 0, 0],
    ['v0-lookups', 0, 0],
    ['v1', 0, -32015],
    ['v1', 1, 1],
  ] as const)('%s, asked for with maxSupportedTransactionVersion %s: %s', async (form, asked, seen) => {
    await sandbox.readings({ transaction_version: form, slot_ms: 0 });
    const config = asked === undefined ? {} : { maxSupportedTransactionVersion: asked };
    const { result, error } = await call<Told>('getTransaction', [await pay(), config]);
    expect(error?.code ?? result.version).toBe(seen);
  });

  test('a lookup table is an account that holds the addresses', async () => {
    await sandbox.readings({ transaction_version: 'v0-lookups' });
    const { transaction, meta } = await told(await pay());
    const [lookup] = transaction.message.addressTableLookups;
    const { value } = (await call<Held>('getAccountInfo', [lookup?.accountKey, { encoding: 'base64' }]))
      .result;
    const addresses = Buffer.from(value.data[0], 'base64').subarray(56);
    expect([value.owner, addresses.length]).toEqual(['AddressLookupTab1e1111111111111111111111111', 32]);
    expect(meta.loadedAddresses.writable).toEqual([recipient]);
    const { lamports } = await sandbox.state();
    expect(BigInt(lamports.made)).toBe(BigInt(lamports.in_accounts) + BigInt(lamports.fees));
  });

  test('the service pays the fee and signs first; a cosigner’s signature finds nothing', async () => {
    await sandbox.readings({ fee_payer: 'service' });
    const { transaction, meta } = await told(await pay());
    const [payer, wallet] = transaction.message.accountKeys;
    expect([payer === sandbox.wallet.address, wallet]).toEqual([false, sandbox.wallet.address]);
    expect(transaction.signatures).toHaveLength(2);
    expect(meta.preBalances[1] - meta.postBalances[1]).toBe(1_500_000_000);
    expect(meta.preBalances[0] - meta.postBalances[0]).toBe(meta.fee);
    await sandbox.readings({ reply_signature: 'cosigner' });
    expect(await told(await pay())).toBeNull();
  });

  test('the previous payment’s signature is said of a payment that was made', async () => {
    const first = await pay();
    await sandbox.readings({ reply_signature: 'previous' });
    expect(await pay({ to_address: otherRecipient })).toBe(first);
    const [, second] = await sandbox.ledger({ kind: 'transfer' });
    expect((await told(String(second?.signature))).transaction.message.accountKeys).toContain(otherRecipient);
  });

  test.each([
    ['SOL', { asset: 'SOL', amount: '1.5' }, 'transfer'],
    ['USDC', { asset: 'USDC', amount: '2' }, 'transferChecked'],
  ])('one transaction also pays another, in %s', async (_, also, type) => {
    await sandbox.readings({ also_pays: { to_address: otherRecipient, ...also } });
    const { transaction } = await told(await pay(), 'jsonParsed');
    const types = transaction.message.instructions.map(({ parsed }) => parsed.type);
    expect(types.filter((each) => each !== 'createIdempotent')).toEqual(['transfer', type]);
  });

  test.each([
    [{ to_address: 'x', asset: 'SOL', amount: '1' }, /to_address/],
    [{ to_address: recipient, asset: 'NONE', amount: '1' }, /asset/],
    [{ to_address: recipient, asset: 'SOL', amount: '99999999999999999999' }, /holds that much/],
    [{ to_address: recipient, asset: 'SOL' }, /also_pays must be/],
  ])('also_pays cannot be %j', async (also, why) => {
    await expect(sandbox.readings({ also_pays: also as Readings['also_pays'] })).rejects.toThrow(why);
  });

  test('told as Token-2022 with a fee: the recipient gains less than was sent', async () => {
    await sandbox.readings({ token_replies: 'token-2022-fee' });
    const { transaction, meta } = await told(await pay({ asset: 'USDC', amount: '2.5' }), 'jsonParsed');
    const instruction = transaction.message.instructions[1];
    expect(instruction).toMatchObject({
      programId: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
      parsed: {
        type: 'transferCheckedWithFee',
        info: { tokenAmount: { amount: '2500000' }, feeAmount: { amount: '25000' } },
      },
    });
    const gained = meta.postTokenBalances.find(({ owner }) => owner === recipient);
    expect([gained?.uiTokenAmount.uiAmountString, gained?.programId]).toEqual([
      '2.475',
      instruction?.programId,
    ]);
  });

  test('told as a batch: both payments in one instruction, the rest in their order', async () => {
    await sandbox.readings({
      token_replies: 'batch',
      also_pays: { to_address: otherRecipient, asset: 'USDC', amount: '1' },
    });
    const { transaction, meta } = await told(await pay({ asset: 'USDC', amount: '2.5', memo: 'm' }));
    const { accountKeys, instructions } = transaction.message;
    const programs = instructions.map(({ programIdIndex }) =>
      String(accountKeys[programIdIndex]).slice(0, 5),
    );
    expect(programs).toEqual(['AToke', 'MemoS', 'AToke', 'Token']);
    expect(instructions[3]?.accounts).toHaveLength(8);
    expect(meta.innerInstructions.map(({ index }) => index)).toEqual([0, 2]);
  });
});

import { describe, expect, test } from 'vitest';
import { mostSignatures } from '../../../src/once/chain/node.ts';
import type { Commitment } from '../../../src/once/chain/verdict.ts';
import { HeldClock } from '../../../testing/heldClock.ts';
import { genesis, nowMs, type Said, type Says, ScriptedNode } from './scriptedNode.ts';
import { ada, mint, pay, read, signature, wallet, written } from './transactions.ts';

const date = new Date(nowMs + 5000).toUTCString();

describe('what one node answers', () => {
  const rpcError = (error: unknown): Said => ({ beside: { error } });
  const rows: readonly (readonly [string, Said, string | object])[] = [
    ['a result', { result: 5 }, { is: 'answer', value: 5n }],
    ['null', { result: null }, { is: 'answer', value: null }],
    ['a result beside an error of null', { result: 5, beside: { error: null } }, { is: 'answer', value: 5n }],
    ['nothing in time', { lost: true }, 'unreachable'],
    ['a part', { result: 5, ended: 'broken' }, 'unreachable'],
    ['that it limits', { status: 429 }, 'rate-limited 1000'],
    ['how long it limits', { status: 429, headers: { 'retry-after': '7' } }, 'rate-limited 7000'],
    ['until when it limits', { status: 429, headers: { 'retry-after': date } }, 'rate-limited 5000'],
    ['that it refuses', { status: 401 }, 'not-permitted'],
    ['that it forbids', { status: 403 }, 'not-permitted'],
    ['an error of HTTP', { status: 500 }, 'node-error'],
    ['another success', { result: 5, status: 201 }, 'node-error'],
    ['no JSON', { text: '<html>' }, 'unreadable'],
    ['no UTF-8', { text: Buffer.from('{"jsonrpc":"2.0","id":1,"result":"\xff"}', 'latin1') }, 'unreadable'],
    ['a list', { text: '[]' }, 'unreadable'],
    ['neither result nor error', {}, 'unreadable'],
    ['another protocol', { result: 5, beside: { jsonrpc: '1.0' } }, 'unreadable'],
    ['another question', { result: 5, beside: { id: 'x' } }, 'unreadable'],
    ['an error beside a result', { result: 5, beside: { error: {} } }, 'node-error'],
    ['a lag', rpcError({ code: -32005 }), 'lagging'],
    ['a version', rpcError({ code: -32015 }), 'unknown-version'],
    ['a limit by number', rpcError({ code: 429 }), 'rate-limited'],
    ['the other limit', rpcError({ code: -32429 }), 'rate-limited'],
    ['another error', rpcError({ code: -32000 }), 'node-error'],
    ['a limit as text', rpcError({ code: '429' }), 'node-error'],
    ['an error in words', rpcError('429'), 'node-error'],
  ];
  test.each(rows)('%s', async (_what, said, expected) => {
    const node = new ScriptedNode({ getSlot: said });
    const answer = await node.ask('getSlot', []);
    expect(answer.is === 'answer' ? answer : `${answer.because} ${answer.waitMs ?? ''}`.trim()).toEqual(
      expected,
    );
    // Its connection serves again only after a whole answer, and no request begins while one is let go of.
    expect(node.left).toEqual(said.lost ? [] : [answer.is === 'answer' ? 'kept' : 'dropped']);
  });
});

test('an answer to an earlier question is none', async () => {
  const ids: number[] = [];
  const node = new ScriptedNode({
    getSlot: (id) => {
      ids.push(id);
      return { result: 5, beside: { id: ids[0] } };
    },
  });
  const answers = [await node.ask('getSlot', []), await node.ask('getSlot', [])];
  expect(answers).toMatchObject([{ value: 5n }, { because: 'unreadable' }]);
});

const made = { calls: [pay(wallet, ada, 7n)], lamports: { [wallet]: -7n, [ada]: 7n } };
const failed: Said = { result: JSON.parse(written({ ...made, err: 'x' })) };
const transactionAt = (change: object): Said => ({ result: { ...JSON.parse(written(made)), ...change } });
const seen = { slot: 100, err: null, confirmationStatus: 'finalized' };
const status = (value: unknown): Says => ({ getSignatureStatuses: { result: { value: [value] } } });
const saying: Says = {
  ...{ getGenesisHash: { result: genesis }, ...status(seen), getTransaction: transactionAt({}) },
};
const limited: Said = { status: 429, headers: { 'retry-after': '3' } };

async function sight(says: Says) {
  const node = new ScriptedNode({ ...saying, ...says });
  return node.sight(signature, await node.statusesOf([signature]), 'confirmed');
}

describe('what a node says of a transaction', () => {
  const at = (commitment: Commitment): Says => status({ ...seen, confirmationStatus: commitment });
  const time = (blockTime: unknown): Says => ({ getTransaction: transactionAt({ blockTime }) });
  const rows: readonly (readonly [string, Says, string])[] = [
    ['all of it', {}, 'finalized'],
    ['a limit', { getSignatureStatuses: limited }, 'nothing rate-limited 3000'],
    ['nothing', status(null), 'nothing not-seen'],
    ['no list', { getSignatureStatuses: { result: { value: 5 } } }, 'nothing unreadable'],
    ['two for one', { getSignatureStatuses: { result: { value: [seen, seen] } } }, 'nothing unreadable'],
    ['a status that is not known', status({ ...seen, confirmationStatus: 'rooted' }), 'nothing unreadable'],
    [
      'a status without an error',
      { ...status({ ...seen, err: undefined }), getTransaction: failed },
      'nothing unreadable',
    ],
    ['no status', status('x'), 'nothing unreadable'],
    ['that it failed', { ...status({ ...seen, err: 'x' }), getTransaction: failed }, 'finalized'],
    ['that it is on its way', at('processed'), 'status processed'],
    ['that it is confirmed', at('confirmed'), 'confirmed'],
    ['another chain', { getGenesisHash: { result: 'x' } }, 'nothing other-cluster'],
    ['that it is gone again', { getTransaction: { result: null } }, 'nothing lagging'],
    ['a limit on it', { getTransaction: limited }, 'nothing rate-limited 3000'],
    ['what cannot be read', { getTransaction: { result: 5 } }, 'nothing unreadable'],
    [
      'a version that is not known',
      { getTransaction: transactionAt({ version: 2 }) },
      'nothing unknown-version',
    ],
    ['another slot', { getTransaction: transactionAt({ slot: 101 }) }, 'nothing unreadable'],
    ['a failure', status({ ...seen, err: 'x' }), 'nothing unreadable'],
  ];
  test.each(rows)('%s', async (_what, says, expected) => {
    const sighting = await sight(says);
    const { saw } = sighting;
    expect(
      saw === 'nothing'
        ? `nothing ${sighting.because} ${sighting.waitMs ?? ''}`.trim()
        : `${saw === 'status' ? 'status ' : ''}${sighting.commitment}`,
    ).toBe(expected);
  });

  test('nothing of a signature that it was not asked about', async () => {
    expect(await new ScriptedNode(saying).sight(signature, new Map(), 'confirmed')).toEqual({
      saw: 'nothing',
      because: 'unreadable',
    });
  });

  test('its state alone, until it is as far as is asked for', async () => {
    const node = new ScriptedNode({ ...saying, ...at('confirmed') });
    const sighting = await node.sight(signature, await node.statusesOf([signature]), 'finalized');
    expect(sighting).toEqual({ saw: 'status', commitment: 'confirmed' });
    expect(node.asked.map(([method]) => method)).toEqual(['getSignatureStatuses']);
  });

  test.each([
    [{ result: 1_795_000_000 }, 1_795_000_000],
    [{ result: 0 }, 0],
    [{ result: null }, undefined],
    [{ result: -1 }, undefined],
    [{ result: 2 ** 60 }, undefined],
    [{ status: 500 }, undefined],
  ])('the time of its slot where it has none: %o', async (said, blockTimeS) => {
    const node = new ScriptedNode({ ...saying, ...time(null), getBlockTime: said });
    expect(await node.sight(signature, await node.statusesOf([signature]), 'confirmed')).toEqual({
      ...{ saw: 'transaction', commitment: 'finalized' },
      transaction: { ...read(made), blockTimeS },
    });
    expect(node.asked.at(-1)).toEqual(['getBlockTime', 100]);
  });
});

describe('which chain it is', () => {
  test.each<[string, Said, string | undefined]>([
    ['it is this one', { result: genesis }, undefined],
    ['it is another', { result: 'x' }, 'other-cluster'],
    ['the node does not say', { status: 500 }, 'node-error'],
  ])('%s', async (_what, getGenesisHash, expected) => {
    expect(await new ScriptedNode({ getGenesisHash }).ofAnother()).toEqual(expected);
  });

  test('is asked until the node has said it, and then no more', async () => {
    const said: Said[] = [{ status: 500 }, { result: genesis }];
    const node = new ScriptedNode({ getGenesisHash: () => said.shift() ?? {} });
    expect(await node.ofAnother()).toBe('node-error');
    expect([await node.ofAnother(), await node.ofAnother()]).toEqual([undefined, undefined]);
    expect(node.asked).toHaveLength(2);
  });
});

test('the program of an account is what the node says', async () => {
  const owner = (getAccountInfo: Said) => new ScriptedNode({ getAccountInfo }).ownerOf(ada);
  const owned = (value: unknown): Said => ({ result: { value } });
  expect([await owner(owned({ owner: ada })), await owner(owned(null))]).toEqual([ada, 'none']);
  for (const odd of [owned({ owner: 5 }), owned('x'), owned(undefined)])
    expect(await owner(odd)).toBeUndefined();
  for (const odd of [{ result: 5 }, { result: null }, { status: 500 }])
    expect(await owner(odd)).toBeUndefined();
});

test('a node is asked in the words of its protocol', async () => {
  const node = new ScriptedNode(saying);
  await node.sight(signature, await node.statusesOf([signature]), 'finalized');
  await node.isMint(mint);
  await node.ownerOf(ada);
  await node.holdings(wallet, [{ asset: 'SOL' }, { asset: 'USDC', mint }]);
  await node.close();
  const commitment = 'confirmed';
  expect(node.asked).toEqual([
    ['getSignatureStatuses', [signature], { searchTransactionHistory: true }],
    ['getGenesisHash'],
    [
      'getTransaction',
      signature,
      { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 1 },
    ],
    ['getAccountInfo', mint, { encoding: 'base64', commitment: 'finalized' }],
    ['getAccountInfo', ada, { encoding: 'base64', commitment, dataSlice: { offset: 0, length: 0 } }],
    ['getBalance', wallet, { commitment }],
    ['getTokenAccountsByOwner', wallet, { mint }, { commitment, encoding: 'jsonParsed' }],
  ]);
  expect(node.left.at(-1)).toBe('closed');
  // A node refuses more.
  expect(mostSignatures).toBe(256);
});

describe('a node that limits', () => {
  const limit = (waitS: number): Said => ({ status: 429, headers: { 'retry-after': `${waitS}` } });
  const fine: Said = { result: 5 };

  /** What comes of it after how many requests, and the waits between them. */
  async function asked(answers: readonly Said[], patience: AbortSignal | undefined) {
    const clock = new HeldClock(nowMs);
    let asks = 0;
    const getSlot = (): Said => {
      asks += 1;
      return answers[Math.min(asks, answers.length) - 1] ?? fine;
    };
    const { is } = await new ScriptedNode({ getSlot }, patience, clock).ask('getSlot', []);
    return { is, asks, waits: clock.sleeps };
  }

  test.each<[string, Said[], { is: string; asks: number; waits: number[] }]>([
    [
      'is asked again after its wait',
      [limit(3), { status: 429 }, fine],
      { is: 'answer', asks: 3, waits: [3000, 1000] },
    ],
    ['is asked six times', [limit(1)], { is: 'trouble', asks: 6, waits: [1000, 1000, 1000, 1000, 1000] }],
    ['may ask for a minute', [limit(60), fine], { is: 'answer', asks: 2, waits: [60_000] }],
    ['may not ask for more', [limit(61), fine], { is: 'trouble', asks: 1, waits: [] }],
    ['is not one that does not answer', [{ lost: true }, fine], { is: 'trouble', asks: 1, waits: [] }],
  ])('%s', async (_what, answers, expected) => {
    expect(await asked(answers, new AbortController().signal)).toEqual(expected);
  });

  test('is not asked again after an interrupt, or where nobody has the time', async () => {
    const once = { is: 'trouble', asks: 1, waits: [] };
    expect(await asked([limit(1), fine], AbortSignal.abort())).toEqual(once);
    expect(await asked([limit(1), fine], undefined)).toEqual(once);
  });
});

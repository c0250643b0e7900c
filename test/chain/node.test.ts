import { describe, expect, test } from 'vitest';
import type { Commitment } from '../../src/chain/node.ts';
import { mostSignatures } from '../../src/chain/node.ts';
import { HeldClock } from '../support/heldClock.ts';
import { genesis, nowMs, type Said, type Says, ScriptedNode } from './scriptedNode.ts';
import { ada, key, mint, paying, read, signature, wallet, written } from './transactions.ts';

const date = new Date(nowMs + 5000).toUTCString();

describe('what one node answers', () => {
  const rpcError = (error: unknown): Said => ({ beside: { error } });
  const rows: readonly (readonly [string, Said, string | object])[] = [
    ['a result', { result: 5 }, { value: 5 }],
    ['null', { result: null }, { value: null }],
    ['a result beside an error of null', { result: 5, beside: { error: null } }, { value: 5 }],
    ['nothing in time', { lost: true }, 'no-answer'],
    ['a part', { result: 5, ended: 'broken' }, 'no-answer'],
    ['that it limits', { status: 429 }, 'no-answer 1000'],
    ['how long it limits', { status: 429, headers: { 'retry-after': '7' } }, 'no-answer 7000'],
    ['until when it limits', { status: 429, headers: { 'retry-after': date } }, 'no-answer 5000'],
    ['that it refuses', { status: 401 }, 'not-permitted'],
    ['that it forbids', { status: 403 }, 'not-permitted'],
    ['an error of HTTP', { status: 500 }, 'no-answer'],
    ['another success', { result: 5, status: 201 }, 'no-answer'],
    ['no JSON', { text: '<html>' }, 'no-answer'],
    ['no UTF-8', { text: Buffer.from('{"jsonrpc":"2.0","id":1,"result":"\xff"}', 'latin1') }, 'no-answer'],
    ['a list', { text: '[]' }, 'no-answer'],
    ['neither result nor error', {}, 'no-answer'],
    ['another protocol', { result: 5, beside: { jsonrpc: '1.0' } }, 'no-answer'],
    ['another question', { result: 5, beside: { id: 'x' } }, 'no-answer'],
    ['an error beside a result', { result: 5, beside: { error: {} } }, 'no-answer'],
    ['a lag', rpcError({ code: -32005 }), 'no-answer'],
    ['a version', rpcError({ code: -32015 }), 'no-answer'],
    ['a limit by number', rpcError({ code: 429 }), 'no-answer 1000'],
    ['the other limit', rpcError({ code: -32429 }), 'no-answer 1000'],
    ['another error', rpcError({ code: -32000 }), 'no-answer'],
    ['a limit as text', rpcError({ code: '429' }), 'no-answer'],
    ['an error in words', rpcError('429'), 'no-answer'],
  ];
  test.each(rows)('%s', async (_what, said, expected) => {
    const node = new ScriptedNode({ getSlot: said });
    const answer = await node.ask('getSlot', []);
    expect('value' in answer ? answer : `${answer.because} ${answer.waitMs ?? ''}`.trim()).toEqual(expected);
    // Its connection serves again only after a whole answer, and no request begins while one is let go of.
    expect(node.left).toEqual(said.lost ? [] : ['value' in answer ? 'kept' : 'dropped']);
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
  expect(answers).toMatchObject([{ value: 5 }, { because: 'no-answer' }]);
});

const made = paying(ada, 7n);
const transactionAt = (change: object): Said => ({ result: { ...JSON.parse(written(made)), ...change } });
const seen = { slot: 100, err: null, confirmationStatus: 'finalized' };
const status = (value: unknown): Says => ({ getSignatureStatuses: { result: { value: [value] } } });
const saying: Says = {
  ...{ getGenesisHash: { result: genesis }, ...status(seen), getTransaction: transactionAt({}) },
};
const limited: Said = { status: 429, headers: { 'retry-after': '3' } };

async function sight(says: Says) {
  const node = new ScriptedNode({ ...saying, ...says });
  return node.lookUp(signature, await node.statusesOf([signature]), 'confirmed');
}

describe('what a node says of a transaction', () => {
  const at = (commitment: Commitment): Says => status({ ...seen, confirmationStatus: commitment });
  const rows: readonly (readonly [string, Says, string])[] = [
    ['all of it', {}, 'finalized'],
    ['a limit', { getSignatureStatuses: limited }, 'nothing no-answer 3000'],
    ['nothing', status(null), 'nothing not-seen'],
    ['no list', { getSignatureStatuses: { result: { value: 5 } } }, 'nothing no-answer'],
    ['two for one', { getSignatureStatuses: { result: { value: [seen, seen] } } }, 'nothing no-answer'],
    ['a status that is not known', status({ ...seen, confirmationStatus: 'rooted' }), 'nothing no-answer'],
    ['no status', status('x'), 'nothing no-answer'],
    ['that it is on its way', at('processed'), 'status processed'],
    ['that it is confirmed', at('confirmed'), 'confirmed'],
    ['another chain', { getGenesisHash: { result: key(43) } }, 'nothing other-cluster'],
    ['that it is gone again', { getTransaction: { result: null } }, 'nothing not-seen'],
    ['a limit on it', { getTransaction: limited }, 'nothing no-answer 3000'],
    ['what cannot be read', { getTransaction: { result: 5 } }, 'nothing no-answer'],
  ];
  test.each(rows)('%s', async (_what, says, expected) => {
    const lookup = await sight(says);
    const { saw } = lookup;
    expect(
      saw === 'nothing'
        ? `nothing ${lookup.because} ${lookup.waitMs ?? ''}`.trim()
        : `${saw === 'status' ? 'status ' : ''}${lookup.commitment}`,
    ).toBe(expected);
  });

  test('nothing of a signature that it was not asked about', async () => {
    expect(await new ScriptedNode(saying).lookUp(signature, new Map(), 'confirmed')).toEqual({
      saw: 'nothing',
      because: 'no-answer',
    });
  });

  test('its state alone, until it is as far as is asked for', async () => {
    const node = new ScriptedNode({ ...saying, ...at('confirmed') });
    const lookup = await node.lookUp(signature, await node.statusesOf([signature]), 'finalized');
    expect(lookup).toEqual({ saw: 'status', commitment: 'confirmed' });
    expect(node.asked.map(([method]) => method)).toEqual(['getSignatureStatuses']);
  });

  test('all of it, and which chain it is on', async () => {
    expect(await sight({})).toEqual({
      ...{ saw: 'transaction', commitment: 'finalized', transaction: read(made) },
      cluster: { genesis, name: 'test' },
    });
  });
});

describe('which chain it is', () => {
  const asked = async (getGenesisHash: Said): Promise<unknown> => {
    const cluster = await new ScriptedNode({ getGenesisHash }).cluster();
    return 'because' in cluster ? cluster.because : cluster.name;
  };
  test.each<[string, Said, string]>([
    ['it is this one', { result: genesis }, 'test'],
    ['it is another', { result: key(43) }, 'other-cluster'],
    ['it is none', { result: 'x' }, 'no-answer'],
    ['the node does not say', { status: 500 }, 'no-answer'],
  ])('%s', async (_what, said, expected) => {
    expect(await asked(said)).toBe(expected);
  });

  test('is asked until the node has said it, and then no more', async () => {
    const said: Said[] = [{ status: 500 }, { result: genesis }];
    const node = new ScriptedNode({ getGenesisHash: () => said.shift() ?? {} });
    expect(await node.cluster()).toMatchObject({ because: 'no-answer' });
    expect([await node.cluster(), await node.cluster()]).toMatchObject([{ genesis }, { genesis }]);
    expect([node.asked.length, node.clusterName]).toEqual([2, 'test']);
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
  await node.lookUp(signature, await node.statusesOf([signature]), 'finalized');
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
      { encoding: 'jsonParsed', commitment: 'finalized', maxSupportedTransactionVersion: 1 },
    ],
    ['getAccountInfo', mint, { encoding: 'jsonParsed', commitment: 'finalized' }],
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
    const answer = await new ScriptedNode({ getSlot }, patience, clock).ask('getSlot', []);
    return { isAnswer: 'value' in answer, asks, waits: clock.sleeps };
  }

  test.each<[string, Said[], { isAnswer: boolean; asks: number; waits: number[] }]>([
    [
      'is asked again after its wait',
      [limit(3), limit(2), fine],
      { isAnswer: true, asks: 3, waits: [3000, 2000] },
    ],
    [
      'is asked later each time where it does not say when',
      [{ status: 429 }, { beside: { error: { code: -32429 } } }, { status: 429 }, limit(1), fine],
      { isAnswer: true, asks: 5, waits: [1000, 2000, 4000, 1000] },
    ],
    ['is asked six times', [limit(1)], { isAnswer: false, asks: 6, waits: [1000, 1000, 1000, 1000, 1000] }],
    ['may ask for a minute', [limit(60), fine], { isAnswer: true, asks: 2, waits: [60_000] }],
    ['may not ask for more', [limit(61), fine], { isAnswer: false, asks: 1, waits: [] }],
    ['is not one that does not answer', [{ lost: true }, fine], { isAnswer: false, asks: 1, waits: [] }],
  ])('%s', async (_what, answers, expected) => {
    expect(await asked(answers, new AbortController().signal)).toEqual(expected);
  });

  test('is not asked again after an interrupt, or where nobody has the time', async () => {
    const once = { isAnswer: false, asks: 1, waits: [] };
    expect(await asked([limit(1), fine], AbortSignal.abort())).toEqual(once);
    expect(await asked([limit(1), fine], undefined)).toEqual(once);
  });
});

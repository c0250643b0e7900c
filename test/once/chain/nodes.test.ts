import { describe, expect, test } from 'vitest';
import { mostSignatures, type NodeAnswer, patiently } from '../../../src/once/chain/nodes.ts';
import type { Commitment } from '../../../src/once/chain/verdict.ts';
import { genesis, nowMs, type Said, type Says, ScriptedNode, together } from './scriptedNode.ts';
import { ada, mint, pay, read, signature, wallet, written } from './transactions.ts';

const date = new Date(nowMs + 5000).toUTCString();

describe('what one node answers', () => {
  const rpcError = (error: unknown): Said => ({ beside: { error } });
  const rows: readonly (readonly [string, Said, string | object])[] = [
    ['a result', { result: 5 }, { is: 'answer', value: 5n }],
    ['null', { result: null }, { is: 'answer', value: null }],
    ['a result beside an error of null', { result: 5, beside: { error: null } }, { is: 'answer', value: 5n }],
    [
      'a result at a time',
      { result: 5, headers: { date } },
      { is: 'answer', value: 5n, nodeMs: nowMs + 5000 },
    ],
    ['a result at no time', { result: 5, headers: { date: 'today' } }, { is: 'answer', value: 5n }],
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

async function sight(nodes: readonly Says[], least: 'confirmed' | 'finalized' = 'confirmed') {
  const all = together(...nodes.map((says, n) => new ScriptedNode({ ...saying, ...says }, `node ${n}`)));
  return all.sight(signature, await all.statusesOf([signature]), least);
}

describe('what all nodes together say of a transaction', () => {
  const at = (commitment: Commitment): Says => status({ ...seen, confirmationStatus: commitment });
  const time = (blockTime: unknown): Says => ({ getTransaction: transactionAt({ blockTime }) });
  const rows: readonly (readonly [string, readonly Says[], string])[] = [
    ['all of it', [{}, {}], 'finalized'],
    ['a limit', [{}, { getSignatureStatuses: limited }], 'nothing rate-limited 3000'],
    ['nothing', [status(null)], 'nothing not-seen'],
    ['nothing at one of them', [{}, status(null)], 'nothing not-seen'],
    ['no list', [{ getSignatureStatuses: { result: { value: 5 } } }], 'nothing unreadable'],
    ['two for one', [{ getSignatureStatuses: { result: { value: [seen, seen] } } }], 'nothing unreadable'],
    [
      'a status that is not known',
      [{}, status({ ...seen, confirmationStatus: 'rooted' })],
      'nothing unreadable',
    ],
    [
      'a status without an error',
      [{ ...status({ ...seen, err: undefined }), getTransaction: failed }],
      'nothing unreadable',
    ],
    ['no status', [{}, status('x')], 'nothing unreadable'],
    ['that it failed', [{ ...status({ ...seen, err: 'x' }), getTransaction: failed }], 'finalized'],
    ['what the last has reached', [{}, at('processed'), at('confirmed')], 'status processed'],
    ['what all have reached', [{}, at('confirmed')], 'confirmed'],
    ['another chain', [{}, { getGenesisHash: { result: 'x' } }], 'nothing other-cluster'],
    ['that it is gone again', [{}, { getTransaction: { result: null } }], 'nothing lagging'],
    ['a limit on it', [{}, { getTransaction: limited }], 'nothing rate-limited 3000'],
    ['what cannot be read', [{}, { getTransaction: { result: 5 } }], 'nothing unreadable'],
    [
      'a version that is not known',
      [{ getTransaction: transactionAt({ version: 2 }) }],
      'nothing unknown-version',
    ],
    ['another slot', [{ getTransaction: transactionAt({ slot: 101 }) }], 'nothing unreadable'],
    ['a failure', [status({ ...seen, err: 'x' })], 'nothing unreadable'],
    [
      'two slots',
      [{}, { ...status({ ...seen, slot: 99 }), getTransaction: transactionAt({ slot: 99 }) }],
      'nothing nodes-disagree',
    ],
    ['two times', [{}, time(1_795_007_200)], 'finalized'],
    ['times that are too far apart', [{}, time(1_795_007_201)], 'nothing nodes-disagree'],
  ];
  test.each(rows)('%s', async (_what, nodes, expected) => {
    const sighting = await sight(nodes);
    const { saw } = sighting;
    expect(
      saw === 'nothing'
        ? `nothing ${sighting.because} ${sighting.waitMs ?? ''}`.trim()
        : `${saw === 'status' ? 'status ' : ''}${sighting.commitment}`,
    ).toBe(expected);
  });

  test('nothing of a signature that they were not asked about', async () => {
    const all = together(new ScriptedNode(saying));
    expect(await all.sight(signature, new Map(), 'confirmed')).toEqual({
      saw: 'nothing',
      because: 'unreadable',
    });
  });

  test('its state alone, until it is as far as is asked for', async () => {
    const node = new ScriptedNode({ ...saying, ...at('confirmed') });
    const all = together(node);
    const sighting = await all.sight(signature, await all.statusesOf([signature]), 'finalized');
    expect(sighting).toEqual({ saw: 'status', commitment: 'confirmed' });
    expect(node.asked.map(([method]) => method)).toEqual(['getSignatureStatuses']);
  });

  test('the earliest time of it, and all their clocks', async () => {
    const later = { getTransaction: { ...transactionAt({ blockTime: 1_795_000_010 }), headers: { date } } };
    const sighting = await sight([time(null), later, {}]);
    expect(sighting).toMatchObject({ transaction: { blockTimeS: 1_795_000_000 }, nodesMs: [nowMs + 5000] });
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
    const all = together(node);
    expect(await all.sight(signature, await all.statusesOf([signature]), 'confirmed')).toEqual({
      ...{ saw: 'transaction', commitment: 'finalized', nodesMs: [] },
      transaction: { ...read(made), blockTimeS },
    });
    expect(node.asked.at(-1)).toEqual(['getBlockTime', 100]);
  });
});

describe('which chain it is', () => {
  const other: Says = { getGenesisHash: { result: 'x' } };
  const mute: Says = { getGenesisHash: { status: 500 } };
  test.each<[string, Says[], object | undefined]>([
    ['all are of it', [saying, saying], undefined],
    ['one is of another', [saying, other], { host: '1', because: 'other-cluster' }],
    ['one does not say', [saying, mute], { host: '1', because: 'node-error' }],
    ['one is of another, though one does not say', [mute, other], { host: '1', because: 'other-cluster' }],
  ])('%s', async (_what, nodes, expected) => {
    const all = together(...nodes.map((says, n) => new ScriptedNode(says, `${n}`)));
    expect(await all.ofAnother()).toEqual(expected);
    expect(all.hosts).toEqual(['0', '1']);
  });

  test('is asked until a node has said it, and then no more', async () => {
    const said: Said[] = [{ status: 500 }, { result: genesis }];
    const node = new ScriptedNode({ getGenesisHash: () => said.shift() ?? {} });
    const all = together(node);
    expect(await all.ofAnother()).toMatchObject({ because: 'node-error' });
    expect([await all.ofAnother(), await all.ofAnother()]).toEqual([undefined, undefined]);
    expect(node.asked).toHaveLength(2);
  });
});

test('the newest final slot of any node counts, and its newest clock', async () => {
  const now = (...said: Said[]) =>
    together(...said.map((getSlot) => new ScriptedNode({ getSlot }))).finalizedNow();
  expect(await now({ result: 7 }, { result: 9 }, { status: 500 })).toEqual({ slot: 9 });
  const clocks = [date, new Date(nowMs).toUTCString()].map((each) => ({
    result: 7,
    headers: { date: each },
  }));
  expect(await now(...clocks)).toEqual({ slot: 7, nodeMs: nowMs + 5000 });
  expect(await now({ status: 500 }, { result: 'x' })).toBeUndefined();
});

test('the program of an account is what all nodes say', async () => {
  const owned = (value: unknown): Says => ({ getAccountInfo: { result: { value } } });
  const owner = (...nodes: Says[]) => together(...nodes.map((says) => new ScriptedNode(says))).ownerOf(ada);
  const ofAda = owned({ owner: ada });
  expect([await owner(ofAda), await owner(ofAda, ofAda)]).toEqual([ada, ada]);
  expect(await owner(owned(null), owned(null))).toBe('none');
  for (const odd of [
    owned({ owner: wallet }),
    owned(null),
    owned({ owner: 5 }),
    owned('x'),
    owned(undefined),
  ])
    expect(await owner(ofAda, odd)).toBeUndefined();
  for (const odd of [{ result: 5 }, { result: null }, { status: 500 }])
    expect(await owner({ getAccountInfo: odd })).toBeUndefined();
});

test('a node is asked in the words of its protocol', async () => {
  const node = new ScriptedNode(saying);
  const all = together(node);
  await all.sight(signature, await all.statusesOf([signature]), 'finalized');
  await all.isMint(mint);
  await all.ownerOf(ada);
  await all.holdings(wallet, [{ asset: 'SOL' }, { asset: 'USDC', mint }]);
  await all.finalizedNow();
  await all.close();
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
    ['getSlot', { commitment: 'finalized' }],
  ]);
  expect(node.left.at(-1)).toBe('closed');
  // A node refuses more.
  expect(mostSignatures).toBe(256);
});

describe('a node that limits', () => {
  const limit = (waitMs?: number): NodeAnswer => ({ is: 'trouble', because: 'rate-limited', waitMs });
  const fine: NodeAnswer = { is: 'answer', value: 5n, nodeMs: undefined };
  const lost: NodeAnswer = { is: 'trouble', because: 'unreachable' };

  /** What comes of it after how many turns, and the waits that all others take over. */
  async function asked(answers: readonly NodeAnswer[], interrupted = new AbortController()) {
    const waits: (number | undefined)[] = [];
    let [turns, asks] = [0, 0];
    const pace = {
      turn: async () => {
        await new Promise(setImmediate);
        turns += 1;
      },
      limited: (waitMs: number | undefined) => void waits.push(waitMs),
    };
    const answer = await patiently(
      pace,
      interrupted.signal,
    )(async () => {
      asks += 1;
      expect(turns).toBe(asks);
      return answers[Math.min(asks, answers.length) - 1] ?? lost;
    });
    return { answer, asks, waits };
  }

  test.each<[string, NodeAnswer[], { asks: number; waits: (number | undefined)[] }]>([
    ['is asked again after its wait', [limit(3000), limit(), fine], { asks: 3, waits: [3000, undefined] }],
    ['is asked six times', [limit(1)], { asks: 6, waits: [1, 1, 1, 1, 1] }],
    ['may ask for a minute', [limit(60_000), fine], { asks: 2, waits: [60_000] }],
    ['may not ask for more', [limit(60_001), fine], { asks: 1, waits: [] }],
    ['is not one that does not answer', [lost, fine], { asks: 1, waits: [] }],
  ])('%s', async (_what, answers, expected) => {
    const last = answers[Math.min(expected.asks, answers.length) - 1];
    expect(await asked(answers)).toEqual({ answer: last, ...expected });
  });

  test('is not asked again after an interrupt', async () => {
    const interrupted = new AbortController();
    interrupted.abort();
    expect(await asked([limit(1), fine], interrupted)).toEqual({ answer: limit(1), asks: 1, waits: [] });
  });
});

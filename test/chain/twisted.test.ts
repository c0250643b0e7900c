import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RpcNode } from '../../src/chain/node.ts';
import { ChainNodes } from '../../src/chain/nodes.ts';
import { judgeLook } from '../../src/chain/proof.ts';
import type { Flight } from '../../src/wire/flight.ts';
import {
  ada,
  adaTokens,
  asked,
  batchOf,
  calling,
  checked,
  key,
  type Made,
  mint,
  move,
  pay,
  signature,
  wallet,
  walletTokens,
  withFee,
  written,
} from './transactions.ts';

const genesis = key(42);
const sol = 1_000_000_000n;
const units = 1_000_000n;
const toAda = { lamports: { [wallet]: -sol, [ada]: sol } };
const tokens = (received: bigint) => [
  { account: walletTokens, owner: wallet, before: 10_000_000n, after: 9_000_000n },
  { account: adaTokens, owner: ada, before: 5n, after: 5n + received },
];
const usdc = { asset: { mint } } as const;

/** Transactions that are proven, and how many bytes at the beginning of the paying instruction a rule reads. */
const bases: readonly {
  made: Made;
  change: Parameters<typeof asked>[0];
  bytes: number;
  kind: 'sol' | 'token';
}[] = [
  { made: { calls: [pay(wallet, ada, sol)], ...toAda }, change: {}, bytes: 12, kind: 'sol' },
  { made: { calls: [calling(pay(wallet, ada, sol))], ...toAda }, change: {}, bytes: 12, kind: 'sol' },
  {
    made: { calls: [move(walletTokens, adaTokens, units)], tokens: tokens(units) },
    change: usdc,
    bytes: 9,
    kind: 'token',
  },
  {
    made: { calls: [checked(walletTokens, adaTokens, units)], tokens: tokens(units) },
    change: usdc,
    bytes: 10,
    kind: 'token',
  },
  {
    made: { calls: [withFee(walletTokens, adaTokens, units, 10n)], tokens: tokens(units - 10n) },
    ...{ change: usdc, bytes: 11, kind: 'token' },
  },
  {
    made: { calls: [batchOf(move(walletTokens, adaTokens, units))], tokens: tokens(units) },
    change: usdc,
    bytes: 12,
    kind: 'token',
  },
  {
    made: {
      calls: [checked(walletTokens, adaTokens, units)],
      ...{ tokens: tokens(units), looked: { writable: [adaTokens], readonly: [mint] } },
    },
    ...{ change: usdc, bytes: 10, kind: 'token' },
  },
];

type Call = { programIdIndex: number; accounts: number[]; data: string };
type Balance = { accountIndex: number; uiTokenAmount: object };
type Meta = {
  innerInstructions: { instructions: Call[] }[];
  preBalances: number[];
  postBalances: number[];
  preTokenBalances: Balance[];
  postTokenBalances: Balance[];
  loadedAddresses: { writable: string[]; readonly: string[] };
};
type Message = { accountKeys: string[]; instructions: Call[] };
/** The replies of a node, each as it is sent. */
type Replies = {
  status: number;
  genesis: string;
  statuses: { value: object[] };
  transaction: { meta: Meta; transaction: { signatures: string[]; message: Message } };
  envelope: object;
};

function repliesOf(made: Made): Replies {
  const replies = {
    ...{
      status: 200,
      genesis,
      envelope: {},
      transaction: JSON.parse(written(made)) as Replies['transaction'],
    },
    statuses: { context: { slot: 200 }, value: [{ slot: 100, err: null, confirmationStatus: 'finalized' }] },
  };
  return replies as Replies;
}

/** What a client of this node is told. */
function nodeWith(replies: Replies, host = 'node'): RpcNode {
  const answer = (body: Uint8Array): Flight => {
    const { id, method } = JSON.parse(Buffer.from(body).toString()) as { id: number; method: string };
    const results: Record<string, unknown> = {
      ...{ getGenesisHash: replies.genesis, getSignatureStatuses: replies.statuses },
      getTransaction: replies.transaction,
    };
    const envelope = { jsonrpc: '2.0', id, result: results[method], ...(replies.envelope as object) };
    const text = Buffer.from(JSON.stringify(envelope));
    return { came: 'reply', status: replies.status, headers: {}, body: text, ended: 'whole' };
  };
  return new RpcNode({
    ...{
      host,
      url: { reveal: () => 'https://node' },
      timeoutMs: 1,
      cut: new AbortController().signal,
      now: () => 0,
    },
    channel: { fly: async ({ body }) => answer(body), close: async () => {} },
  });
}

/** What a look by these nodes comes to, every payment being free. */
async function verdictOf(nodes: readonly RpcNode[], change: Parameters<typeof asked>[0]): Promise<string> {
  const all = new ChainNodes(nodes, genesis, (ask) => ask());
  const sighting = await all.sight(signature, await all.statusesOf([signature]), 'confirmed');
  const cluster = { genesis, name: 'test' };
  const look = { signature, sighting, payment: asked(change), cluster, hosts: all.hosts };
  return judgeLook(look, () => true).verdict;
}

type Twist = (replies: Replies, n: number, base: (typeof bases)[number]) => void;

const call = ({ transaction: { meta, transaction } }: Replies): Call => {
  const [outer] = transaction.message.instructions;
  const one = meta.innerInstructions[0]?.instructions[0] ?? outer;
  if (one === undefined) throw new Error('there is no instruction');
  return one;
};
const put = (target: object | undefined, name: string | number, value: unknown): void => {
  (target as Record<string | number, unknown>)[name] = value;
};
const keysOf = ({ transaction }: Replies): string[] => transaction.transaction.message.accountKeys;
const allKeys = (replies: Replies): string[] => {
  const { writable, readonly } = replies.transaction.meta.loadedAddresses;
  return [...keysOf(replies), ...writable, ...readonly];
};
const oddJson: readonly unknown[] = [
  null,
  '',
  'x',
  -1,
  1.5,
  [],
  {},
  true,
  '1',
  99,
  18_446_744_073_709_552_000,
];
const odd = (n: number): unknown => oddJson[n % oddJson.length];
const destination = (replies: Replies, when: 'pre' | 'post'): Balance => {
  const at = allKeys(replies).indexOf(adaTokens);
  const found = replies.transaction.meta[`${when}TokenBalances`].find(
    ({ accountIndex }) => accountIndex === at,
  );
  if (found === undefined) throw new Error('there is no balance');
  return found;
};
const lamportsAt = (replies: Replies, when: 'preBalances' | 'postBalances', n: number): void => {
  const at = allKeys(replies).indexOf(ada);
  const balances = replies.transaction.meta[when];
  put(balances, at, (balances[at] ?? 0) + 1 + (n % 1000));
};

/** Each changes one thing that a rule reads. */
const twists: Readonly<Record<string, { kinds: string; twist: Twist }>> = {
  'the number of the answer': {
    kinds: 'sol token',
    twist: (all, n) => put(all.envelope, 'id', [n + 10, 'x', null][n % 3]),
  },
  'the version of JSON-RPC': { kinds: 'sol token', twist: (all, n) => put(all.envelope, 'jsonrpc', odd(n)) },
  'an error beside the result': {
    kinds: 'sol token',
    twist: (all, n) => put(all.envelope, 'error', { code: -32_000 - (n % 20) }),
  },
  'the status of HTTP': {
    kinds: 'sol token',
    twist: (all, n) => put(all, 'status', [201, 204, 301, 401, 404, 429, 500, 503][n % 8]),
  },
  'the genesis hash': {
    kinds: 'sol token',
    twist: (all, n) => put(all, 'genesis', [key(43), null, '', genesis.slice(1)][n % 4]),
  },
  'the status of the transaction': {
    kinds: 'sol token',
    twist: (all, n) => put(all.statuses.value, 0, odd(n)),
  },
  'how many statuses there are': {
    kinds: 'sol token',
    twist: (all, n) => put(all.statuses, 'value', n % 2 === 0 ? [] : [all.statuses.value[0], null]),
  },
  'how far it has come': {
    kinds: 'sol token',
    twist: (all, n) =>
      put(all.statuses.value[0], 'confirmationStatus', ['processed', 'confirmed', 'rooted', null, 3][n % 5]),
  },
  'the error of the status': {
    kinds: 'sol token',
    twist: (all) => put(all.statuses.value[0], 'err', { InstructionError: [0, 'x'] }),
  },
  'the slot of the status': {
    kinds: 'sol token',
    twist: (all, n) => put(all.statuses.value[0], 'slot', 101 + n),
  },
  'the slot of the transaction': {
    kinds: 'sol token',
    twist: (all, n) => put(all.transaction, 'slot', 101 + n),
  },
  'the transaction': { kinds: 'sol token', twist: (all, n) => put(all, 'transaction', odd(n)) },
  'its version': {
    kinds: 'sol token',
    twist: (all, n) => put(all.transaction, 'version', [2, 3, '0', 'v1', true, {}][n % 6]),
  },
  'its error': {
    kinds: 'sol token',
    twist: (all, n) => put(all.transaction.meta, 'err', n % 2 === 0 ? 'AccountInUse' : undefined),
  },
  'its first signature': {
    kinds: 'sol token',
    twist: (all, n) => put(all.transaction.transaction.signatures, 0, [key(8), '', null, 7][n % 4]),
  },
  'a cosigner before it': {
    kinds: 'sol token',
    twist: (all) => put(all.transaction.transaction, 'signatures', [key(8), signature]),
  },
  'an address': {
    kinds: 'sol token',
    twist: (all, n, { kind }) => {
      const { programIdIndex, accounts } = call(all);
      const read = kind === 'sol' ? [programIdIndex, accounts[0], accounts[1]] : [programIdIndex];
      put(keysOf(all), read[n % read.length] ?? 0, key(60));
    },
  },
  'an address that stands twice': { kinds: 'sol token', twist: (all) => put(keysOf(all), 0, keysOf(all)[1]) },
  'an address that is missing': {
    kinds: 'sol token',
    twist: (all) => put(all.transaction.transaction.message, 'accountKeys', [...keysOf(all)].slice(1)),
  },
  'the program': {
    kinds: 'sol token',
    twist: (all, n) => {
      const count = allKeys(all).length;
      const another = (call(all).programIdIndex + 1 + (n % (count - 1))) % count;
      put(call(all), 'programIdIndex', n % 2 === 0 ? another : count + n);
    },
  },
  'which accounts it moves between': {
    kinds: 'sol token',
    twist: (all) => {
      const accounts = call(all).accounts;
      const last = accounts.length === 4 ? 2 : 1;
      const [from, to] = [accounts[0], accounts[last]];
      put(accounts, 0, to);
      put(accounts, last, from);
    },
  },
  'an account that it lacks': {
    kinds: 'sol token',
    twist: (all) => put(call(all), 'accounts', [...call(all).accounts].slice(0, 1)),
  },
  'its data': {
    kinds: 'sol token',
    twist: (all, n, { bytes }) => {
      const data = base58.decode(call(all).data);
      const at = n % bytes;
      data[at] = ((data[at] ?? 0) + 1 + (n % 255)) % 256;
      put(call(all), 'data', base58.encode(data));
    },
  },
  'its data, cut': {
    kinds: 'sol token',
    twist: (all, n, { bytes }) =>
      put(call(all), 'data', base58.encode(base58.decode(call(all).data).slice(0, n % bytes))),
  },
  'its data, in another alphabet': {
    kinds: 'sol token',
    twist: (all) => put(call(all), 'data', `0${call(all).data}`),
  },
  'the inner instructions': {
    kinds: 'sol token',
    twist: (all, n) =>
      put(
        all.transaction.meta,
        'innerInstructions',
        [null, undefined, {}, 'x', [{ index: 9, instructions: [] }]][n % 5],
      ),
  },
  'what the recipient had': { kinds: 'sol', twist: (all, n) => lamportsAt(all, 'preBalances', n) },
  'what the recipient has': { kinds: 'sol', twist: (all, n) => lamportsAt(all, 'postBalances', n) },
  'a balance that is missing': {
    kinds: 'sol token',
    twist: (all, n) =>
      put(
        all.transaction.meta,
        n % 2 === 0 ? 'preBalances' : 'postBalances',
        [...all.transaction.meta.preBalances].slice(1),
      ),
  },
  'whose the account is': {
    kinds: 'token',
    twist: (all, n) =>
      put(destination(all, n % 2 === 0 ? 'pre' : 'post'), 'owner', [key(61), '', undefined, 5][n % 4]),
  },
  'of which mint the account is': {
    kinds: 'token',
    twist: (all, n) =>
      put(destination(all, n % 2 === 0 ? 'pre' : 'post'), 'mint', [key(62), '', null, 5][n % 4]),
  },
  'what it holds': {
    kinds: 'token',
    twist: (all, n) =>
      put(
        destination(all, n % 2 === 0 ? 'pre' : 'post').uiTokenAmount,
        'amount',
        [`${n + 77}`, '-1', '01', '1.0', '', 7][n % 6],
      ),
  },
  'what it shows': {
    kinds: 'token',
    twist: (all, n) =>
      put(
        destination(all, n % 2 === 0 ? 'pre' : 'post').uiTokenAmount,
        'uiAmountString',
        ['2', '', null, '0.0'][n % 4],
      ),
  },
  'its decimals': {
    kinds: 'token',
    twist: (all, n) =>
      put(
        destination(all, n % 2 === 0 ? 'pre' : 'post').uiTokenAmount,
        'decimals',
        [7, 5, -1, '6', 6.5][n % 5],
      ),
  },
  'where it stands': {
    kinds: 'token',
    twist: (all, n) => put(destination(all, 'post'), 'accountIndex', [99, -1, '1', null][n % 4]),
  },
  'all balances of tokens': {
    kinds: 'token',
    twist: (all, n) =>
      put(
        all.transaction.meta,
        n % 2 === 0 ? 'postTokenBalances' : 'preTokenBalances',
        n % 3 === 0 ? {} : [],
      ),
  },
  'addresses that were looked up': {
    kinds: 'sol token',
    twist: (all, n) =>
      put(
        all.transaction.meta,
        'loadedAddresses',
        [{ writable: ['x', 'y'], readonly: [] }, { writable: 3 }, 'x'][n % 3],
      ),
  },
};

const runs = Number(process.env.BOTCTL_RUNS ?? 250);

describe('a node’s replies', () => {
  test.each(bases.map((base, n) => [n, base] as const))(
    'as they are prove transaction %i',
    async (_n, { made, change }) => {
      expect(await verdictOf([nodeWith(repliesOf(made))], change)).toBe('proven');
      const two = [nodeWith(repliesOf(made), 'a'), nodeWith(repliesOf(made), 'b')];
      expect(await verdictOf(two, change)).toBe('proven');
    },
  );

  test('twisted in anything that a rule reads prove nothing, by one node or beside another', {
    timeout: 300_000,
  }, async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...bases),
        fc.constantFrom(...Object.keys(twists)),
        fc.nat(100_000),
        async (base, name, n) => {
          const { kinds = '', twist } = twists[name] ?? {};
          if (twist === undefined || !kinds.includes(base.kind)) return;
          const sound = repliesOf(base.made);
          const twisted = structuredClone(sound);
          twist(twisted, n, base);
          seen.add(name);
          expect(await verdictOf([nodeWith(twisted)], base.change)).not.toBe('proven');
          expect(await verdictOf([nodeWith(sound, 'a'), nodeWith(twisted, 'b')], base.change)).not.toBe(
            'proven',
          );
        },
      ),
      { numRuns: runs },
    );
    expect([...seen].sort()).toEqual(Object.keys(twists).sort());
  });
});

import { base58 } from '@scure/base';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RpcNode } from '../../../src/once/chain/nodes.ts';
import { findPayment, type Payment } from '../../../src/once/chain/payment.ts';
import { judgeLook } from '../../../src/once/chain/settle.ts';
import { parseExact, readTransaction } from '../../../src/once/chain/transaction.ts';
import { recipient, startTestSandbox, type TestSandbox } from '../../../testing/sandbox.ts';
import { genesis, type Said, ScriptedNode, together } from './scriptedNode.ts';
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

const sol = 1_000_000_000n;
const units = 1_000_000n;
const toAda = { lamports: { [wallet]: -sol, [ada]: sol } };
const tokens = (received: bigint) => [
  { account: walletTokens, owner: wallet, before: 10_000_000n, after: 9_000_000n },
  { account: adaTokens, owner: ada, before: 5n, after: 5n + received },
];
const usdc = { asset: { mint } } as const;

/** `created`: the recipient had no account for the token before, so nothing is read of what it held. */
type Kind = 'sol' | 'token' | 'created';

/** A transaction that is proven, and how many bytes at the beginning of the paying instruction a rule reads. */
type Base = {
  readonly replies: Replies;
  readonly payment: Payment;
  readonly signature: string;
  readonly bytes: number;
  readonly kind: Kind;
  /** Where the recipient's money is. */
  readonly account: string;
  /** The instruction that pays. */
  readonly call: (replies: Replies) => Call;
};

const writtenHere: readonly {
  made: Made;
  change: Parameters<typeof asked>[0];
  bytes: number;
  kind: Kind;
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

const basesWritten = writtenHere.map(
  ({ made, change, ...rest }): Base => ({
    ...rest,
    replies: repliesOf(made),
    payment: asked(change),
    signature,
    account: rest.kind === 'sol' ? ada : adaTokens,
    call: ({ transaction: { meta, transaction } }) =>
      theOne(meta.innerInstructions[0]?.instructions[0] ?? transaction.message.instructions[0]),
  }),
);

/** As the virtual machine makes them and the node shows them. */
const paidBySandbox: readonly {
  what: string;
  asset: 'SOL' | 'USDC';
  to: string;
  kind: Kind;
}[] = [
  { what: 'SOL', asset: 'SOL', to: recipient, kind: 'sol' },
  { what: 'a token, into a new account', asset: 'USDC', to: recipient, kind: 'created' },
  { what: 'a token', asset: 'USDC', to: recipient, kind: 'token' },
];

async function resultOf<Result>(sandbox: TestSandbox, method: string, params: unknown[]): Promise<Result> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'Content-Type': 'application/json' };
  const reply = await fetch(sandbox.node.rpcUrl, { method: 'POST', headers, body });
  return ((await reply.json()) as { result: Result }).result;
}

async function baseOf(
  { asset, to, kind }: (typeof paidBySandbox)[number],
  sandbox: TestSandbox,
): Promise<Base> {
  await sandbox.readings({ slot_ms: 0 });
  const { json } = await sandbox.post('transfer', { to_address: to, asset, amount: '1.25' });
  const paid = String(json.signature);
  const looked = { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 1 };
  const transaction = await resultOf<Replies['transaction']>(sandbox, 'getTransaction', [paid, looked]);
  transaction.meta.loadedAddresses = { writable: [], readonly: [] };
  const statuses = await resultOf<Replies['statuses']>(sandbox, 'getSignatureStatuses', [[paid]]);
  const { wallet: source, assets } = sandbox.node;
  const usdcMint = assets.USDC ?? '';
  const payment: Payment = {
    ...{ to, asset: asset === 'SOL' ? 'SOL' : { mint: usdcMint }, amount: '1.25' },
    ...{ memo: undefined, wallet: source },
  };
  const { matches } = findPayment(payment, readTransaction(parseExact(JSON.stringify(transaction))));
  const outer = Number(matches[0]?.path);
  const replies = { status: 200, genesis, envelope: {}, transaction, statuses };
  const called = theOne(transaction.transaction.message.instructions[outer]);
  // What is read of a system transfer, and of one of a token with or without its decimals.
  const bytes = asset === 'SOL' ? 12 : called.accounts.length === 4 ? 10 : 9;
  const at = called.accounts[asset === 'SOL' ? 1 : called.accounts.length === 4 ? 2 : 1] ?? -1;
  return {
    ...{ replies, payment, signature: paid, bytes, kind },
    account: theOne(allKeys(replies)[at]),
    call: ({ transaction: { transaction: made } }) => theOne(made.message.instructions[outer]),
  };
}

let basesOfSandbox: readonly Base[];
beforeAll(async () => {
  const sandbox = await startTestSandbox();
  const made: Base[] = [];
  for (const payment of paidBySandbox) made.push(await baseOf(payment, sandbox));
  basesOfSandbox = made;
  await sandbox.close();
});

function theOne<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('it is not there');
  return thing;
}

/** A node that tells its clients these replies. */
function nodeWith({ status, envelope: beside, ...replies }: Replies, host = 'node'): RpcNode {
  const say = (result: unknown): Said => ({ status, beside, result });
  return new ScriptedNode(
    {
      ...{ getGenesisHash: say(replies.genesis), getSignatureStatuses: say(replies.statuses) },
      getTransaction: say(replies.transaction),
    },
    host,
  );
}

const nobody = { own: new Set<string>(), others: new Set<string>() };
// It began when everything did: what a node says of times has its own tests.
const beginning = { atMs: 0, before: undefined, mayBeEarlier: false, nowMs: Number.MAX_SAFE_INTEGER };

/** What a look by these nodes comes to, every payment being free. */
async function verdictOf(
  nodes: readonly RpcNode[],
  { signature: paid, payment }: Pick<Base, 'signature' | 'payment'>,
): Promise<string> {
  const all = together(...nodes);
  const sighting = await all.sight(paid, await all.statusesOf([paid]), 'confirmed');
  const cluster = { genesis, name: 'test' };
  const look = { signature: paid, sighting, payment, cluster, hosts: all.hosts };
  return judgeLook(look, nobody, beginning).verdict;
}

type Twist = (replies: Replies, n: number, base: Base) => void;

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
/** Of one that was made by the transaction, only what it has after it is there. */
const destination = (replies: Replies, { account, kind }: Base, n: number): Balance => {
  const at = allKeys(replies).indexOf(account);
  const when = kind === 'created' || n % 2 === 1 ? 'post' : 'pre';
  return theOne(
    replies.transaction.meta[`${when}TokenBalances`].find(({ accountIndex }) => accountIndex === at),
  );
};
const lamportsAt = (
  replies: Replies,
  { account }: Base,
  when: 'preBalances' | 'postBalances',
  n: number,
): void => {
  const at = allKeys(replies).indexOf(account);
  const balances = replies.transaction.meta[when];
  put(balances, at, (balances[at] ?? 0) + 1 + (n % 1000));
};
/** Wherever it stands: in the message, or among what was looked up. */
const putKey = (replies: Replies, at: number, address: string): void => {
  const { writable, readonly } = replies.transaction.meta.loadedAddresses;
  const fixed = keysOf(replies);
  if (at < fixed.length) put(fixed, at, address);
  else if (at < fixed.length + writable.length) put(writable, at - fixed.length, address);
  else put(readonly, at - fixed.length - writable.length, address);
};

/** Each changes one thing that a rule reads. */
const twists: Readonly<Record<string, { kinds: string; twist: Twist }>> = {
  'the number of the answer': {
    kinds: 'sol token created',
    twist: (all, n) => put(all.envelope, 'id', [n + 10, 'x', null][n % 3]),
  },
  'the version of JSON-RPC': {
    kinds: 'sol token created',
    twist: (all, n) => put(all.envelope, 'jsonrpc', odd(n)),
  },
  'an error beside the result': {
    kinds: 'sol token created',
    twist: (all, n) => put(all.envelope, 'error', { code: -32_000 - (n % 20) }),
  },
  'the status of HTTP': {
    kinds: 'sol token created',
    twist: (all, n) => put(all, 'status', [201, 204, 301, 401, 404, 429, 500, 503][n % 8]),
  },
  'the genesis hash': {
    kinds: 'sol token created',
    twist: (all, n) => put(all, 'genesis', [key(43), null, '', genesis.slice(1)][n % 4]),
  },
  'the status of the transaction': {
    kinds: 'sol token created',
    twist: (all, n) => put(all.statuses.value, 0, odd(n)),
  },
  'how many statuses there are': {
    kinds: 'sol token created',
    twist: (all, n) => put(all.statuses, 'value', n % 2 === 0 ? [] : [all.statuses.value[0], null]),
  },
  'how far it has come': {
    kinds: 'sol token created',
    twist: (all, n) =>
      put(all.statuses.value[0], 'confirmationStatus', ['processed', 'confirmed', 'rooted', null, 3][n % 5]),
  },
  'the error of the status': {
    kinds: 'sol token created',
    twist: (all) => put(all.statuses.value[0], 'err', { InstructionError: [0, 'x'] }),
  },
  'the slot of the status': {
    kinds: 'sol token created',
    twist: (all, n) => put(all.statuses.value[0], 'slot', 101 + n),
  },
  'the slot of the transaction': {
    kinds: 'sol token created',
    twist: (all, n) => put(all.transaction, 'slot', 101 + n),
  },
  'the transaction': { kinds: 'sol token created', twist: (all, n) => put(all, 'transaction', odd(n)) },
  'its version': {
    kinds: 'sol token created',
    twist: (all, n) => put(all.transaction, 'version', [2, 3, '0', 'v1', true, {}][n % 6]),
  },
  'its error': {
    kinds: 'sol token created',
    twist: (all, n) => put(all.transaction.meta, 'err', n % 2 === 0 ? 'AccountInUse' : undefined),
  },
  'its first signature': {
    kinds: 'sol token created',
    twist: (all, n) => put(all.transaction.transaction.signatures, 0, [key(8), '', null, 7][n % 4]),
  },
  'a cosigner before it': {
    kinds: 'sol token created',
    twist: (all) => put(all.transaction.transaction, 'signatures', [key(8), signature]),
  },
  'an address': {
    kinds: 'sol token created',
    twist: (all, n, { kind, call }) => {
      const { programIdIndex, accounts } = call(all);
      const read = kind === 'sol' ? [programIdIndex, accounts[0], accounts[1]] : [programIdIndex];
      putKey(all, read[n % read.length] ?? 0, key(60));
    },
  },
  'an address that stands twice': {
    kinds: 'sol token created',
    twist: (all) => put(keysOf(all), 0, keysOf(all)[1]),
  },
  'an address that is missing': {
    kinds: 'sol token created',
    twist: (all) => put(all.transaction.transaction.message, 'accountKeys', [...keysOf(all)].slice(1)),
  },
  'the program': {
    kinds: 'sol token created',
    twist: (all, n, { call }) => {
      const count = allKeys(all).length;
      const another = (call(all).programIdIndex + 1 + (n % (count - 1))) % count;
      put(call(all), 'programIdIndex', n % 2 === 0 ? another : count + n);
    },
  },
  'which accounts it moves between': {
    kinds: 'sol token created',
    twist: (all, _n, { call }) => {
      const accounts = call(all).accounts;
      const last = accounts.length === 4 ? 2 : 1;
      const [from, to] = [accounts[0], accounts[last]];
      put(accounts, 0, to);
      put(accounts, last, from);
    },
  },
  'an account that it lacks': {
    kinds: 'sol token created',
    twist: (all, _n, { call }) => put(call(all), 'accounts', [...call(all).accounts].slice(0, 1)),
  },
  'its data': {
    kinds: 'sol token created',
    twist: (all, n, { bytes, call }) => {
      const data = base58.decode(call(all).data);
      const at = n % bytes;
      data[at] = ((data[at] ?? 0) + 1 + (n % 255)) % 256;
      put(call(all), 'data', base58.encode(data));
    },
  },
  'its data, cut': {
    kinds: 'sol token created',
    twist: (all, n, { bytes, call }) =>
      put(call(all), 'data', base58.encode(base58.decode(call(all).data).slice(0, n % bytes))),
  },
  'its data, in another alphabet': {
    kinds: 'sol token created',
    twist: (all, _n, { call }) => put(call(all), 'data', `0${call(all).data}`),
  },
  'the inner instructions': {
    kinds: 'sol token created',
    twist: (all, n) =>
      put(
        all.transaction.meta,
        'innerInstructions',
        [null, undefined, {}, 'x', [{ index: 9, instructions: [] }]][n % 5],
      ),
  },
  'what the recipient had': {
    kinds: 'sol',
    twist: (all, n, base) => lamportsAt(all, base, 'preBalances', n),
  },
  'what the recipient has': {
    kinds: 'sol',
    twist: (all, n, base) => lamportsAt(all, base, 'postBalances', n),
  },
  'a balance that is missing': {
    kinds: 'sol token created',
    twist: (all, n) =>
      put(
        all.transaction.meta,
        n % 2 === 0 ? 'preBalances' : 'postBalances',
        [...all.transaction.meta.preBalances].slice(1),
      ),
  },
  'whose the account is': {
    kinds: 'token created',
    twist: (all, n, base) => put(destination(all, base, n), 'owner', [key(61), '', undefined, 5][n % 4]),
  },
  'of which mint the account is': {
    kinds: 'token created',
    twist: (all, n, base) => put(destination(all, base, n), 'mint', [key(62), '', null, 5][n % 4]),
  },
  'what it holds': {
    kinds: 'token created',
    twist: (all, n, base) =>
      put(destination(all, base, n).uiTokenAmount, 'amount', [`${n + 77}`, '-1', '01', '1.0', '', 7][n % 6]),
  },
  'what it shows': {
    kinds: 'token created',
    twist: (all, n, base) =>
      put(destination(all, base, n).uiTokenAmount, 'uiAmountString', ['2', '', null, '0.0'][n % 4]),
  },
  'its decimals': {
    kinds: 'token created',
    twist: (all, n, base) =>
      put(destination(all, base, n).uiTokenAmount, 'decimals', [7, 5, -1, '6', 6.5][n % 5]),
  },
  'where it stands': {
    kinds: 'token created',
    twist: (all, n, base) => put(destination(all, base, 1), 'accountIndex', [99, -1, '1', null][n % 4]),
  },
  'all balances of tokens': {
    kinds: 'token created',
    twist: (all, n, { kind }) =>
      put(
        all.transaction.meta,
        kind === 'created' || n % 2 === 0 ? 'postTokenBalances' : 'preTokenBalances',
        n % 3 === 0 ? {} : [],
      ),
  },
  'addresses that were looked up': {
    kinds: 'sol token created',
    twist: (all, n) =>
      put(
        all.transaction.meta,
        'loadedAddresses',
        [{ writable: ['x', 'y'], readonly: [] }, { writable: 3 }, 'x'][n % 3],
      ),
  },
};

const runs = Number(process.env.BOTCTL_RUNS ?? 250);

/** How they end where one thing in them is twisted, by one node or beside another. */
async function nothingProven(bases: readonly Base[]): Promise<void> {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.entries(twists)),
      fc.nat(100_000),
      fc.nat(100_000),
      async ([name, { kinds, twist }], which, n) => {
        const fitting = bases.filter(({ kind }) => kinds.split(' ').includes(kind));
        const base = fitting[which % fitting.length];
        if (base === undefined) throw new Error(`${name} twists nothing`);
        const twisted = structuredClone(base.replies);
        twist(twisted, n, base);
        seen.add(name);
        expect(await verdictOf([nodeWith(twisted)], base)).not.toBe('proven');
        expect(await verdictOf([nodeWith(base.replies, 'a'), nodeWith(twisted, 'b')], base)).not.toBe(
          'proven',
        );
      },
    ),
    { numRuns: runs },
  );
  expect([...seen].sort()).toEqual(Object.keys(twists).sort());
}

async function proven(base: Base): Promise<void> {
  expect(await verdictOf([nodeWith(base.replies)], base)).toBe('proven');
  const two = [nodeWith(base.replies, 'a'), nodeWith(base.replies, 'b')];
  expect(await verdictOf(two, base)).toBe('proven');
}

describe('a node’s replies', () => {
  test.each(basesWritten.map((base, n) => [n, base] as const))(
    'as they are prove transaction %i',
    (_n, base) => proven(base),
  );

  test.each(paidBySandbox.map(({ what }, n) => [what, n] as const))(
    'about what the virtual machine made prove %s',
    (_what, n) => proven(theOne(basesOfSandbox[n])),
  );

  test('whose times are more than two hours apart prove nothing', async () => {
    const base = theOne(basesWritten[0]);
    const at = (blockTime: number | null): RpcNode => {
      const replies = structuredClone(base.replies);
      put(replies.transaction, 'blockTime', blockTime);
      return nodeWith(replies, `at ${blockTime}`);
    };
    const apart = (byS: number): Promise<string> =>
      verdictOf([at(1_795_000_000), at(1_795_000_000 + byS)], base);
    expect(await Promise.all([-7201, -7200, 7200, 7201].map(apart))).toEqual([
      ...['undecided', 'proven', 'proven', 'undecided'],
    ]);
    expect(await verdictOf([at(null), at(1_795_000_000)], base)).toBe('proven');
    expect(await verdictOf([at(null), at(null)], base)).toBe('undecided');
  });

  test(
    'twisted in anything that a rule reads prove nothing, by one node or beside another',
    {
      timeout: 300_000,
    },
    () => nothingProven(basesWritten),
  );

  test('about what the virtual machine made, so twisted, prove nothing either', { timeout: 300_000 }, () =>
    nothingProven(basesOfSandbox),
  );
});

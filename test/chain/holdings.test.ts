import { describe, expect, test } from 'vitest';
import { RpcNode } from '../../src/chain/node.ts';
import type { Channel, FlightLimits } from '../../src/once/wire/flight.ts';
import { HeldClock } from '../support/heldClock.ts';
import { genesis, type Said, ScriptedNode } from './scriptedNode.ts';
import { bob, mint, otherMint, wallet } from './transactions.ts';

/** A node that answers nothing before its time is up on a clock that the test moves. */
class SilentNode implements Channel {
  readonly asked: string[] = [];
  readonly #clock: HeldClock;

  constructor(clock: HeldClock) {
    this.#clock = clock;
  }

  async fly({ body }: { body: Uint8Array }, { timeoutMs, cut }: FlightLimits) {
    this.asked.push((JSON.parse(Buffer.from(body).toString()) as { method: string }).method);
    await this.#clock.sleep(timeoutMs, cut);
    return { came: 'nothing', headersSent: true, trouble: { is: 'timed-out', afterMs: timeoutMs } } as const;
  }

  async close(): Promise<void> {}
}

test('all assets are asked for at once, so that a silent node costs its time once', async () => {
  const clock = new HeldClock();
  clock.runs = false;
  const channel = new SilentNode(clock);
  const cut = new AbortController().signal;
  const url = { reveal: () => 'https://node.example.com' };
  const settings = {
    host: 'a',
    url,
    expected: undefined,
    channel,
    timeoutMs: 1000,
    cut,
    patience: undefined,
    clock,
  };
  const asking = new RpcNode(settings).holdings(wallet, [{ asset: 'SOL' }, { asset: 'USDC', mint }]);
  expect(channel.asked).toEqual(['getGenesisHash', 'getBalance', 'getTokenAccountsByOwner']);
  clock.advance(1000);
  expect(await asking).toEqual([
    { asset: 'SOL', held: { because: 'no-answer' } },
    { asset: 'USDC', mint, held: { because: 'no-answer' } },
  ]);
  expect(clock.sleeps).toEqual([1000, 1000, 1000]);
});

describe('what a wallet holds', () => {
  const held = async (asset: 'SOL' | 'USDC', said: Said): Promise<unknown> => {
    const node = new ScriptedNode({
      ...{ getGenesisHash: { result: genesis }, getBalance: said, getTokenAccountsByOwner: said },
    });
    const [holding] = await node.holdings(wallet, [asset === 'SOL' ? { asset } : { asset, mint }]);
    return holding?.held;
  };
  const has = (value: unknown): Said => ({ result: { value } });
  const account = (amount: string, change: object = {}): object => ({
    account: {
      data: {
        parsed: { info: { mint, owner: wallet, tokenAmount: { amount, decimals: 6 }, ...change } },
      },
    },
  });

  test.each<[string, Said, unknown]>([
    ['its lamports', has(5), { units: 5n, decimals: 9 }],
    ['unknown if the node does not say', { status: 500 }, { because: 'no-answer' }],
    ['unknown without a number', has('5'), { because: 'no-answer' }],
    ['unknown below nothing', has(-1), { because: 'no-answer' }],
    ['unknown between two lamports', has(1.5), { because: 'no-answer' }],
  ])('of SOL is %s', async (_what, said, expected) => {
    expect(await held('SOL', said)).toEqual(expected);
  });

  const other = (change: object): Said => has([account('5', change)]);
  test.each<[string, Said, unknown]>([
    ['all its accounts', has([account('5'), account('2')]), { units: 7n, decimals: 6 }],
    ['nothing without an account', has([]), { units: 0n, decimals: 0 }],
    ['not another’s', other({ owner: bob }), { because: 'no-answer' }],
    ['not of another mint', other({ mint: otherMint }), { because: 'no-answer' }],
    ['in no mixed decimals', has([account('5'), account('5', tokenOf(7))]), { because: 'no-answer' }],
  ])('of a token is %s', async (_what, said, expected) => {
    expect(await held('USDC', said)).toEqual(expected);
  });

  test('is unknown without the mint, and on another chain', async () => {
    const node = new ScriptedNode({ getGenesisHash: { result: genesis } });
    expect(await node.holdings(wallet, [{ asset: 'USDC' }])).toEqual([
      { asset: 'USDC', held: { because: 'no-mint' } },
    ]);
    const elsewhere = new ScriptedNode({ getGenesisHash: { result: bob }, getBalance: has(5) });
    expect(await elsewhere.holdings(wallet, [{ asset: 'SOL' }])).toEqual([
      { asset: 'SOL', held: { because: 'other-cluster' } },
    ]);
  });
});

function tokenOf(decimals: number): object {
  return { tokenAmount: { amount: '5', decimals } };
}

import { expect, test } from 'vitest';
import { ChainNodes, RpcNode } from '../../../src/once/chain/nodes.ts';
import type { Channel, FlightLimits } from '../../../src/once/wire/flight.ts';
import { HeldClock } from '../../../testing/heldClock.ts';

const genesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const wallet = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

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
  const node = new RpcNode({ host: 'a', url, channel, timeoutMs: 1000, cut, now: () => clock.now() });
  const nodes = new ChainNodes([node], genesis, (ask) => ask());
  const asking = nodes.holdings(wallet, [{ asset: 'SOL' }, { asset: 'USDC', mint }]);
  expect(channel.asked).toEqual(['getGenesisHash', 'getBalance', 'getTokenAccountsByOwner']);
  clock.advance(1000);
  expect(await asking).toEqual([
    { asset: 'SOL', held: { because: 'unreachable' } },
    { asset: 'USDC', mint, held: { because: 'unreachable' } },
  ]);
  expect(clock.sleeps).toEqual([1000, 1000, 1000]);
});

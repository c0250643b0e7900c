import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { conclude } from '../../src/engine/conclusion.ts';
import type { Ended } from '../../src/engine/doing.ts';
import { execute } from '../../src/engine/execute.ts';
import type { Flight, FlightLimits, Shipment } from '../../src/wire/flight.ts';
import { endOf, lost, paid, reply, transfer, unsent, Workshop } from '../helpers/workshop.ts';
import { defaults } from './design.ts';

let shop: Workshop;
let first: AbortController;
let second: AbortController;
beforeEach(() => {
  shop = new Workshop();
  first = new AbortController();
  second = new AbortController();
});
afterEach(() => shop.remove());

const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};

/** A flight that lands when told to, or breaks off when it is cut. */
function flying(): {
  fly: (shipment: Shipment, limits: FlightLimits) => Promise<Flight>;
  land: (flight: Flight) => void;
  cut: () => boolean;
} {
  let land: (flight: Flight) => void = () => {};
  let wasCut = false;
  return {
    fly: (_shipment, { cut }) =>
      new Promise((resolve) => {
        land = resolve;
        cut.addEventListener('abort', () => {
          wasCut = true;
          resolve(lost);
        });
      }),
    land: (flight) => land(flight),
    cut: () => wasCut,
  };
}

function start(changes: Parameters<Workshop['doing']>[0] = {}): Promise<Ended> {
  return execute(
    transfer(),
    shop.doing({ interrupts: { first: first.signal, second: second.signal }, ...changes }),
  );
}

const exitOf = (ended: Ended): number => conclude(ended, shop.clock.now()).exit;

describe('the first interrupt', () => {
  it('before anything was sent sends nothing, leaves the intent open and exits 130', async () => {
    first.abort();
    const ended = await start();
    expect(endOf(ended)).toBe('open');
    expect(exitOf(ended)).toBe(130);
    expect(shop.sent).toEqual([]);
    expect(endOf(await shop.run(transfer(), [paid]))).toBe('accepted');
  });

  it('lets the flight land, and tells what it brought', async () => {
    shop.clock.runs = false;
    const flight = flying();
    shop.script.push(flight.fly);
    const running = start();
    await turns();
    first.abort();
    shop.clock.advance(defaults.landing - 1);
    await turns();
    expect(flight.cut()).toBe(false);
    flight.land(paid);
    const ended = await running;
    expect(endOf(ended)).toBe('accepted');
    expect(exitOf(ended)).toBe(0);
  });

  it('ends the flight after 5 seconds: unknown, exit 9', async () => {
    shop.clock.runs = false;
    const flight = flying();
    shop.script.push(flight.fly);
    const running = start();
    await turns();
    first.abort();
    shop.clock.advance(defaults.landing);
    const ended = await running;
    expect(flight.cut()).toBe(true);
    expect(endOf(ended)).toBe('unknown');
    expect(exitOf(ended)).toBe(9);
    expect(shop.sent).toHaveLength(1);
  });

  it.each([
    ['limited', reply(429), 'open', 130],
    ['unsent', unsent, 'open', 130],
    ['a server error', reply(500), 'unknown', 9],
    ['a 409, which may be in flight', reply(409), 'unknown', 9],
    ['a plain rejection', reply(402), 'rejected', 5],
  ] as const)('starts nothing new after %s', async (_what, answer, state, exit) => {
    shop.script.push(() => {
      first.abort();
      return answer;
    });
    const ended = await start();
    expect(endOf(ended)).toBe(state);
    expect(exitOf(ended)).toBe(exit);
    expect(shop.sent).toHaveLength(1);
  });

  it.each([
    ['limited', reply(429), 'open', 130],
    ['a server error', reply(500), 'unknown', 9],
    ['a 409, which may be in flight', reply(409), 'unknown', 9],
  ] as const)('ends the pause after %s', async (_what, answer, state, exit) => {
    shop.clock.runs = false;
    shop.script.push(answer);
    shop.clock.onSleep = () => first.abort();
    const ended = await start();
    expect(endOf(ended)).toBe(state);
    expect(exitOf(ended)).toBe(exit);
    expect(shop.sent).toHaveLength(1);
  });

  it('ends the wait for another process, which goes on', async () => {
    const flight = flying();
    shop.script.push(flight.fly);
    const other = execute(transfer(), shop.doing());
    await turns();
    shop.clock.onSleep = () => first.abort();
    const ended = await start();
    expect(ended.is).toBe('still-sending');
    expect(exitOf(ended)).toBe(9);
    flight.land(paid);
    expect(endOf(await other)).toBe('accepted');
  });
});

describe('the second interrupt', () => {
  it('ends the flight at once: unknown, exit 9, and on record', async () => {
    shop.clock.runs = false;
    const flight = flying();
    shop.script.push(flight.fly);
    const running = start();
    await turns();
    first.abort();
    second.abort();
    const ended = await running;
    expect(exitOf(ended)).toBe(9);
    expect(shop.only()).toMatchObject({ state: 'unknown', tainted: true });
  });
});

import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { execute } from '../../../src/once/engine/execute.ts';
import type { Outcome } from '../../../src/once/engine/outcome.ts';
import type { Flight, FlightLimits, Shipment } from '../../../src/once/wire/flight.ts';
import { explained } from '../../support/explained.ts';
import { endOf, lost, paid, reply, ScriptedEngine, transfer, unsent } from '../../support/scriptedEngine.ts';

let scripted: ScriptedEngine;
let first: AbortController;
let second: AbortController;
beforeEach(() => {
  scripted = new ScriptedEngine();
  first = new AbortController();
  second = new AbortController();
});
afterEach(() => scripted.remove());

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

function start(changes: Parameters<ScriptedEngine['engine']>[0] = {}): Promise<Outcome> {
  return execute(
    transfer(),
    scripted.engine({ interrupts: { first: first.signal, second: second.signal }, ...changes }),
  );
}

const exitOf = async (ended: Outcome): Promise<number> => explained(ended, scripted.clock.now()).exit;

describe('the first interrupt', () => {
  test('before anything was sent sends nothing, leaves the entry open and exits 130', async () => {
    first.abort();
    const ended = await start();
    expect(endOf(ended)).toBe('open');
    expect(await exitOf(ended)).toBe(130);
    expect(ended).toMatchObject({ attempt: { phase: 'not-sent', trouble: { is: 'interrupted' } } });
    expect(scripted.sent).toEqual([]);
    expect(endOf(await scripted.run(transfer(), [paid]))).toBe('accepted');
  });

  test('while the connection is being made sends nothing any more', async () => {
    scripted.whileConnecting = () => first.abort();
    const ended = await start();
    expect([endOf(ended), await exitOf(ended)]).toEqual(['open', 130]);
    expect(scripted.sent).toEqual([]);
  });

  test('lets the flight land, and tells what it brought', async () => {
    scripted.clock.runs = false;
    const flight = flying();
    scripted.script.push(flight.fly);
    const running = start();
    await turns();
    first.abort();
    scripted.clock.advance(5000 - 1);
    await turns();
    expect(flight.cut()).toBe(false);
    flight.land(paid);
    const ended = await running;
    expect(endOf(ended)).toBe('accepted');
    expect(await exitOf(ended)).toBe(0);
  });

  test('ends the flight after 5 seconds: unknown, exit 9', async () => {
    scripted.clock.runs = false;
    const flight = flying();
    scripted.script.push(flight.fly);
    const running = start();
    await turns();
    first.abort();
    scripted.clock.advance(5000);
    const ended = await running;
    expect(flight.cut()).toBe(true);
    expect(endOf(ended)).toBe('unknown');
    expect(await exitOf(ended)).toBe(9);
    expect(scripted.sent).toHaveLength(1);
  });

  test('waits for each of several flights, and no longer than for the last', async () => {
    scripted.clock.runs = false;
    const [one, other] = [flying(), flying()];
    scripted.script.push(one.fly, other.fly);
    let grace: AbortSignal | undefined;
    const clock = {
      now: () => scripted.clock.now(),
      sleep: (ms: number, signal?: AbortSignal) => {
        grace = signal;
        return scripted.clock.sleep(ms, signal);
      },
    };
    const engine = scripted.engine({ clock, interrupts: { first: first.signal, second: second.signal } });
    const running = [transfer(), transfer({ amount: '2' })].map((order) => execute(order, engine));
    await turns();
    first.abort();
    one.land(paid);
    await running[0];
    expect([grace?.aborted, other.cut()]).toEqual([false, false]);
    other.land(reply(402));
    expect(endOf(await (running[1] as Promise<Outcome>))).toBe('rejected');
    expect(grace?.aborted).toBe(true);
  });

  test.each([
    ['limited', reply(429), 'open', 130],
    ['unsent', unsent, 'open', 130],
    ['a server error', reply(500), 'unknown', 9],
    ['a 409, which may be in flight', reply(409), 'unknown', 9],
    ['a plain rejection', reply(402), 'rejected', 5],
  ] as const)('starts nothing new after %s', async (_what, answer, state, exit) => {
    scripted.script.push(() => {
      first.abort();
      return answer;
    });
    const ended = await start();
    expect(endOf(ended)).toBe(state);
    expect(await exitOf(ended)).toBe(exit);
    expect(scripted.sent).toHaveLength(1);
    // Only what is held has a reason for it.
    expect((await scripted.only()).heldReason).toBeUndefined();
  });

  test.each([
    ['limited', reply(429), 'open', 130],
    ['a server error', reply(500), 'unknown', 9],
    ['a 409, which may be in flight', reply(409), 'unknown', 9],
  ] as const)('ends the pause after %s', async (_what, answer, state, exit) => {
    scripted.clock.runs = false;
    scripted.script.push(answer);
    scripted.clock.onSleep = () => first.abort();
    const ended = await start();
    expect(endOf(ended)).toBe(state);
    expect(await exitOf(ended)).toBe(exit);
    expect((await scripted.only()).attempts).toBe(1);
    // Nothing is in flight, so nothing is waited for.
    expect(scripted.clock.sleeps).toHaveLength(1);
  });

  test('leaves in doubt what would otherwise be held when no tries are left', async () => {
    scripted.script.push(() => {
      first.abort();
      return reply(409);
    });
    expect(endOf(await start({ limits: { maxWaitMs: 0 } }))).toBe('unknown');
  });

  test('ends all flights of a process by one signal, and warns of no leak', async () => {
    const warned: string[] = [];
    const warn = ({ name }: Error): void => void warned.push(name);
    process.on('warning', warn);
    onTestFinished(() => void process.off('warning', warn));
    const cuts = new Set<AbortSignal>();
    const engine = scripted.engine({ interrupts: { first: first.signal, second: second.signal } });
    const flights = Array.from({ length: 12 }, (_, index) => {
      const flight = flying();
      scripted.script.push((shipment, limits) => {
        cuts.add(limits.cut);
        return flight.fly(shipment, limits);
      });
      return execute(transfer({ amount: `${index + 1}` }), engine);
    });
    await expect.poll(() => scripted.sent.length).toBe(12);
    await turns();
    second.abort();
    expect((await Promise.all(flights)).map(endOf)).toEqual(Array(12).fill('unknown'));
    expect([cuts.size, warned]).toEqual([1, []]);
  });

  test('ends the wait for another process, which goes on', async () => {
    const flight = flying();
    scripted.script.push(flight.fly);
    const other = execute(transfer(), scripted.engine());
    await turns();
    scripted.clock.onSleep = () => first.abort();
    const ended = await start();
    expect(ended.is).toBe('still-sending');
    expect(await exitOf(ended)).toBe(9);
    flight.land(paid);
    expect(endOf(await other)).toBe('accepted');
  });
});

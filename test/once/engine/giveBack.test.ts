import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Claim, claim } from '../../../src/once/engine/claim.ts';
import type { EngineContext } from '../../../src/once/engine/context.ts';
import { giveBack } from '../../../src/once/engine/record.ts';
import type { Order } from '../../../src/once/intent/naming.ts';
import {
  endOf,
  lost,
  message,
  noRetries,
  once,
  posted,
  ScriptedEngine,
} from '../../../testing/scriptedEngine.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

const hello = message('Hello', once('greeting'));

async function claimOf(order: Order, engine: EngineContext): Promise<Claim> {
  const claimed = await claim(order, engine);
  if (claimed.is !== 'claim') throw new Error(`it was not claimed but ended ${endOf(claimed)}`);
  return claimed;
}

/** Claims it, and ends its process without sending it. */
async function claimAndGiveBack(order: Order): Promise<Claim> {
  const engine = scripted.engine();
  const claimed = await claimOf(order, engine);
  await giveBack(claimed, engine);
  scripted.end(engine.journal);
  return claimed;
}

test('what was claimed and not sent is open again, and no doubt is left of it', async () => {
  const { intent } = await claimAndGiveBack(hello);
  await scripted.look(async (journal) => {
    expect(await journal.get(intent.id)).toMatchObject({ state: 'open', tainted: false, owner: undefined });
    expect(await journal.attemptsOf(intent.id)).toMatchObject([
      {
        number: 1,
        phase: 'not-sent',
        verdict: 'unsent',
        trouble: { is: 'given-back' },
        duplicate: false,
        verified: true,
      },
    ]);
  });
  expect(scripted.sent).toEqual([]);
  expect(endOf(await scripted.run(hello, [posted]))).toBe('accepted');
  expect(scripted.sent.map(({ key }) => key)).toEqual([intent.key]);
});

test('what cannot be given back is not taken for given back', async () => {
  const engine = scripted.engine();
  const claimed = await claimOf(hello, engine);
  const endAttempt = async () => Promise.reject(new Error('disk full'));
  const commit: EngineContext['commit'] = (work) => engine.commit((tx) => work({ ...tx, endAttempt }));
  await expect(giveBack(claimed, { ...engine, commit })).rejects.toThrow('disk full');
});

test('what was in doubt before is in doubt again', async () => {
  await scripted.run(hello, [lost], noRetries);
  const { intent } = await claimAndGiveBack(hello);
  await scripted.look(async (journal) => {
    expect(await journal.get(intent.id)).toMatchObject({ state: 'unknown', tainted: true });
  });
});

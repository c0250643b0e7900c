import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execute } from '../../src/once/engine/execute.ts';
import type { Outcome } from '../../src/once/engine/outcome.ts';
import { Failure } from '../../src/once/failures.ts';
import { allOf } from '../support/journals.ts';
import { type CuttableProxy, startCuttableProxy } from '../support/postgres/cuttableProxy.ts';
import type { Side } from '../support/postgres/messages.ts';
import type { How } from '../support/postgres/passage.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { onShared, scriptedEngines, shortSleep } from '../support/postgres/sharedEngine.ts';
import { newSharedPlace, openShared, type SharedPlace } from '../support/postgres/sharedJournal.ts';
import { silence, upForLong } from '../support/postgres/silence.ts';
import { endOf, once, paid, type ScriptedEngine, transfer } from '../support/scriptedEngine.ts';

const newEngine = scriptedEngines();

const strandedMs = 60;

/** The end of what is asked, or of what is answered; and the first word of all, which has no type. */
function isQuestionOrAnswer(from: Side, message: Buffer): boolean {
  const type = String.fromCharCode(message[0] ?? 0);
  return from === 'client' ? ['\0', 'Q', 'S'].includes(type) : type === 'Z';
}

/** Breaks what was said at this place of the next conversation, both sides counted; then it counts on. */
let proxy: CuttableProxy;
let countdown = Number.POSITIVE_INFINITY;
let how: How = 'cut';
let passed = 0;
beforeAll(async () => {
  proxy = await startCuttableProxy((await sharedServer()).port, (from, message) => {
    if (!isQuestionOrAnswer(from, message)) return message;
    passed += 1;
    countdown -= 1;
    if (countdown === 0) {
      proxy.now(how);
      if (how === 'strand') setTimeout(() => proxy.release(), strandedMs);
    }
    return message;
  });
});
afterAll(() => proxy.close());

/** Each pays another amount: equal payments would stand in each other’s way. */
const payment = (name: string) => transfer({ amount: `${2 + Number(name.split(' ')[1])}` }, once(name));

/** One whole command: connect, send, leave. */
async function command(name: string, place: SharedPlace, scripted: ScriptedEngine): Promise<Outcome> {
  const journal = await openShared(place, { patience: { sleep: shortSleep } });
  try {
    scripted.script.splice(0, scripted.script.length, paid, paid, paid);
    return await execute(
      payment(name),
      scripted.engine({ ...onShared(journal), limits: { maxWaitMs: 500 } }),
    );
  } finally {
    await journal.close();
  }
}

async function commandBrokenAt(
  at: number,
  as: How,
  place: SharedPlace,
  scripted: ScriptedEngine,
): Promise<string> {
  passed = 0;
  countdown = at;
  how = as;
  try {
    return endOf(await command(`${as} ${at}`, { ...place, url: proxy.through(place.url) }, scripted));
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  } finally {
    countdown = Number.POSITIVE_INFINITY;
  }
}

/** Breaks each of these, one command for each; then the same command again must find what was done. */
async function breakEach(as: How, places: (messages: number) => readonly number[]): Promise<string[]> {
  const place = await newSharedPlace();
  await upForLong(place.url, place.schema);
  // The second one is as all later ones: the first has nothing to look for that was noted.
  for (const whole of [0, -1]) await commandBrokenAt(whole, as, place, newEngine());
  const broken = places(passed);
  const ends: string[] = [];
  for (const at of broken) {
    const scripted = newEngine();
    const first = await commandBrokenAt(at, as, place, scripted);
    ends.push(first);
    // Nothing was sent, or what came back could not be recorded.
    expect([at, scripted.sent.length]).toEqual([at, first === 'journal-unreachable' ? 0 : 1]);
    await silence(place.url, undefined, place.schema);
    const again = endOf(await command(`${as} ${at}`, place, scripted));
    // Nobody said whether what came back is on record.
    const found = first === 'not-recorded' ? /accepted$/u : /^accepted$/u;
    expect([at, again]).toEqual([
      at,
      first === 'accepted' ? 'replayed accepted' : expect.stringMatching(found),
    ]);
    expect([at, new Set(scripted.sent.map(({ key }) => key)).size]).toEqual([at, 1]);
  }
  const { reads } = await openShared(place);
  const entries = await allOf(reads.select({ limit: 1000 }));
  expect(entries.map(({ state }) => state)).toEqual(
    Array.from({ length: broken.length + 2 }, () => 'accepted'),
  );
  return ends;
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

describe('a connection that breaks', () => {
  test('at any word of a command never makes two of one, nor loses one', async () => {
    const ends = await breakEach('cut', upTo);
    expect(ends.length).toBeGreaterThan(30);
    expect(new Set(ends)).toEqual(new Set(['journal-unreachable', 'accepted', 'not-recorded']));
  });

  test('for this side alone, while its words reach the server later, does the same', async () => {
    const hello = 14;
    // Each costs a wait, so that only half of them are played: which half, the seed says.
    const odd = Number(process.env.BOTCTL_SEED ?? 0) % 2;
    const ends = await breakEach('strand', (messages) =>
      upTo(messages)
        .slice(hello)
        .filter((at) => at % 2 === odd),
    );
    expect(ends).toContain('accepted');
  });
});

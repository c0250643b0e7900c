import { setTimeout as after } from 'node:timers/promises';
import type { Side } from '../../../testing/postgres/messages.ts';
import type { How } from '../../../testing/postgres/passage.ts';
import type { Dice } from '../../dice.ts';
import type { Stage } from '../../play.ts';
import { shortened } from '../../told.ts';
import { shareOf } from '../technique.ts';
import { newDeed } from './deed.ts';
import { type Errand, errands, nameOf, prepare } from './errands.ts';
import { type Fleet, newScene, overFleet, seenOnce } from './fleet.ts';
import type { Harbour } from './harbour.ts';

/** One message of the conversation with the server: the n-th of that side. */
export type Spot = {
  readonly errand: Errand;
  readonly from: Side;
  readonly nth: number;
  readonly words: string;
};

/** Messages at which something starts or ends: start-up, password, query, Sync, and the server's “ready”. */
const telling: Readonly<Record<Side, string>> = { client: '\0pQS', server: 'Z' };

/** Those messages in an undisturbed command, from first to last. */
export function spotsOf(errand: Errand, fleet: Fleet): Promise<Spot[]> {
  return seenOnce(fleet, `spots of ${nameOf(errand)}${errand.kind}`, (harbour, stage) =>
    lookAtSpots(errand, harbour, stage),
  );
}

async function lookAtSpots(errand: Errand, harbour: Harbour, stage: Stage): Promise<Spot[]> {
  const scene = await newScene('not cut', newDeed(errand.kind), harbour, stage);
  await prepare(errand, scene);
  harbour.takeMessages();
  scene.play.expectExit(await scene.run(0), 0);
  const counts: Record<Side, number> = { client: 0, server: 0 };
  const spots = harbour.takeMessages().flatMap(({ from, message }): Spot[] => {
    counts[from] += 1;
    const isTelling = telling[from].includes(message.toString('latin1', 0, 1));
    const words = message
      .toString('latin1')
      .replaceAll(/[^ -~]+/gu, ' ')
      .trim()
      .slice(0, 40);
    return isTelling ? [{ errand, from, nth: counts[from], words }] : [];
  });
  await scene.settle();
  return spots;
}

type Cut = { readonly spot: Spot; readonly how: How; readonly dice: Dice };

const ways: Readonly<Record<How, string>> = {
  cut: 'the connection cut',
  strand: 'the connection cut for the machine alone',
  hold: 'the machine cut off from the server, in silence,',
};

/** Breaks the connection there. With `strand` the server gets the rest late; with `hold` another machine goes on. */
async function cutAt({ spot, how, dice }: Cut, harbour: Harbour, stage: Stage): Promise<void> {
  const { errand, from, nth, words } = spot;
  const where = `${nameOf(errand)}${ways[how]} at message ${nth} of the ${from} (${words})`;
  const scene = await newScene(where, newDeed(errand.kind), harbour, stage);
  await prepare(errand, scene);
  const { proxy, url } = harbour;
  // Of a connection that is cut as well, the answer that was under way never comes.
  const first = how === 'hold' && dice.below(2) === 0 ? 'cut' : how;
  const broken = proxy.when({ from, has: '', nth }, first).then(() => {
    // Not one connection: the whole machine, with those to come.
    if (how === 'hold') proxy.now('hold');
  });
  const running = scene.run(0, { isOneOfMany: how === 'hold' });
  const isBroken = await Promise.race([broken.then(() => true), running.then(() => false)]);
  proxy.disarm();
  if (isBroken && how === 'hold')
    scene.play.expectExit(await scene.run(1, { isOneOfMany: true, env: { BOTCTL_JOURNAL: url } }), 0);
  else if (isBroken) await after(dice.below(1200));
  const before = scene.requests;
  proxy.release();
  const ran = await running;
  scene.play.expectExit(ran, 0, 8, 9, 11);
  if (isBroken && how === 'hold' && scene.requests > before)
    scene.play.wrong(`it made a request after others had done it: ${shortened(ran)}`);
  await scene.settle();
}

const hows: readonly How[] = ['cut', 'strand'];
/** Silence takes a while, so only one place in this many is tried. */
const silentEvery = 5;

/** Breaks the connection to the server in each phase, from the first message to the last. */
export async function playCut(fleet: Fleet): Promise<void> {
  const { arena } = fleet;
  const cuts: Cut[] = [];
  for (const errand of shareOf(errands, arena, 'errands cut')) {
    for (const [index, spot] of (await spotsOf(errand, fleet)).entries()) {
      const dice = arena.dice.for(`cut ${nameOf(errand)}${errand.kind} ${spot.from} ${spot.nth}`);
      const how = index % silentEvery === 0 ? 'hold' : (hows[index % hows.length] ?? 'cut');
      cuts.push({ spot, how, dice });
    }
  }
  await overFleet(fleet, shareOf(cuts, arena, 'machines cut'), cutAt);
}

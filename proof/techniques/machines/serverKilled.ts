import type { Dice } from '../../dice.ts';
import type { Stage } from '../../play.ts';
import { shareOf } from '../technique.ts';
import { spotsOf } from './cut.ts';
import { newDeed } from './deed.ts';
import { type Errand, errands, nameOf, prepare } from './errands.ts';
import { type Fleet, newScene, overFleet } from './fleet.ts';
import type { Harbour } from './harbour.ts';

type Crash = {
  readonly errand: Errand;
  readonly from: 'client' | 'server';
  readonly nth: number;
  readonly words: string;
  readonly dice: Dice;
};

/** Kills the server and all its children with kill -9 while this message is on its way, then restarts it. */
async function crashAt(
  { errand, from, nth, words, dice }: Crash,
  harbour: Harbour,
  stage: Stage,
): Promise<void> {
  // What somebody else commits meanwhile takes what this one has written to the disk with it.
  const inCompany = !words.includes('COMMIT') && dice.below(2) === 0;
  const where = `${nameOf(errand)}the server killed ${inCompany ? 'under two ' : ''}at message ${nth} of the ${from} (${words})`;
  const scene = await newScene(where, newDeed(errand.kind), harbour, stage);
  await prepare(errand, scene);
  const { proxy, server } = harbour;
  const held = proxy.when({ from, has: '', nth }, 'hold');
  const first = scene.run(0, { isOneOfMany: true });
  const other = inCompany ? scene.run(1, { isOneOfMany: true }) : undefined;
  const isHeld = await Promise.race([held.then(() => true), first.then(() => false)]);
  proxy.disarm();
  if (isHeld) {
    await server.crashAndRestart();
    await meanwhile(harbour);
  }
  proxy.release();
  scene.play.expectExit(await first, 0, 8, 9, 11);
  if (other !== undefined) scene.play.expectExit(await other, 0, 8, 9, 11);
  await scene.settle();
}

/** Uses up the transaction numbers that the server has forgotten. */
async function meanwhile({ server, url }: Harbour): Promise<void> {
  await server.query(`CREATE TABLE IF NOT EXISTS public.meanwhile (at timestamptz)`, [], url);
  for (let turn = 0; turn < 3; turn += 1)
    await server.query('INSERT INTO public.meanwhile VALUES (now())', [], url);
}

/** The server is killed and restarted during running commands. */
export async function playServerKilled(fleet: Fleet): Promise<void> {
  const { arena } = fleet;
  const crashes: Crash[] = [];
  for (const errand of shareOf(errands, arena, 'errands cut')) {
    for (const [index, { from, nth, words }] of (await spotsOf(errand, fleet)).entries()) {
      const isCommit = words.includes('COMMIT');
      if (!isCommit && index % 12 !== 0) continue;
      const dice = arena.dice.for(`server killed ${nameOf(errand)}${errand.kind} ${from} ${nth}`);
      crashes.push({ errand, from, nth, words, dice });
    }
  }
  await overFleet(fleet, shareOf(crashes, arena, 'server killed'), crashAt);
}

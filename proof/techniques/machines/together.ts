import { setTimeout as after } from 'node:timers/promises';
import { playEach, type Stage, shareOf } from '../../arena.ts';
import { onceOnly } from '../../jobs.ts';
import { lostReply } from '../../play.ts';
import type { Ran } from '../../run.ts';
import { toldBy } from '../../told.ts';
import { closeMeanwhile } from '../closing.ts';
import { type DeedKind, deedKinds, twinOf } from './deeds.ts';
import { type Fleet, newScene } from './fleet.ts';
import type { Harbour } from './harbour.ts';
import { endsInCompany, type Machine, type Scene } from './scene.ts';

const beforeTheLocks = 'ask BEGIN ISOLATION LEVEL read committed; SE';
const afterTheLook = 'ask begin';

/** The second looks when the first has looked and is about to store it. */
async function atTheSameStep(
  scene: Scene,
  first: readonly string[],
  second: readonly string[],
): Promise<[Ran, Ran]> {
  const held = async (step: string, machine: Machine, argv: readonly string[]) => {
    const home = scene.harbour.homes[machine];
    const { stdin } = scene.deed;
    const one = await scene.held(step, argv, { home, stdin, isOneOfMany: true });
    if (one.step === undefined) scene.unmet(`it never came to ${step}`);
    return one;
  };
  const [one, other] = await Promise.all([held(afterTheLook, 0, first), held(beforeTheLocks, 1, second)]);
  const ended = other.goOn();
  while (!other.isOver() && !(await isSomebodyWaiting(scene.harbour))) await after(10);
  return Promise.all([one.goOn(), ended]);
}

async function isSomebodyWaiting({ server, url }: Harbour): Promise<boolean> {
  const locks = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
  return (await server.query(locks, [], url)).length > 0;
}

/** The same command on two machines at once: one is about to start it while the other checks for it. */
async function sameAtOnce(kind: DeedKind, fleet: Fleet, stage: Stage): Promise<void> {
  const scene = await newScene('two machines at the same step', { kind }, fleet, stage);
  const { argv } = scene.deed;
  for (const ran of await atTheSameStep(scene, argv, argv)) scene.expectExit(ran, ...endsInCompany);
  await scene.settle();
}

/** The same payment under two names. The first gets no proof, so the second must not be sent. */
async function twinsAtOnce(fleet: Fleet, stage: Stage): Promise<void> {
  const where = 'two names of the same payment at the same step';
  const scene = await newScene(where, { kind: 'a transfer by name', faults: [lostReply] }, fleet, stage);
  const [first, second] = await atTheSameStep(scene, onceOnly(scene.deed.argv), twinOf(scene.deed));
  // On a slow day its claim is too old at the door, or it counts as dead, and nothing of it leaves: then the other is
  // the payment.
  if (toldBy(first).outcome === 'open') return scene.over(1);
  scene.expectExit(first, 9);
  scene.expectExit(second, 10);
  await scene.settle();
}

type Four = { readonly kind: DeedKind; readonly diesAt?: number };

/** All four machines at the same moment, with one reply lost; or one is killed, and the others go on with its rows. */
async function fourAtOnce({ kind, diesAt }: Four, fleet: Fleet, stage: Stage): Promise<void> {
  const isKilled = diesAt !== undefined;
  const where = `four machines at once${isKilled ? `, one killed at step ${diesAt}` : ''}`;
  const scene = await newScene(where, { kind, ...(isKilled ? {} : { faults: [lostReply] }) }, fleet, stage);
  const { argv, stdin } = scene.deed;
  const options = { stdin, isOneOfMany: true };
  const all = [
    isKilled ? scene.dying(diesAt, argv, options) : scene.on(0, options),
    ...([1, 2, 3] as const).map((machine) => scene.on(machine, options)),
  ];
  for (const ran of (await Promise.all(all)).slice(isKilled ? 1 : 0)) scene.expectExit(ran, ...endsInCompany);
  await scene.settle();
}

/** The journal is closed on one machine and opened on another, while three run one batch. */
async function closedMeanwhile(whenDone: number, fleet: Fleet, stage: Stage): Promise<void> {
  const faults = whenDone % 2 === 0 ? [lostReply] : [];
  const scene = await newScene('a journal that is closed', { kind: 'a long batch', faults }, fleet, stage);
  const machines = scene.harbour.homes.slice(0, 3).map((home) => ({ home }));
  await closeMeanwhile(scene.deed, 4, whenDone, scene, machines);
}

export async function playTogether(fleet: Fleet): Promise<void> {
  const turns = Array.from({ length: 6 }, (_, turn) => turn);
  const fours: Four[] = [
    ...turns.map((turn): Four => {
      return { kind: 'a long batch', diesAt: fleet.dice.for(`shared batch ${turn}`).below(90) + 20 };
    }),
    ...[1, 2, 3].flatMap(() => deedKinds.map((kind): Four => ({ kind }))),
  ];
  const single = deedKinds.filter((kind) => !kind.includes('batch'));
  const all: ((stage: Stage) => Promise<void>)[] = [
    ...turns.map(() => (stage: Stage) => twinsAtOnce(fleet, stage)),
    ...fours.map((four) => (stage: Stage) => fourAtOnce(four, fleet, stage)),
    ...turns.map((turn) => (stage: Stage) => closedMeanwhile(5 * turn + (turn % 2), fleet, stage)),
    ...single.map((kind) => (stage: Stage) => sameAtOnce(kind, fleet, stage)),
  ];
  await playEach(fleet, shareOf(all, fleet, 'together'), (one, stage) => one(stage));
}

import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { FaultSpec } from '../../../testing/sandbox.ts';
import type { Stage } from '../../play.ts';
import type { Ran } from '../../run.ts';
import { toldBy } from '../../told.ts';
import { type Arena, shareOf } from '../technique.ts';
import { type DeedKind, deedKinds, newDeed, onceOnly, twinOf, unnamedTransfer } from './deed.ts';
import { type Fleet, newScene, overFleet } from './fleet.ts';
import type { Harbour } from './harbour.ts';
import { endsInCompany, type Scene } from './scene.ts';

/** A command that is held at a step until it may go on. */
type Held = { readonly ran: Promise<Ran>; isOver(): boolean; goOn(): void };

async function heldAt(step: string, scene: Scene, machine: 0 | 1, argv: readonly string[]): Promise<Held> {
  const folder = mkdtempSync(join(scene.machine(machine).path, 'held-'));
  const { stdin } = scene.deed;
  let isOver = false;
  const ran = scene.play.run(argv, scene.machine(machine), {
    program: scene.stage.programs.hooked,
    env: { BOTCTL_PROOF_DIE_AT: step, BOTCTL_PROOF_HOLD: folder },
    isOneOfMany: true,
    ...(stdin === undefined ? {} : { stdin }),
  });
  void ran.finally(() => {
    isOver = true;
  });
  while (!isOver && !existsSync(join(folder, 'held'))) await after(10);
  if (isOver) {
    await ran;
    scene.play.unmet(`it never came to ${step}`);
  }
  return { ran, isOver: () => isOver, goOn: () => writeFileSync(join(folder, 'go'), '') };
}

const beforeTheLocks = 'ask BEGIN ISOLATION LEVEL read committed; SE';
const afterTheLook = 'ask begin';

/** The second looks when the first has looked and is about to store it. */
async function atTheSameStep(
  scene: Scene,
  first: readonly string[],
  second: readonly string[],
): Promise<[Ran, Ran]> {
  const [one, other] = await Promise.all([
    heldAt(afterTheLook, scene, 0, first),
    heldAt(beforeTheLocks, scene, 1, second),
  ]);
  other.goOn();
  while (!other.isOver() && !(await isSomebodyWaiting(scene.harbour))) await after(10);
  one.goOn();
  return Promise.all([one.ran, other.ran]);
}

async function isSomebodyWaiting({ server, url }: Harbour): Promise<boolean> {
  const waiting = await server.query(
    `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
    [],
    url,
  );
  return waiting.length > 0;
}

/** The same command on two machines at once: one is about to start it while the other checks for it. */
async function sameAtOnce(kind: DeedKind, harbour: Harbour, stage: Stage): Promise<void> {
  const scene = await newScene('two machines at the same step', newDeed(kind), harbour, stage);
  const { argv } = scene.deed;
  for (const ran of await atTheSameStep(scene, argv, argv)) scene.play.expectExit(ran, ...endsInCompany);
  await scene.settle();
}

const lost: FaultSpec = { kind: 'drop', when: 'after' };

/** The same payment in two runs. The first gets no proof, so the second must not be sent. */
async function twinsAtOnce(harbour: Harbour, stage: Stage): Promise<void> {
  const deed = newDeed('a transfer of a run');
  const scene = await newScene('two runs of the same payment at the same step', deed, harbour, stage);
  await stage.lane.service.faults(lost);
  const hasty = onceOnly(deed.argv);
  const [first, second] = await atTheSameStep(scene, hasty, twinOf(deed));
  // On a slow day its claim is too old at the door, or it counts as dead, and nothing of it leaves: then the other is
  // the payment.
  if (toldBy(first).outcome === 'open') return scene.play.over(1);
  scene.play.expectExit(first, 9);
  scene.play.expectExit(second, 10);
  await scene.settle();
}

/** All four machines at the same moment, with one reply lost. */
async function fourAtOnce(kind: DeedKind, harbour: Harbour, stage: Stage): Promise<void> {
  const scene = await newScene('four machines at once', newDeed(kind), harbour, stage);
  await stage.lane.service.faults(lost);
  const all = await Promise.all(
    ([0, 1, 2, 3] as const).map((machine) => scene.run(machine, { isOneOfMany: true })),
  );
  for (const ran of all) scene.play.expectExit(ran, ...endsInCompany);
  await scene.settle();
}

/** A batch on four machines at once. One is killed, and the others continue with its rows. */
async function sharedAndKilled(step: number, harbour: Harbour, stage: Stage): Promise<void> {
  const deed = newDeed('a long batch');
  const scene = await newScene(`on four machines, one killed at step ${step}`, deed, harbour, stage);
  const hooks = { BOTCTL_PROOF_DIE_AT: String(step) };
  const [, ...others] = await Promise.all([
    scene.run(0, { program: stage.programs.hooked, env: hooks, isOneOfMany: true }),
    ...([1, 2, 3] as const).map((machine) => scene.run(machine, { isOneOfMany: true })),
  ]);
  for (const ran of others) scene.play.expectExit(ran, ...endsInCompany);
  await scene.settle();
}

/** Unnamed requests look alike on all machines, so a transfer is refused and nothing is sent. */
async function unnamedRefused(harbour: Harbour, stage: Stage): Promise<void> {
  const scene = await newScene('on a shared journal', unnamedTransfer(), harbour, stage);
  for (const machine of [0, 1] as const) {
    const ran = await scene.run(machine);
    scene.play.expectExit(ran, 2);
    if (!ran.stdout.includes('unnamed-shared')) scene.play.wrong(`it does not say why: ${ran.stdout}`);
  }
  await scene.play.over(0);
}

type Together = (harbour: Harbour, stage: Stage) => Promise<void>;

const rounds = 6;

function everyOther({ dice }: Arena): Together[] {
  const turns = Array.from({ length: rounds }, (_, turn) => turn);
  const inTurn = (least: number): DeedKind[] => turns.slice(0, least).flatMap(() => deedKinds);
  const single = deedKinds.filter((kind) => !kind.includes('batch'));
  return [
    ...turns.map(() => twinsAtOnce),
    ...turns.slice(0, 2).map(() => unnamedRefused),
    ...turns.map((turn): Together => {
      const step = dice.for(`shared batch ${turn}`).below(90) + 20;
      return (harbour, stage) => sharedAndKilled(step, harbour, stage);
    }),
    ...inTurn(3).map(
      (kind): Together =>
        (harbour, stage) =>
          fourAtOnce(kind, harbour, stage),
    ),
    ...single.map(
      (kind): Together =>
        (harbour, stage) =>
          sameAtOnce(kind, harbour, stage),
    ),
  ];
}

export async function playTogether(fleet: Fleet): Promise<void> {
  const { arena } = fleet;
  await overFleet(fleet, shareOf(everyOther(arena), arena, 'together'), (one, harbour, stage) =>
    one(harbour, stage),
  );
}

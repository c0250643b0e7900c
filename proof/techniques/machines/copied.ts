import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from '../../play.ts';
import type { Ran } from '../../run.ts';
import { shortened } from '../../told.ts';
import { shareOf } from '../technique.ts';
import { type Spot, spotsOf } from './cut.ts';
import { type DeedKind, newDeed } from './deed.ts';
import { type Fleet, newScene, overFleet, seenOnce } from './fleet.ts';
import type { Harbour } from './harbour.ts';
import type { Scene } from './scene.ts';
import { stoppedAt } from './stopped.ts';

/** Their keys come from their names: the same in every journal. */
const kinds = ['a message by name', 'a transfer by key', 'a batch'] as const satisfies readonly DeedKind[];

/** A machine with a journal in a file of its own does it there first. */
async function doneInFile(scene: Scene): Promise<string> {
  const file = join(scene.machine(3).path, `${scene.deed.argv.join(' ').replaceAll(/\W+/gu, '')}.db`);
  scene.play.expectExit(await scene.run(3, { env: { BOTCTL_JOURNAL: file } }), 0);
  return file;
}

const copying = (file: string): string[] => ['journal', 'copy', file, '--yes', '--json'];

function copy(file: string, scene: Scene): Promise<Ran> {
  return scene.play.run(copying(file), scene.machine(3), { env: { BOTCTL_JOURNAL: scene.harbour.url } });
}

/** `step` is a step of the copy, which stops there until the command has ended; without one, it is made at once. */
type Beside = { readonly spot: Spot; readonly step: number | undefined };

/** The same command waits at a message for the server, and goes on while the file is copied, or once it is there. */
async function copyBeside({ spot, step }: Beside, harbour: Harbour, stage: Stage): Promise<void> {
  const { errand, from, nth, words } = spot;
  const until = step === undefined ? 'there' : `at its step ${step}`;
  const where = `waiting at message ${nth} of the ${from} (${words}) until a copy of a file is ${until}`;
  const scene = await newScene(where, newDeed(errand.kind), harbour, stage);
  const file = await doneInFile(scene);
  const { proxy, url } = harbour;
  const held = proxy.when({ from, has: '', nth }, 'hold').then(() => proxy.now('hold'));
  const running = scene.run(0, { isOneOfMany: true });
  const isHeld = await Promise.race([held.then(() => true), running.then(() => false)]);
  proxy.disarm();
  const copied = await stoppedAt(String(step ?? never), scene, { argv: copying(file), machine: 3, url });
  const isBarred = await isBegun(harbour, file);
  const before = scene.requests;
  proxy.release();
  const ran = await running;
  scene.play.expectExit(ran, 0, 2, 8, 9, 11);
  if (isHeld && isBarred && scene.requests > before)
    scene.play.wrong(`it made a request of what was being copied: ${shortened(ran)}`);
  // Somebody sends, or has sent, through the server; or the copy stood still for too long in a transaction.
  scene.play.expectExit(await copied.goOn(), 0, 2, 6, 8);
  if (isBarred) scene.play.expectExit(await copy(file, scene), 0);
  await over(scene);
}

const never = 0;

/** Whether a copy of this file was begun, and perhaps ended. */
async function isBegun({ server, url }: Harbour, file: string): Promise<boolean> {
  const sql = `SELECT FROM botctl.losses WHERE what = 'copying' AND detail LIKE '%' || $1`;
  return (await server.query(sql, [file], url)).length > 0;
}

/** Requests that were made from the file are on record there only, where it was not copied. */
async function over(scene: Scene): Promise<void> {
  scene.play.expectExit(await scene.run(2), 0);
  await scene.journaled(true, true);
  await scene.play.over(scene.deed.expected);
}

/** The steps of an undisturbed copy, without the last one. */
function stepsOfCopy(fleet: Fleet): Promise<string[]> {
  return seenOnce(fleet, 'steps of a copy', async (harbour, stage) => {
    const scene = await newScene('copied undisturbed', newDeed('a batch'), harbour, stage);
    const file = await doneInFile(scene);
    const steps = join(scene.machine(3).path, 'steps of a copy');
    const ran = await scene.play.run(copying(file), scene.machine(3), {
      program: stage.programs.hooked,
      env: { BOTCTL_JOURNAL: harbour.url, BOTCTL_PROOF_STEPS: steps },
    });
    scene.play.expectExit(ran, 0);
    await scene.settle();
    return existsSync(steps) ? readFileSync(steps, 'utf8').split('\n') : [];
  });
}

type Killed = { readonly at: number; readonly name: string; readonly isGivenUp: boolean };

/** kill -9 there. Others send nothing of what is not there yet, until it is run again, or given up. */
async function killCopy({ at, name, isGivenUp }: Killed, harbour: Harbour, stage: Stage): Promise<void> {
  const where = `copied from a file, killed at step ${at} (${name}), ${isGivenUp ? 'given up' : 'run again'}`;
  const scene = await newScene(where, newDeed('a batch'), harbour, stage);
  const file = await doneInFile(scene);
  const ran = await scene.play.run(copying(file), scene.machine(3), {
    program: stage.programs.hooked,
    env: { BOTCTL_JOURNAL: harbour.url, BOTCTL_PROOF_DIE_AT: String(at) },
  });
  if (ran.signal !== 'SIGKILL' && ran.code !== 0)
    scene.play.unmet(`it was to be killed, but ended with ${ran.code}`);
  const keys = new Set((await scene.effects()).map(({ key }) => key));
  const isThere = (await harbour.kept()).some(({ key }) => keys.has(key));
  const before = scene.requests;
  const other = await scene.run(1);
  scene.play.expectExit(other, 0, 2);
  if ((isThere || other.code === 2) && scene.requests > before)
    scene.play.wrong(`it made a request of what was being copied: ${shortened(other)}`);
  if (isGivenUp && other.code === 2) {
    const given = ['journal', 'accept-loss', '--yes', '--json'];
    scene.play.expectExit(await scene.play.run(given, scene.machine(1)), 0);
  } else scene.play.expectExit(await copy(file, scene), 0);
  await over(scene);
}

/** A message is like the next: one in so many is tried. */
const spotEvery = 3;

/** A file is copied into the shared journal, beside a command that does the same, and by a process that is killed. */
export async function playCopied(fleet: Fleet): Promise<void> {
  const { arena } = fleet;
  const steps = await stepsOfCopy(fleet);
  const isCommit = (name: string): boolean => name.startsWith('ask COMMIT');
  const [first, last] = [steps.findIndex(isCommit) + 1, steps.findLastIndex(isCommit) + 1];
  const besides: Beside[] = [];
  for (const kind of shareOf(kinds, arena, 'kinds copied'))
    for (const [index, spot] of (await spotsOf({ kind }, fleet)).entries()) {
      const dice = arena.dice.for(`copied ${kind} ${spot.from} ${spot.nth}`);
      // From the commit that begins it to the one that ends it.
      const step = index % 4 === 0 ? undefined : first + 1 + dice.below(last - first);
      if (index % spotEvery === 0) besides.push({ spot, step });
    }
  await overFleet(fleet, shareOf(besides, arena, 'copied beside'), copyBeside);
  const killed = steps.map((name, index) => ({
    ...{ at: index + 1, name, isGivenUp: index % 3 === 2 },
  }));
  await overFleet(fleet, shareOf(killed, arena, 'copies killed'), killCopy);
}

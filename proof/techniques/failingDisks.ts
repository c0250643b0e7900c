import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../testing/home.ts';
import { overLanes } from '../lane.ts';
import { command, operations, Play, type Stage } from '../play.ts';
import type { Tally } from '../tally.ts';
import { usedMachine } from './stories.ts';
import { type Arena, isSlice } from './technique.ts';

/** Mounts a separate disk for the data folder. Needs root and the right to mount. */
function mounted(home: Home, sizeKb: number): (() => void) | undefined {
  const folder = join(home.path, 'data');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    const options = `size=${sizeKb}k,mode=0700`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const unmount = (): void => {
    execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
  };
  process.once('exit', unmount);
  return () => {
    process.off('exit', unmount);
    unmount();
  };
}

/** A disk that is full at some point of the run, then larger: the failed work is then done. */
async function onSmallDisk(sizeKb: number, operation: 'message' | 'transfer', stage: Stage): Promise<void> {
  const { lane, tally } = stage;
  await lane.service.fresh();
  const play = new Play(`${operation} on a disk of ${sizeKb} KiB`, stage);
  const home = lane.home();
  const unmount = mounted(home, sizeKb);
  if (unmount === undefined) {
    tally.note('small and read-only disks', 'left out, because this user may not mount any');
    return;
  }
  try {
    const words = command(operation);
    const ran = await play.run(words, home);
    play.expectExit(ran, 0, 1, 9);
    if (ran.code === 1 && (await lane.service.effects()).length > 0)
      play.wrong('exit 1, and it had happened');
    execFileSync('mount', ['-o', 'remount,size=16m', join(home.path, 'data')], { stdio: 'ignore' });
    await play.journaled(home);
    play.expectExit(await play.run(words, home), 0);
    await play.over(1);
  } finally {
    unmount();
    home.remove();
  }
}

async function onReadOnlyDisk(operation: 'message' | 'transfer', stage: Stage): Promise<void> {
  const { lane } = stage;
  await lane.service.fresh();
  const play = new Play(`${operation} on a read-only disk`, stage);
  const home = lane.home();
  const unmount = mounted(home, 4096);
  if (unmount === undefined) return;
  const remount = (how: string): void => {
    execFileSync('mount', ['-o', `remount,${how}`, join(home.path, 'data')], { stdio: 'ignore' });
  };
  try {
    const words = command(operation);
    const meant = operation === 'transfer' ? ['--repeat'] : [];
    remount('ro');
    play.expectExit(await play.run(words, home), 1);
    if ((await lane.service.effects()).length > 0) play.wrong('something was sent without a journal');
    remount('rw');
    play.expectExit(await play.run(words, home), 0);
    remount('ro');
    play.expectExit(await play.run(command(operation, '--once', 'more', ...meant), home), 1);
    remount('rw');
    await play.over(1);
  } finally {
    unmount();
    home.remove();
  }
}

/** A folder that its user may not write to. Not for root, which may write anywhere. */
async function inClosedFolder(stage: Stage): Promise<void> {
  if (process.getuid?.() === 0) return;
  const { lane } = stage;
  await lane.service.fresh();
  const play = new Play('in a read-only folder', stage);
  const home = lane.home();
  const folder = join(home.path, 'data', 'botctl');
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o500);
  play.expectExit(await play.run(command('message'), home), 1);
  chmodSync(folder, 0o700);
  play.expectExit(await play.run(command('message'), home), 0);
  await play.over(1);
  home.remove();
}

/** No file may grow beyond the limit, least of all the journal. */
async function underFileLimit(blocks: number, used: string, stage: Stage): Promise<void> {
  const { lane } = stage;
  await lane.service.fresh();
  const play = new Play(`no file beyond ${blocks} KiB`, stage);
  const home = lane.home();
  cpSync(used, home.path, { recursive: true });
  const words = command('transfer', '--once', 'under-limit');
  const ran = await play.run(words, home, {
    under: ['bash', '-c', `ulimit -f ${blocks}; exec "$@"`, 'limited'],
  });
  if (ran.code === null) play.wrong(`it was ended by ${ran.signal}`);
  if (ran.code === 1 && (await lane.service.effects()).length > 0) play.wrong('exit 1, and it had happened');
  await play.journaled(home);
  play.expectExit(await play.run(words, home), 0);
  await play.over(1);
  home.remove();
}

const smallDisks = [4, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 144, 160, 192, 224, 256, 320];
const fileLimits = [0, 1, 4, 16, 32, 48, 64, 80, 96, 128, 256];

export async function playDisks(arena: Arena, tally: Tally): Promise<void> {
  const [lane] = arena.lanes;
  if (lane === undefined) return;
  const used = (await usedMachine(lane, tally, arena)).path;
  const few = isSlice(arena);
  const cases: readonly ((stage: Stage) => Promise<void>)[] = [
    ...(few ? arena.dice.sample(smallDisks, 1) : smallDisks).flatMap((sizeKb) =>
      operations.map((operation) => (stage: Stage) => onSmallDisk(sizeKb, operation, stage)),
    ),
    ...operations.map((operation) => (stage: Stage) => onReadOnlyDisk(operation, stage)),
    inClosedFolder,
    ...(few ? arena.dice.sample(fileLimits, 1) : fileLimits).map(
      (blocks) => (stage: Stage) => underFileLimit(blocks, used, stage),
    ),
  ];
  await overLanes({ lanes: [lane], pace: arena.pace }, tally, cases, (play, _lane, own) =>
    play({ lane, tally: own, programs: arena.programs, isDiskFailing: true }),
  );
}

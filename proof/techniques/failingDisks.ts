import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../test/support/home.ts';
import { type Arena, isSlice, playEach, type Stage } from '../arena.ts';
import { command, type Operation, operations } from '../jobs.ts';
import { begin, type Play } from '../play.ts';
import { usedMachine } from './stories.ts';

function mount(folder: string, ...options: readonly string[]): void {
  execFileSync('mount', [...options, folder], { stdio: 'ignore' });
}

/** Plays with a separate disk for the data folder. Needs root and the right to mount. */
async function onDisk(
  sizeKb: number,
  play: Play,
  work: (remount: (how: string) => void) => Promise<void>,
): Promise<void> {
  const folder = join(play.home.path, 'data');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    mount(folder, '-t', 'tmpfs', '-o', `size=${sizeKb}k,mode=0700`, 'tmpfs');
  } catch {
    play.stage.tally.note('small and read-only disks', 'left out, because this user may not mount any');
    return;
  }
  const unmount = (): void => void execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
  process.once('exit', unmount);
  try {
    await work((how) => mount(folder, '-o', `remount,${how}`));
  } finally {
    process.off('exit', unmount);
    unmount();
  }
}

async function mayNotHaveSent(play: Play): Promise<void> {
  if ((await play.effects()).length > 0) play.wrong('exit 1, and it had happened');
}

/** A disk that is full at some point of the run, then larger: the failed work is then done. */
async function onSmallDisk(sizeKb: number, operation: Operation, stage: Stage): Promise<void> {
  const play = await begin(`${operation} on a disk of ${sizeKb} KiB`, stage);
  await onDisk(sizeKb, play, async (remount) => {
    const words = command(operation);
    const ran = await play.run(words);
    play.expectExit(ran, 0, 1, 9);
    if (ran.code === 1) await mayNotHaveSent(play);
    remount('size=16m');
    await play.journaled();
    play.expectExit(await play.run(words), 0);
    await play.over(1);
  });
}

async function onReadOnlyDisk(operation: Operation, stage: Stage): Promise<void> {
  const play = await begin(`${operation} on a read-only disk`, stage);
  await onDisk(4096, play, async (remount) => {
    const words = command(operation);
    const meant = operation === 'transfer' ? ['--repeat'] : [];
    remount('ro');
    play.expectExit(await play.run(words), 1);
    await mayNotHaveSent(play);
    remount('rw');
    play.expectExit(await play.run(words), 0);
    remount('ro');
    play.expectExit(await play.run(command(operation, '--once', 'more', ...meant)), 1);
    remount('rw');
    await play.over(1);
  });
}

/** A folder that its user may not write to. Not for root, which may write anywhere. */
async function inClosedFolder(stage: Stage): Promise<void> {
  if (process.getuid?.() === 0) return;
  const play = await begin('in a read-only folder', stage);
  const folder = join(play.home.path, 'data', 'botctl');
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o500);
  play.expectExit(await play.run(command('message')), 1);
  chmodSync(folder, 0o700);
  play.expectExit(await play.run(command('message')), 0);
  await play.over(1);
}

/** No file may grow beyond the limit, least of all the journal. */
async function underFileLimit(blocks: number, used: Home, stage: Stage): Promise<void> {
  const play = await begin(`no file beyond ${blocks} KiB`, stage);
  cpSync(used.path, play.home.path, { recursive: true });
  const words = command('transfer', '--once', 'under-limit');
  const under = ['bash', '-c', `ulimit -f ${blocks}; exec "$@"`, 'limited'];
  const ran = await play.run(words, { under });
  if (ran.code === null) play.wrong(`it was ended by ${ran.signal}`);
  if (ran.code === 1) await mayNotHaveSent(play);
  await play.journaled();
  play.expectExit(await play.run(words), 0);
  await play.over(1);
}

const smallDisks = [4, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 144, 160, 192, 224, 256, 320];
const fileLimits = [0, 1, 4, 16, 32, 48, 64, 80, 96, 128, 256];

export async function playDisks(arena: Arena): Promise<void> {
  const used = await usedMachine(arena);
  const some = (sizes: readonly number[]): readonly number[] =>
    isSlice(arena) ? arena.dice.sample(sizes, 1) : sizes;
  const cases: readonly ((stage: Stage) => Promise<void>)[] = [
    ...some(smallDisks).flatMap((sizeKb) =>
      operations.map((operation) => (stage: Stage) => onSmallDisk(sizeKb, operation, stage)),
    ),
    ...operations.map((operation) => (stage: Stage) => onReadOnlyDisk(operation, stage)),
    inClosedFolder,
    ...some(fileLimits).map((blocks) => (stage: Stage) => underFileLimit(blocks, used, stage)),
  ];
  await playEach(arena, cases, (play, stage) => play(stage));
}

import { accessSync, chmodSync, constants, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../errors.ts';
import { makeFolder, syncFolder } from '../machine/disk.ts';
import { type HeldLock, takeLock } from '../machine/fileLock.ts';
import { interruptedBeforeChange, profilesBusy, profilesNotWritable } from '../words/changeProfiles.ts';
import { diskTrouble } from '../words/disk.ts';
import { checkFolder, errorCode, readPrivate } from './privateFiles.ts';
import type { ProfilesFile } from './profilesFile.ts';
import { type ProfilesPaths, readProfiles } from './readProfiles.ts';

const sliceMs = 250;
const slices = 120;

/** Changes the profiles: read, changed and written under one lock, so that no other writer’s change is lost. */
export async function changeProfiles(
  paths: ProfilesPaths,
  change: (file: ProfilesFile) => ProfilesFile,
  interrupted: AbortSignal,
): Promise<ProfilesFile> {
  checkFolder(paths.folder);
  const lock = await lockStore(paths, interrupted);
  try {
    const before = readProfiles(paths);
    const after = change(before);
    if (JSON.stringify(before) !== JSON.stringify(after)) await write(paths, after);
    return after;
  } finally {
    lock.release();
  }
}

/** The lock waits without giving the event loop a turn, hence in slices: Ctrl-C must be heard. */
async function lockStore(paths: ProfilesPaths, interrupted: AbortSignal): Promise<HeldLock> {
  const path = join(paths.folder, 'config.lock');
  for (let slice = 0; slice < slices; slice += 1) {
    if (interrupted.aborted) throw interruptedBeforeChange();
    const lock = writing(paths, () => {
      if (makeFolder(paths.folder)) chmodSync(paths.folder, 0o700);
      // SQLite would only say that it cannot open a file.
      accessSync(paths.folder, constants.W_OK);
      return takeLock(path, sliceMs);
    });
    if (lock !== undefined) return lock;
    await nextTurn();
  }
  throw profilesBusy(slices * sliceMs, path);
}

/**
 * conf writes a draft, and only a draft that reads back whole takes the file's place: on a nearly full disk
 * conf's own write can come out short without an error, and inside a snap it is not atomic.
 */
async function write(paths: ProfilesPaths, file: ProfilesFile): Promise<void> {
  const { default: Conf } = await import('conf');
  const draft = join(paths.folder, 'draft.json');
  writing(paths, () => {
    try {
      removeDrafts(paths.folder);
      const conf = new Conf<Record<string, unknown>>({
        cwd: paths.folder,
        configName: 'draft',
        configFileMode: 0o600,
        clearInvalidConfig: false,
        accessPropertiesByDotNotation: false,
        serialize: serialized,
      });
      conf.store = file;
      chmodSync(draft, 0o600);
      assertWhole(draft, file);
      renameSync(draft, paths.file);
      syncFolder(paths.folder);
    } finally {
      removeDrafts(paths.folder);
    }
  });
}

/** Also what a killed writer left behind: a draft may hold tokens. */
function removeDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith('draft.json')) rmSync(join(folder, name), { force: true });
  }
}

function serialized(file: Record<string, unknown>): string {
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

function assertWhole(draft: string, file: ProfilesFile): void {
  if (readPrivate(draft)?.toString('utf8') === serialized(file)) return;
  throw Object.assign(new Error('only a part of the file was written'), { code: 'ENOSPC' });
}

/** What is there of a path: of a folder that could not be made, the one that it was to be made in. */
function nearestFolder(path: string): string {
  const above = dirname(path);
  return existsSync(path) || above === path ? path : nearestFolder(above);
}

function writing<Result>(paths: ProfilesPaths, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw profilesNotWritable({
      folder: paths.folder,
      nearest: nearestFolder(paths.folder),
      reason: diskTrouble(error),
      isFull: code === 'ENOSPC' || code === 'EDQUOT',
    });
  }
}

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../errors.ts';
import { type HeldLock, takeLock } from '../lock/fileLock.ts';
import { checkFolder, errorCode, quoted, readPrivate } from './guard.ts';
import type { ProfilesFile } from './profilesFile.ts';
import { readProfiles, type StorePlace } from './store.ts';

const sliceMs = 250;
const slices = 120;

/** Changes the profiles: read, changed and written under one lock, so that no other writer’s change is lost. */
export async function changeProfiles(
  place: StorePlace,
  change: (file: ProfilesFile) => ProfilesFile,
  interrupted: AbortSignal,
): Promise<ProfilesFile> {
  checkFolder(place.folder);
  const lock = await lockStore(place, interrupted);
  try {
    const before = readProfiles(place);
    const after = change(before);
    if (JSON.stringify(before) !== JSON.stringify(after)) await write(place, after);
    return after;
  } finally {
    lock.release();
  }
}

/** The lock waits without giving the event loop a turn, hence in slices: Ctrl-C must be heard. */
async function lockStore(place: StorePlace, interrupted: AbortSignal): Promise<HeldLock> {
  const path = join(place.folder, 'config.lock');
  for (let slice = 0; slice < slices; slice += 1) {
    if (interrupted.aborted) {
      throw new Failure('interrupted', 'Interrupted before the profiles were changed.', {
        hint: 'Run the same command again when you are ready.',
      });
    }
    const lock = writing(place, () => {
      makeFolder(place.folder);
      // SQLite would only say that it cannot open a file.
      accessSync(place.folder, constants.W_OK);
      return takeLock(path, sliceMs);
    });
    if (lock !== undefined) return lock;
    await nextTurn();
  }
  throw new Failure(
    'config-not-writable',
    `Another botctl has been writing the profiles for ${(slices * sliceMs) / 1000} s; nothing was changed.`,
    { hint: `Run the same command again. Who holds it: fuser ${quoted(path)}` },
  );
}

function makeFolder(folder: string): void {
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(folder, 0o700);
}

/**
 * conf writes a draft, and only a draft that reads back whole takes the file's place: on a nearly full disk
 * conf's own write can come out short without an error, and inside a snap it is not atomic.
 */
async function write(place: StorePlace, file: ProfilesFile): Promise<void> {
  const { default: Conf } = await import('conf');
  const draft = join(place.folder, 'draft.json');
  writing(place, () => {
    try {
      removeDrafts(place.folder);
      const conf = new Conf<Record<string, unknown>>({
        cwd: place.folder,
        configName: 'draft',
        configFileMode: 0o600,
        clearInvalidConfig: false,
        accessPropertiesByDotNotation: false,
        serialize: serialized,
      });
      conf.store = file;
      chmodSync(draft, 0o600);
      assertWhole(draft, file);
      renameSync(draft, place.file);
      syncFolder(place.folder);
    } finally {
      removeDrafts(place.folder);
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

function syncFolder(folder: string): void {
  // Windows cannot open a folder; there the rename itself must do.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function writing<Result>(place: StorePlace, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = errorCode(error);
    if (code === undefined) throw error;
    const reason = error instanceof Error ? error.message : code;
    throw new Failure(
      'config-not-writable',
      `The profiles could not be written: ${reason}. They are as they were.`,
      {
        hint:
          code === 'ENOSPC' || code === 'EDQUOT'
            ? `Make room where ${quoted(place.folder)} is (df -h ${quoted(place.folder)}) and run the same command again.`
            : `Check that ${quoted(place.folder)} can be written to (ls -ld ${quoted(place.folder)}) and run the same command again.`,
      },
    );
  }
}

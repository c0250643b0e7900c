import { closeSync, fsyncSync, openSync, statfsSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type DiskTrouble, diskTroubleOf } from '../../machine/disk.ts';
import { removeFile } from '../../machine/fileLock.ts';

const magics: Readonly<Record<number, 'tmpfs' | 'overlay' | 'network'>> = {
  16914836: 'tmpfs',
  2240043254: 'tmpfs',
  2035054128: 'overlay',
  26985: 'network',
  4283649346: 'network',
  4266872130: 'network',
};

/** What kind of disk a folder is on, where that says how long its files stay, or how far their locks reach. */
export function diskKind(folder: string): 'tmpfs' | 'overlay' | 'network' | undefined {
  try {
    // Signed where the number is large.
    return magics[statfsSync(folder).type >>> 0];
  } catch {
    return undefined;
  }
}

const diskFull: DiskTrouble = { is: 'failed', code: 'ENOSPC', said: '' };

const tried = Buffer.alloc(8192, 1);

/** Why nothing could be sent with a journal there, if so: writes and syncs as a send would, and leaves nothing. */
export function writingTrouble(path: string, isThere: boolean): DiskTrouble | undefined {
  const probe = join(dirname(path), `.botctl-doctor-${process.pid}`);
  try {
    if (isThere) closeSync(openSync(path, 'r+'));
    const file = openSync(probe, 'wx', 0o600);
    try {
      if (writeSync(file, tried) < tried.length) return diskFull;
      fsyncSync(file);
    } finally {
      closeSync(file);
      removeFile(probe);
    }
    return undefined;
  } catch (error) {
    return diskTroubleOf(error);
  }
}

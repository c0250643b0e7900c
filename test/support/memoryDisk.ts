import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const place = '/dev/shm';
/** Several times what the tests use at once. With less, as in some containers, a disk is better. */
const enoughBytes = 2 * 1024 ** 3;

/**
 * The environment that puts the tests' folders in memory, if the system allows it, so that no test waits for a disk.
 * Every sync is still requested, so the tests show the same.
 */
export function onMemoryDisk(): Record<string, string> {
  try {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize >= enoughBytes && runsProgramsIn(place) ? { TMPDIR: place } : {};
  } catch {
    return {};
  }
}

/** Tests also write programs there, and containers often forbid running them. */
function runsProgramsIn(parent: string): boolean {
  const folder = mkdtempSync(join(parent, 'botctl-try-'));
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(folder, { recursive: true });
  return status === 0;
}

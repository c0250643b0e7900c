import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const place = '/dev/shm';
/** Several times what the tests have there at once: where a container has but a little, a disk is better. */
const enoughBytes = 2 * 1024 ** 3;

/**
 * The environment that puts the tests' folders where nobody waits for a disk, if the system has such a place. Every
 * sync is still asked for: what a test shows is the same.
 */
export function onMemoryDisk(): Record<string, string> {
  try {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize >= enoughBytes && runsProgramsIn(place) ? { TMPDIR: place } : {};
  } catch {
    return {};
  }
}

/** Tests write programs, too; and containers often forbid to run what is there. */
function runsProgramsIn(parent: string): boolean {
  const folder = mkdtempSync(join(parent, 'botctl-try-'));
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(folder, { recursive: true });
  return status === 0;
}

import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const bit = 1n << BigInt(constants.signals.SIGHUP - 1);

/**
 * Waits until the program handles signals: before that, a signal ends it like any process. It looks for SIGHUP, because
 * Node itself catches the others, and botctl installs this handler last.
 */
export async function catchesSignals({ pid }: ChildProcess): Promise<void> {
  await until(pid, () => {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const [, caught = '0'] = /^SigCgt:\s*(\w+)$/mu.exec(status) ?? [];
    return (BigInt(`0x${caught}`) & bit) !== 0n;
  });
}

/** Waits until its event loop watches stdin. */
export async function readsStdin({ pid }: ChildProcess): Promise<void> {
  const folder = `/proc/${pid}/fdinfo`;
  await until(pid, () =>
    readdirSync(folder).some((name) => {
      try {
        return /^tfd:\s+0\b/mu.test(readFileSync(`${folder}/${name}`, 'latin1'));
      } catch {
        // It was closed in the meantime.
        return false;
      }
    }),
  );
}

/** Without /proc nothing can be observed, so it waits long enough. */
async function until(pid: number | undefined, isSo: () => boolean): Promise<void> {
  if (existsSync(`/proc/${pid}/status`)) while (!isSo()) await sleep(10);
  else await sleep(2000);
}

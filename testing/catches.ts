import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Until then the signal would end it as it ends any process; after that it waits soon. */
export async function catches({ pid }: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const status = `/proc/${pid}/status`;
  const bit = 1n << BigInt(constants.signals[signal] - 1);
  const isCaught = (): boolean => {
    const [, caught = '0'] = /^SigCgt:\s*(\w+)$/mu.exec(readFileSync(status, 'latin1')) ?? [];
    return (BigInt(`0x${caught}`) & bit) !== 0n;
  };
  if (existsSync(status)) while (!isCaught()) await sleep(20);
  else await sleep(2000);
  await sleep(400);
}

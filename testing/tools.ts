import { spawnSync } from 'node:child_process';

/** Whether a program that not every machine has is here; a test without it is skipped, and says so. */
export function hasTool(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' }).status === 0;
}

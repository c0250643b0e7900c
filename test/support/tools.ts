import { spawnSync } from 'node:child_process';

/** Whether an optional program is installed. A test without it is skipped, and says so. */
export function hasTool(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' }).status === 0;
}

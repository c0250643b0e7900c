import { writeFileSync } from 'node:fs';
import type { Env } from '../../src/context.ts';

const taken: string[] = [];
let deadlyStep = 0;

/** `BOTCTL_PROOF_DIE_AT`: the step that is not survived. `BOTCTL_PROOF_STEPS`: a file for the steps' names. */
export function countSteps(env: Env): void {
  deadlyStep = Number(env.BOTCTL_PROOF_DIE_AT ?? 0);
  const file = env.BOTCTL_PROOF_STEPS;
  if (file !== undefined) process.on('exit', () => writeFileSync(file, taken.join('\n')));
}

/** A point where a process may end. What comes after it has not begun. */
export function step(name: string): void {
  taken.push(name);
  if (taken.length === deadlyStep) process.kill(process.pid, 'SIGKILL');
}

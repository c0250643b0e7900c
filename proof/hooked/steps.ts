import { writeFileSync } from 'node:fs';
import type { Env } from '../../src/context.ts';

const taken: string[] = [];
let deadlyStep = '';
let blow = 'SIGKILL';

/** `BOTCTL_PROOF_DIE_AT`: the number, or the name, of the step that is met by `BOTCTL_PROOF_BLOW` (SIGKILL). `BOTCTL_PROOF_STEPS`: a file for the steps' names. */
export function countSteps(env: Env): void {
  deadlyStep = env.BOTCTL_PROOF_DIE_AT ?? '';
  blow = env.BOTCTL_PROOF_BLOW ?? blow;
  const file = env.BOTCTL_PROOF_STEPS;
  if (file !== undefined) process.on('exit', () => writeFileSync(file, taken.join('\n')));
}

/** A point where a process may end. What comes after it has not begun. */
export function step(name: string): void {
  taken.push(name);
  if (String(taken.length) === deadlyStep || name === deadlyStep) process.kill(process.pid, blow);
}

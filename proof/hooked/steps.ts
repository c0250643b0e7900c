import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '../../src/machine/folders.ts';

const taken: string[] = [];
let deadlyStep = '';
let blow = 'SIGKILL';
let heldIn: string | undefined;

/**
 * `BOTCTL_PROOF_DIE_AT`: the number, or the name, of the step that is met by `BOTCTL_PROOF_BLOW` (SIGKILL); or held
 * there, where `BOTCTL_PROOF_HOLD` is a folder: until a file `go` is in it. `BOTCTL_PROOF_STEPS`: a file for the
 * steps' names.
 */
export function countSteps(env: Env): void {
  deadlyStep = env.BOTCTL_PROOF_DIE_AT ?? '';
  blow = env.BOTCTL_PROOF_BLOW ?? blow;
  heldIn = env.BOTCTL_PROOF_HOLD;
  const file = env.BOTCTL_PROOF_STEPS;
  if (file !== undefined) process.on('exit', () => writeFileSync(file, taken.join('\n')));
}

/** A point where a process may end. What comes after it has not begun. */
export function step(name: string): void {
  taken.push(name);
  if (String(taken.length) !== deadlyStep && name !== deadlyStep) return;
  if (heldIn === undefined) process.kill(process.pid, blow);
  else hold(heldIn, name);
}

/** What runs side by side is not counted alike twice: the name of the step is told. */
function hold(folder: string, name: string): void {
  heldIn = undefined;
  deadlyStep = '';
  writeFileSync(join(folder, 'name'), name);
  renameSync(join(folder, 'name'), join(folder, 'held'));
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(join(folder, 'go'))) Atomics.wait(sleeper, 0, 0, 5);
}

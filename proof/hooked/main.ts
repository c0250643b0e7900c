// The composition root of the program that the proof drives where it must die, or its clock must jump, at a
// chosen step. Only the proof's own bundle begins here; the shipped one knows nothing of it.
import {
  type ProcessContext,
  guardExit as shippedGuard,
  main as shippedMain,
  thisProcess as shippedProcess,
} from '../../src/main.ts';
import { jumpingClock } from './clock.ts';
import { stepAtEveryWrite } from './output.ts';
import { stepAtEveryQuestion } from './postgres.ts';
import { countSteps } from './steps.ts';
import { stepAlongTheWire } from './wire.ts';

export const main = shippedMain;
export const guardExit = shippedGuard;

export function thisProcess(): ProcessContext {
  const shipped = shippedProcess();
  countSteps(shipped.env);
  stepAtEveryWrite(shipped.stdout);
  stepAtEveryQuestion();
  stepAlongTheWire();
  return { ...shipped, clock: jumpingClock(shipped.clock, shipped.env) };
}

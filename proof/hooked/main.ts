// The composition root of the program that the proof drives where it must die, or its clock must jump, at a
// chosen step. Only the proof's own bundle begins here; the shipped one knows nothing of it.
import { main as shippedMain, realWorld as shippedWorld, type World } from '../../src/main.ts';
import { jumpingClock } from './clock.ts';
import { stepAtEveryWrite } from './output.ts';
import { countSteps } from './steps.ts';
import { stepAlongTheWire } from './wire.ts';

export const main = shippedMain;

export function realWorld(): World {
  const world = shippedWorld();
  countSteps(world.env);
  stepAtEveryWrite(world.stdout);
  stepAlongTheWire();
  return { ...world, clock: jumpingClock(world.clock, world.env) };
}

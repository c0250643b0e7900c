import { badInput } from './techniques/badInput.ts';
import { clocksThatJump } from './techniques/clocks.ts';
import { crowd } from './techniques/crowd.ts';
import { failing } from './techniques/failing.ts';
import { killed } from './techniques/killed.ts';
import type { Technique } from './techniques/technique.ts';
import { weather } from './techniques/weather.ts';
import { wire } from './techniques/wire.ts';

/** In the order of the table. */
export const techniques: readonly Technique[] = [
  killed,
  failing,
  wire,
  weather,
  clocksThatJump,
  badInput,
  crowd,
];

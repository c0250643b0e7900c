import type { Technique } from './arena.ts';
import { badInput } from './techniques/badInput.ts';
import { chain } from './techniques/chain.ts';
import { clocksThatJump } from './techniques/clocks.ts';
import { concurrent } from './techniques/concurrent.ts';
import { failing } from './techniques/failing.ts';
import { faults } from './techniques/faults.ts';
import { hurt } from './techniques/hurt.ts';
import { killed } from './techniques/killed.ts';
import { machines } from './techniques/machines.ts';
import { wire } from './techniques/wire.ts';

/** In the order of the table. */
export const techniques: readonly Technique[] = [
  killed,
  failing,
  wire,
  faults,
  clocksThatJump,
  badInput,
  concurrent,
  hurt,
  machines,
  chain,
];

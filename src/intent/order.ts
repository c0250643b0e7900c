import type { Naming } from './naming.ts';
import type { Wanted } from './wanted.ts';

/** One thing to be done once: what is wanted, and under which name. */
export type Order = {
  readonly wanted: Wanted;
  readonly naming: Naming;
};

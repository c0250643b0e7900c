import type { Exit } from '../errors.ts';

/** One intent speaks for itself; of several, only all done is done. */
export function exitOfSeveral(exits: readonly Exit[]): Exit {
  const [only] = exits;
  if (only !== undefined && exits.length === 1) return only;
  return exits.every((exit) => exit === 0) ? 0 : 11;
}

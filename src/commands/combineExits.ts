import type { Exit } from '../errors.ts';

/** What running the same command again can still change. */
const unfinished: readonly Exit[] = [7, 8, 9, 11, 130];

/** One intent speaks for itself; of several, what is still to be done comes first, then what waits for a person. */
export function combineExits(exits: readonly Exit[]): Exit {
  const left = exits.filter((exit) => exit !== 0);
  const [only = 0] = left;
  if (exits.length === 1 || left.length === 0) return only;
  if (left.some((exit) => unfinished.includes(exit))) return 11;
  if (left.includes(10)) return 10;
  return left.includes(1) ? 1 : 2;
}

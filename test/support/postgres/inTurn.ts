import type { Version } from './binaries.ts';

/**
 * What both versions must do alike: each takes every other test, an odd BOTCTL_SEED those of the other. What a version can
 * change by itself (the schema, plans, rights, rules of a server) is tested on both.
 */
export function inTurn<One>(make: (version: Version) => One): () => One {
  const both = [make(18), make(15)] as const;
  let turn = Number(process.env.BOTCTL_SEED ?? 0);
  return () => {
    turn += 1;
    return both[turn % 2 === 0 ? 1 : 0];
  };
}

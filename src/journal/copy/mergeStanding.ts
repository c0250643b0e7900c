import type { Intent } from '../journal.ts';
import type { Standing } from './copied.ts';

/** A transfer in doubt that was made with a token which cannot be told from another here: a person must look. */
export function withoutToken(standing: Standing, kind: Intent['kind']): Standing {
  const isInDoubt = kind === 'transfer' && standing.state === 'unknown';
  return { ...standing, tokenHash: undefined, ...(isInDoubt ? { state: 'held', why: 'other-token' } : {}) };
}

/**
 * Where one intent stands that two journals know, by the same key and body. What happened outranks all else, doubt
 * outranks what is said to be over. Nothing where it stays as it is here.
 */
export function mergeStanding(here: Standing, there: Standing, kind: Intent['kind']): Standing | undefined {
  if (isOver(here)) return undefined;
  const base: Standing = {
    ...here,
    tainted: here.tainted || there.tainted,
    mayHaveLandedAtMs: earliest(here.mayHaveLandedAtMs, there.mayHaveLandedAtMs),
    tokenHash: undefined,
    attempts: here.attempts + there.attempts,
    updatedAtMs: Math.max(here.updatedAtMs, there.updatedAtMs),
    reportedAtMs: here.reportedAtMs ?? there.reportedAtMs,
    why: undefined,
    resolvedAs: undefined,
  };
  const decisive = [here, there].sort((left, right) => rank(left) - rank(right))[0] ?? here;
  const { state, why, resolvedAs } = decisive;
  return withoutToken({ ...base, state, why, resolvedAs }, kind);
}

function isOver({ state, resolvedAs }: Standing): boolean {
  return state === 'accepted' || resolvedAs === 'happened';
}

const ranks: Readonly<Record<Standing['state'], number>> = {
  accepted: 0,
  held: 2,
  unknown: 3,
  sending: 4,
  resolved: 5,
  rejected: 6,
  open: 7,
};

function rank(standing: Standing): number {
  return isOver(standing) ? Math.min(1, ranks[standing.state]) : ranks[standing.state];
}

function earliest(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}

import type { Range, Round, Shares, Taken } from '../journal/shares.ts';
import { everyRow } from './sheet.ts';

/** Where a runner's rows come from. */
export interface Ranges {
  /** Gives back what has `ended`, and takes more; who asks is still `holding` these. */
  take(ended: readonly Range[], holding: readonly Range[]): Promise<Taken>;
}

/** A runner that has the journal to itself has all rows. */
export function allRows(): Ranges {
  let isTaken = false;
  return {
    take: async () => {
      if (isTaken) return { is: 'nothing', others: [], theirs: [] };
      isTaken = true;
      return { is: 'range', range: everyRow, left: 0 };
    },
  };
}

type Sharing = {
  readonly round: Round;
  readonly rows: number;
  readonly concurrency: number;
};

/** A range at a time, from the server that divides them. */
export function sharedRanges(shares: Pick<Shares, 'take'>, { round, rows, concurrency }: Sharing): Ranges {
  let left = rows;
  return {
    take: async (ended, holding) => {
      const taken = await shares.take(round, rangeSize(left, concurrency), ended, holding);
      left = taken.is === 'range' ? taken.left : 0;
      return taken;
    },
  };
}

const mostRows = 256;
const leastRows = 16;

/** Long ranges cost the server little; short ones, near the end, let all runners end at about the same time. */
function rangeSize(left: number, concurrency: number): number {
  return Math.min(mostRows, Math.max(Math.ceil(left / 16), Math.min(concurrency, leastRows)));
}

import type { ChainVerdict } from '../chain/verdict.ts';
import { verifiedSummary } from '../words/chainOptions.ts';
import type { Problem } from '../words/told.ts';
import type { View } from './display.ts';

/** How many were proven, for the last line of `verify --all`. */
export function verifiedView(
  command: string,
  counts: Readonly<Record<ChainVerdict, number> & { not_looked_up?: number }>,
  problem: Problem | undefined,
): View {
  return {
    json: {
      schema: 'botctl/1',
      command,
      verified: counts,
      ...(problem === undefined ? {} : { error: problem }),
    },
    human: () => `${verifiedSummary(counts)}\n`,
  };
}

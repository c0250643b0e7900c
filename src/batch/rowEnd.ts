import type { Outcome } from '../engine/outcome.ts';
import type { Explanation } from '../words/explain.ts';
import type { SheetRow } from './sheet.ts';

/** How one row ended in this run. */
export type RowEnd = {
  readonly row: SheetRow;
  readonly outcome: Outcome;
  readonly explanation: Explanation;
  /** A request was made for it now. */
  readonly sent: boolean;
};

import type { Outcome } from '../engine/outcome.ts';
import type { Retry } from '../errors.ts';
import type { SheetRow } from './sheet.ts';

/** How one row ended in this run. */
export type RowEnd = {
  readonly row: SheetRow;
  readonly outcome: Outcome;
  /** A request was made for it now. */
  readonly sent: boolean;
};

/** Why a row is not done. */
export type RowProblem = {
  readonly retry: Retry;
  readonly status?: number;
  /** In words, for the report. */
  readonly message: string;
};

/** What the caller makes of a row's end. */
export type ExplainedEnd = {
  /** Absent where the row is done. */
  readonly problem?: RowProblem | undefined;
  readonly tell: () => Promise<void>;
};

import type { Ending } from '../engine/ending.ts';
import type { SheetRow } from './sheet.ts';

/** How one row ended in this run. */
export type RowEnd = {
  readonly row: SheetRow;
  readonly ending: Ending;
  /** A request was made for it now. */
  readonly sent: boolean;
};

/** What the caller makes of a row's end. */
export type ExplainedEnd = {
  /** Why the row is not done, in words, for the report. */
  readonly problem?: string | undefined;
  readonly tell: () => Promise<void>;
};

import type { Scope } from '../intent/naming.ts';
import type { Process } from './process.ts';

/** What a batch is called, and what its input was. */
export type SharedBatch = Scope & {
  readonly name: string;
  /** SHA-256 of the input's bytes. */
  readonly digest: string;
  readonly rows: number;
};

/** Of some rows: how many they are, and the sums of the first and the last 32 bits of their keys. */
export type KeySums = { readonly rows: number; readonly first: number; readonly last: number };

/** Rows of a batch by their place in its input. */
export type Range = { readonly first: number; readonly last: number };

/** In each round of a batch every row is some runner's. */
export type Round = { readonly batch: number; readonly round: number };

/** A process at work on a batch, and how many rows it has in hand. */
export type Runner = Process & { readonly rows: number };

export type Joined =
  | { readonly is: 'joined'; readonly round: Round }
  | { readonly is: 'other-file' }
  /** Another file was to take the place of the one that they are at work on. */
  | { readonly is: 'at-work'; readonly runners: readonly Runner[] };

export type Taken =
  /** `left` are the rows that nobody has been given yet. */
  | { readonly is: 'range'; readonly range: Range; readonly left: number }
  /** Nothing to be had now: every row has ended, or is in the hands of these, as `theirs`, or of who asks. */
  | { readonly is: 'nothing'; readonly others: readonly Runner[]; readonly theirs: readonly Range[] };

/**
 * How the runners of a batch divide its rows. It keeps nobody from anything: whoever sends a row must have claimed it
 * first, whosever it is.
 */
export interface Shares {
  /** Whether this is another input than the one on record under the name. */
  isOtherFile(batch: SharedBatch): Promise<boolean>;
  /** The rows of that name that are done, in this input or in an earlier one. */
  doneRows(batch: SharedBatch): Promise<KeySums>;
  /** Takes part. `changedFile` may take the place of the one on record while nobody is at work on that. */
  join(batch: SharedBatch, changedFile: boolean): Promise<Joined>;
  /** Gives back what has `ended`, and takes rows: new ones, at most `size`, or those of a runner that is gone. */
  take(round: Round, size: number, ended: readonly Range[], holding: readonly Range[]): Promise<Taken>;
}

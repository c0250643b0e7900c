import { Gathered } from '../gathered.ts';
import type { SqlRow } from './rows.ts';
import type { TogetherName } from './together.ts';

/** What a statement is given of one intent. */
export type Item = Readonly<Record<string, undefined | null | boolean | number | string>>;

/** Asks a question; gives back the rows of its answer. */
export type Ask = (name: TogetherName, item: Item) => Promise<readonly SqlRow[]>;

type RunTogether = (
  name: TogetherName,
  items: readonly Item[],
) => readonly SqlRow[] | Promise<readonly SqlRow[]>;

/** What is asked until nobody can go on without an answer. */
export function gather(run: RunTogether): Ask {
  // After all promises that are settled by now, and within this turn: a commit must not outlast it.
  return new Gathered<TogetherName, Item, SqlRow>({ run, soon: (ask) => process.nextTick(ask) }).ask;
}

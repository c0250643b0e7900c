import { lookAgain, type SeenOutcome } from '../batch/lookAgain.ts';
import type { RunEnd } from '../batch/runRows.ts';
import type { Stop } from '../batch/stopRules.ts';
import type { Survey } from '../batch/survey.ts';
import { asFailure, type Failure, type Retry } from '../errors.ts';
import type { SharedBatch, Shares } from '../journal/shares.ts';
import type { Batch } from './oneBatch.ts';

/** How the rows stand at the end that this runner had no part in. */
export type OthersEnd =
  | { readonly is: 'seen'; readonly counts: ReadonlyMap<SeenOutcome, number> }
  /** The journal could not be asked. */
  | { readonly is: 'untold'; readonly rows: number; readonly failure: Failure };

/** Asks a shared journal how the rows of the others ended. */
export async function othersAtEnd(
  { counts }: RunEnd,
  surveyed: Survey,
  shared: SharedBatch | undefined,
  batch: Batch,
): Promise<OthersEnd | undefined> {
  const { order, sheet, bot, journal } = batch;
  if (shared === undefined || journal?.shares === undefined) return undefined;
  const ended = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const left = toDo(surveyed) - ended;
  if (left === 0) return { is: 'seen', counts: new Map() };
  try {
    if (!isEachRowTold(batch) && (await areAllDone(surveyed, shared, journal.shares)))
      return { is: 'seen', counts: new Map([['accepted', left]]) };
    return { is: 'seen', counts: await lookAgain({ order, sheet, bot, journal }) };
  } catch (thrown) {
    // What this runner has done must be told all the same.
    return { is: 'untold', rows: left, failure: asFailure(thrown) };
  }
}

function toDo({ rows, tally }: Survey): number {
  return rows - tally.standings.done - tally.standings.invalid;
}

function isEachRowTold({ report, context }: Batch): boolean {
  return report !== undefined || context.display.quiet;
}

/** One question for all rows instead of one for each; only where all of them are done nothing else need be asked. */
async function areAllDone({ tally, keys }: Survey, shared: SharedBatch, shares: Shares): Promise<boolean> {
  // The key of such a row may have been used for something else.
  if (tally.standings.invalid + tally.standings.conflict > 0) return false;
  const done = await shares.doneRows(shared);
  return done.rows === keys.rows && done.first === keys.first && done.last === keys.last;
}

export function doneBy(others: OthersEnd): number {
  if (others.is === 'untold') return 0;
  return (others.counts.get('accepted') ?? 0) + (others.counts.get('resolved') ?? 0);
}

/** Adds what they have not done, and what that needs: after a stop, first of all the same command again. */
export function countOthers(
  others: OthersEnd,
  stop: Stop | undefined,
  outcomes: Map<string, number>,
  needs: Set<Retry>,
): void {
  if (others.is === 'untold') {
    outcomes.set('untold', others.rows);
    needs.add('same-command');
    return;
  }
  for (const [outcome, rows] of others.counts) {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + rows);
    if (outcome === 'accepted' || outcome === 'resolved') continue;
    if (outcome === 'held') needs.add('decide');
    else needs.add(isOver(outcome) && stop === undefined ? 'after-fix' : 'same-command');
  }
}

function isOver(outcome: SeenOutcome): boolean {
  return outcome === 'rejected' || outcome === 'not-sent';
}

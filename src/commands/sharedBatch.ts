import { allRows, type Ranges, sharedRanges } from '../batch/ranges.ts';
import { inputName } from '../batch/readRows.ts';
import type { Survey } from '../batch/survey.ts';
import type { Failure } from '../errors.ts';
import type { SharedBatch, Shares } from '../journal/shares.ts';
import { again } from '../words/again.ts';
import { batchAtWork, otherFile } from '../words/sharedBatch.ts';
import type { OthersNow } from './batchEnd.ts';
import type { Batch } from './oneBatch.ts';

/** Before anybody is asked anything: two files under one name are two batches that nobody meant. */
export async function refuseOtherFile(shared: SharedBatch | undefined, batch: Batch): Promise<void> {
  const { journal, options } = batch;
  if (shared === undefined || journal?.shares === undefined || options.changedFile) return;
  if (await journal.shares.isOtherFile(shared)) throw notThatFile(shared, batch);
}

function notThatFile({ name }: SharedBatch, { given, options }: Batch): Failure {
  return otherFile(name, inputName(options), again(given, [], { name: 'changed-file', value: true }));
}

/** Where this runner gets its rows: all of them, or its share of them. */
export async function rangesOf(
  shared: SharedBatch | undefined,
  { rows, tally }: Survey,
  others: OthersNow,
  batch: Batch,
): Promise<Ranges> {
  const { journal, options } = batch;
  const isNothingLeft = rows === tally.standings.done + tally.standings.invalid;
  if (shared === undefined || journal?.shares === undefined || isNothingLeft) return allRows();
  const joined = await journal.shares.join(shared, options.changedFile);
  switch (joined.is) {
    case 'other-file':
      throw notThatFile(shared, batch);
    case 'at-work':
      throw batchAtWork(shared.name, joined.runners);
    case 'joined':
      return sharedRanges(counted(journal.shares, rows, others), {
        round: joined.round,
        rows,
        concurrency: options.concurrency,
      });
  }
}

/** The same, while it is counted how much was given to others. */
function counted(shares: Shares, rows: number, others: OthersNow): Pick<Shares, 'take'> {
  let own = 0;
  return {
    take: async (...asked) => {
      const taken = await shares.take(...asked);
      if (taken.is === 'nothing') return taken;
      const { first, last } = taken.range;
      own += last - first + 1;
      others.given = Math.max(0, rows - taken.left - own);
      others.waitedFor = [];
      return taken;
    },
  };
}

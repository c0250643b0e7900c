import type { Runner } from '../journal/shares.ts';
import { counted, listed } from './list.ts';
import { processName } from './process.ts';
import type { Suggestion } from './suggestion.ts';
import { Told } from './told.ts';

export function otherFile(name: string, source: string, changed: Suggestion): Told {
  return new Told('other-file', `${source} is not the file of the batch ${name}: its SHA-256 differs`, {
    hint: 'Give every machine the same file. If it was corrected on purpose, say so once the other runners have ended:',
    next: [changed],
  });
}

export function batchAtWork(name: string, runners: readonly Runner[]): Told {
  return new Told(
    'batch-at-work',
    `The batch ${name} cannot change its file now: ${listed(runners.map(processName))} ${runners.length === 1 ? 'is' : 'are'} at work on it`,
    {
      hint: 'Wait until the others have ended, then run the same command again. One that was killed counts as ended half a minute later.',
    },
  );
}

function withRows(runner: Runner): string {
  // Some of what it has in hand may be done.
  return `${processName(runner)}: up to ${counted(runner.rows, 'row')}`;
}

export function waitingForRunners(runners: readonly Runner[]): string {
  return `waiting for ${runners.map(withRows).join(', ')}`;
}

export const ownShareDone = (runners: readonly Runner[]): string =>
  `This runner has no rows left; ${waitingForRunners(runners)}.`;

export function stillAtWork(runners: readonly Runner[]): string {
  return `Others are still at work after --max-wait (${runners.map(withRows).join(', ')}).`;
}

export function sharesOf(doneNow: number, doneByOthers: number): string {
  return `${counted(doneNow, 'row')} by this runner, ${counted(doneByOthers, 'row')} by others`;
}

export const othersNotSeen = (report: string): string =>
  `The journal cannot be asked about the rows of other runners: the report ${report} was not written.`;

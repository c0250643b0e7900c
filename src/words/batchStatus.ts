import { formatCount } from './list.ts';
import { Told } from './told.ts';

export function noSuchBatch(name: string, place: string): Told {
  return new Told('no-such-batch', `No row of a batch ${JSON.stringify(name)} is in the journal ${place}.`, {
    hint: 'Give the whole name that --once gave it. The names that begin alike:',
    next: [['history', '--name', name.slice(0, 4)]],
  });
}

/** How rows of a batch stand by the journal alone, in the order in which they are shown. */
export const rowStandings = [
  'done',
  'sending',
  'unknown',
  'held',
  'open',
  'rejected',
  'did-not-happen',
] as const;

export type RowStanding = (typeof rowStandings)[number];

const notes: Readonly<Partial<Record<RowStanding, string>>> = {
  sending: ', by a process that is running',
  unknown: ': may have happened; run the batch again',
  held: ': a person must decide',
  open: ': not done yet; run the batch again',
  rejected: ', by the service',
  'did-not-happen': ', as an operator decided',
};

export function rowsStandingSo(standing: RowStanding, rows: number): string {
  return `${formatCount(rows)}${notes[standing] ?? ''}`;
}

export const beyondTheJournal =
  'Only rows that were begun are counted. To see how many more its file has, run the batch’s own command with --dry-run: it sends nothing.';

import { Failure } from '../errors.ts';
import { formatCount } from './list.ts';

export function noSuchBatch(name: string, place: string): Failure {
  return new Failure(
    'no-such-batch',
    `No row of a batch ${JSON.stringify(name)} is in the journal ${place}.`,
    {
      hint: 'A batch is called by its whole --once. The names that begin so:',
      next: [['history', '--name', name.slice(0, 4)]],
    },
  );
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
  sending: ': a process is sending them now',
  unknown: ': they may have happened; run the batch again',
  held: ': a person must decide',
  open: ': not done yet; run the batch again',
  rejected: ': the service refused them',
  'did-not-happen': ': an operator decided so',
};

export function rowsStandingSo(standing: RowStanding, rows: number): string {
  return `${formatCount(rows)}${notes[standing] ?? ''}`;
}

export const beyondTheJournal =
  'These are the rows that were begun. How many its file has beyond them, the batch’s own command says: --dry-run sends nothing.';

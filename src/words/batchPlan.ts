import type { ConflictKind } from '../engine/planKinds.ts';
import { formatAmountOf } from './amount.ts';
import { counted, formatCount } from './list.ts';
import { notSentNow } from './nothing.ts';
import type { Suggestion } from './suggestion.ts';
import { Told } from './told.ts';

export const isItTheRightFile = 'Is it the right file?';

export const checkingInput = (source: string): string => `Checking ${source}`;

export function noRows(source: string): Told {
  return new Told('bad-file', `${source} has no rows`, { hint: isItTheRightFile });
}

function rowsOf(count: number): string {
  return counted(count, 'row');
}

export function moreRowsNotListed(count: number): string {
  return `… and ${formatCount(count)} more; --report lists them all`;
}

export function invalidRows(
  { invalid, rows, source }: { invalid: number; rows: number; source: string },
  skipping: Suggestion,
): Told {
  return new Told(
    'bad-input',
    `${formatCount(invalid)} of ${rowsOf(rows)} in ${source} ${invalid === 1 ? 'is' : 'are'} not valid`,
    {
      hint: `Fix ${invalid === 1 ? 'it' : 'them'} and run the same command again, or send the others with --skip-invalid.`,
      next: [skipping],
    },
  );
}

export function invalidRow(problem: string | undefined): Told {
  return new Told('bad-input', `${problem ?? 'The row is not valid'}. ${notSentNow}`, {
    hint: 'Fix the row and run the command again.',
  });
}

/** Why a row is not sent under its id. */
export const conflictWords: Readonly<Record<ConflictKind, string>> = {
  'other-body': 'the id belongs to another body, which may have happened',
  'other-bot': 'the id belongs to another bot',
  'other-url': 'the id was used at another base URL of this service',
};

export function askToBegin(left: number, noun: 'message' | 'transfer'): string {
  return `${noun === 'message' ? 'Send' : 'Make'} ${counted(left, noun)}?`;
}

/** How rows stand before anything is sent, after their number in one line. */
const standings: Readonly<Record<string, string>> = {
  done: 'already done',
  elsewhere: 'being sent by another process',
  conflict: 'in conflict',
};

/** The same in a line of its own, after the number: of one row, of several. */
const standingNotes: Readonly<Record<string, readonly [one: string, several: string]>> = {
  unfinished: [', to be resumed with its own key', ', to be resumed with their own keys'],
  held: [': a person must decide; not sent', ': a person must decide; not sent'],
  elsewhere: [': another process is sending it', ': another process is sending them'],
  conflict: [
    ': its id belongs to another body, bot or base URL; not sent',
    ': their ids belong to other bodies, bots or base URLs; not sent',
  ],
  invalid: [': not sent', ': not sent'],
};

export function rowsStanding(standing: string, rows: number): string {
  const [one, several] = standingNotes[standing] ?? ['', ''];
  return `${formatCount(rows)}${rows === 0 ? '' : rows === 1 ? one : several}`;
}

type PlanWords = {
  readonly name: string;
  readonly rows: number;
  readonly standings: Readonly<Record<string, number>>;
  readonly lacking: number;
  /** Absent where no money moves. */
  readonly money?: {
    readonly totals: readonly Total[];
    readonly recipients: number;
    readonly repeated: number;
  };
};

export type Total = { readonly asset: string; readonly all: string; readonly left: string };

/** What is about to be done, in one line. */
export function batchInALine({ name, rows, standings: found, lacking, money }: PlanWords): string {
  const parts = Object.entries(found)
    .filter(([standing, count]) => count > 0 || standing === 'new' || standing === 'invalid')
    .map(([standing, count]) => `${formatCount(count)} ${standings[standing] ?? standing}`);
  const missing = lacking === 0 ? '' : `; ${rowsMissing(lacking)}`;
  return `batch ${name}: ${rowsOf(rows)}: ${parts.join(', ')}${money === undefined ? '' : moneyIn(money)}${missing}`;
}

function moneyIn({ totals, recipients, repeated }: NonNullable<PlanWords['money']>): string {
  const sums = totals.map(
    ({ asset, all, left }) => `${formatAmountOf(all, asset)}${all === left ? '' : ` (${left} not done yet)`}`,
  );
  const twice = repeated === 0 ? '' : ` (${ofThem(recipients, repeated)}more than once)`;
  return `; ${sums.join(', ')} to ${counted(recipients, 'recipient')}${twice}`;
}

export function rowsMissing(count: number): string {
  return `${rowsOf(count)} of this name ${count === 1 ? 'is' : 'are'} in the journal, but not in this input`;
}

export function totalOf({ asset, all, left }: Total): string {
  return `${formatAmountOf(all, asset)}${all === left ? '' : `, of which ${formatAmountOf(left, asset)} not done yet`}`;
}

export function recipientsOf(recipients: number, repeated: number): string {
  return `${formatCount(recipients)}${repeated === 0 ? '' : `, ${ofThem(recipients, repeated)}paid more than once`}`;
}

function ofThem(recipients: number, repeated: number): string {
  return recipients === 1 ? '' : `${formatCount(repeated)} of them `;
}

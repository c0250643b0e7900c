import { listed } from './list.ts';
import { Told } from './told.ts';

const isItTheRightFile = 'Is it the right file?';

function badFile(what: string, hint: string, cause?: unknown): Told {
  return new Told('bad-file', what, { hint, ...(cause === undefined ? {} : { cause }) });
}

export function noHeader(source: string, columns: readonly string[]): Told {
  return badFile(
    `${source} is empty: it has no header`,
    `Its first line names the columns: ${columns.join(',')}.`,
  );
}

/** Columns, quoted and in a line; empty where there are none. */
type HeaderFaults = { readonly unknown: string; readonly twice: string; readonly missing: string };

export function badHeader(
  source: string,
  { unknown, twice, missing }: HeaderFaults,
  known: readonly string[],
  needed: readonly string[],
): Told {
  const faults = [
    unknown === '' ? '' : `has unknown columns: ${unknown}`,
    twice === '' ? '' : `has columns twice: ${twice}`,
    missing === '' ? '' : `lacks: ${missing}`,
  ].filter((fault) => fault !== '');
  return badFile(
    `${source}, line 1: the header ${faults.join('; it ')}`,
    `The header may name ${known.join(',')}, separated by commas (or semicolons, or tabs); it must name ${listed(needed)}.`,
  );
}

export function andMore(count: number): string {
  return `and ${count} more`;
}

export function notCsv(source: string, line: number | undefined, what: string, cause: unknown): Told {
  return badFile(
    `${source}${line === undefined ? '' : `, line ${line}`}: this is not CSV (${what})`,
    'Fix the quotes of that row: put a cell with commas, quotes or newlines in quotes, and double each quote in it.',
    cause,
  );
}

export function lineTooLong(source: string, line: number, most: number): Told {
  return badFile(
    `${source}, line ${line} is longer than ${most} bytes`,
    `JSON Lines holds one object a line. ${isItTheRightFile}`,
  );
}

export function rowsNotUtf8(source: string, line: number): Told {
  return badFile(
    `${source}, line ${line}: the bytes are not valid UTF-8`,
    'Save the file as UTF-8 and run the command again.',
  );
}

export function noRows(source: string): Told {
  return badFile(`${source} has no rows`, isItTheRightFile);
}

import type { Mark } from '../benches.ts';
import type { WholeRun } from './wholeRun.ts';

export type Line = {
  readonly what: string;
  /** One of the columns; the first, if it is not said. */
  readonly column?: string;
  readonly figure: string;
  /** What a mark judges. */
  readonly value?: number;
};

export type Figures = {
  /** How they were measured. */
  readonly about: string;
  readonly columns: readonly string[];
  readonly lines: readonly Line[];
};

/** Given the number of an option. */
export type Measure = (given: (option: string) => number) => Promise<Figures>;

/** The peak memory of a long run, beside that of a short one. */
export function memoryLine(what: string, long: WholeRun, short: WholeRun): Line {
  const value = long.peakMb / short.peakMb;
  return { what, figure: `${long.peakMb.toFixed(0)} MB, ${value.toFixed(2)} ×`, value };
}

function lineOf({ columns, lines }: Figures, what: string, column: string): Line | undefined {
  return lines.find((line) => line.what === what && (line.column ?? columns[0]) === column);
}

/** The marks that were missed, in a line each. A figure that is no number meets no mark. */
export function misses(figures: Figures, marks: readonly Mark[]): string[] {
  return marks.flatMap(({ of, most, least }) =>
    figures.columns.flatMap((column) => {
      const { figure, value = Number.NaN } = lineOf(figures, of, column) ?? {};
      if (figure === undefined) return [];
      const isMet = value <= (most ?? Number.POSITIVE_INFINITY) && value >= (least ?? 0);
      const mark = most === undefined ? `at least ${least}` : `at most ${most}`;
      return isMet ? [] : [`missed: ${of}, ${column}: ${figure} (${mark})`];
    }),
  );
}

export function drawTable(figures: Figures): string {
  const names = [...new Set(figures.lines.map(({ what }) => what))];
  const rows = [
    ['', ...figures.columns],
    ...names.map((what) => [
      what,
      ...figures.columns.map((column) => lineOf(figures, what, column)?.figure ?? ''),
    ]),
  ];
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  const drawn = rows.map(([what = '', ...cells]) =>
    [what.padEnd(widths[0] ?? 0), ...cells.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))].join('  '),
  );
  return [figures.about, ...drawn].join('\n');
}

import { type Given, type Mark, sentenceOf } from '../benches.ts';
import { ratioOf, type Timing } from './timing.ts';
import type { WholeRun } from './wholeRun.ts';

export type Line = {
  readonly what: string;
  /** One of the columns; the first, if it is not said. */
  readonly column?: string;
  readonly figure: string;
  /** For a terminal alone. */
  readonly more?: string;
  /** What a mark judges. */
  readonly value?: number;
};

export type Figures = {
  /** How they were measured. */
  readonly about: string;
  /** What ran the program, in order. */
  readonly columns: readonly string[];
  readonly lines: readonly Line[];
};

/** Skipped: this machine has not what the bench needs. */
export type Measure = (given: Given) => Promise<Figures | { readonly skipped: string }>;

/** How many times as long one takes as the other. */
export function besideLine(own: string, peer: string, timings: readonly Timing[]): Line {
  const what = `${own}, beside ${peer}`;
  const [one, other] = [own, peer].map((name) => timings.find((timing) => timing.name === name));
  if (one === undefined || other === undefined) return { what, figure: 'not known' };
  const value = ratioOf(one, other);
  return { what, figure: `${value.toFixed(2)} ×`, value };
}

/** The peak memory of a long run, beside that of a short one. */
export function memoryLine(what: string, long: WholeRun, short: WholeRun): Line {
  const value = long.peakMb / short.peakMb;
  return { what, figure: `${long.peakMb.toFixed(0)} MB, ${value.toFixed(2)} ×`, value };
}

function lineOf({ columns, lines }: Figures, what: string, column: string): Line | undefined {
  return lines.find((line) => line.what === what && (line.column ?? columns[0]) === column);
}

function judges({ on }: Mark, column: string): boolean {
  return on === undefined || column.startsWith(on);
}

function isMissed({ most, least }: Mark, value: number): boolean {
  // A figure that is no number meets no mark.
  return !(value <= (most ?? Number.POSITIVE_INFINITY) && value >= (least ?? Number.NEGATIVE_INFINITY));
}

/** The marks that were missed, or could not be judged, in a sentence each. */
export function misses(figures: Figures, marks: readonly Mark[]): string[] {
  return marks.flatMap((mark) =>
    figures.columns
      .filter((column) => judges(mark, column))
      .flatMap((column) => {
        const { figure, value } = lineOf(figures, mark.of, column) ?? {};
        if (value === undefined) return [`not measured: ${mark.of}, ${column} (${sentenceOf(mark)})`];
        return isMissed(mark, value)
          ? [`missed: ${mark.of}, ${column}: ${figure} (${sentenceOf(mark)})`]
          : [];
      }),
  );
}

type Face = { readonly missed: string; readonly hasMore: boolean };

function cellsOf(figures: Figures, marks: readonly Mark[], { missed, hasMore }: Face): string[][] {
  const names = [...new Set(figures.lines.map(({ what }) => what))];
  return names.map((what) => {
    const own = marks.filter(({ of }) => of === what);
    const cells = figures.columns.map((column) => {
      const { figure = '', more, value } = lineOf(figures, what, column) ?? {};
      const shown = hasMore && more !== undefined ? `${figure}, ${more}` : figure;
      const isOver = own.some((mark) => value !== undefined && judges(mark, column) && isMissed(mark, value));
      return isOver ? `${shown} ${missed}` : shown;
    });
    return [what, ...cells, markCell(own)];
  });
}

/** As a table's last column says what its line must keep to. */
export function markCell(marks: readonly Mark[]): string {
  return marks.map(sentenceOf).join('; ');
}

export function drawTable(figures: Figures, all: readonly Mark[]): string {
  const marks = all.filter((mark) => figures.columns.some((column) => judges(mark, column)));
  const rows = [
    ['', ...figures.columns, ''],
    ...cellsOf(figures, marks, { missed: '(missed)', hasMore: true }),
  ];
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  const drawn = rows.map((row) =>
    row
      .map((cell, at) => {
        const isFigure = at > 0 && at < row.length - 1;
        return isFigure ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0);
      })
      .join('  ')
      .trimEnd(),
  );
  return [figures.about, ...drawn].join('\n');
}

/** For the page of the figures. What a line must keep to is in the bench's own. */
export function markdownTable(figures: Figures, marks: readonly Mark[]): string {
  const rows = cellsOf(figures, marks, { missed: '**missed**', hasMore: false }).map(
    (row) => `| ${row.slice(0, -1).join(' | ')} |`,
  );
  return [
    figures.about,
    '',
    `| what | ${figures.columns.join(' | ')} |`,
    `| --- |${' ---: |'.repeat(figures.columns.length)}`,
    ...rows,
  ].join('\n');
}

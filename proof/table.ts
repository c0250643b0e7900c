import type { Finding, Row } from './tally.ts';

const headings = [
  'technique',
  'cases',
  'effects expected',
  'effects found',
  'duplicated',
  'lost',
  'wrongly reported',
  'paid again by a service that ignores keys',
];

function cellsOf(row: Row): string[] {
  const { technique, cases, expected, found, duplicated, lost, wronglyReported, paidAgain } = row;
  const numbers = [cases, expected, found, duplicated, lost, wronglyReported, paidAgain];
  return [technique, ...numbers.map((number) => number.toLocaleString('en-US'))];
}

function total(rows: readonly Row[]): string[] {
  const sum = (of: (row: Row) => number): number => rows.reduce((all, row) => all + of(row), 0);
  return cellsOf({
    technique: 'all',
    cases: sum((row) => row.cases),
    expected: sum((row) => row.expected),
    found: sum((row) => row.found),
    duplicated: sum((row) => row.duplicated),
    lost: sum((row) => row.lost),
    wronglyReported: sum((row) => row.wronglyReported),
    paidAgain: sum((row) => row.paidAgain),
    tooSlow: 0,
    tookMs: 0,
    notes: [],
  });
}

export function textTable(rows: readonly Row[]): string {
  const lines = [headings, ...rows.map(cellsOf), total(rows)];
  const widths = headings.map((_heading, column) =>
    Math.max(...lines.map((cells) => (cells[column] ?? '').length)),
  );
  return lines
    .map((cells) =>
      cells
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}

/** Aligned as the formatter does it, so that formatting does not change the page. */
export function markdownTable(rows: readonly Row[]): string {
  const lines = [headings, ...rows.map(cellsOf), total(rows)];
  const widths = headings.map((_heading, column) =>
    Math.max(...lines.map((cells) => (cells[column] ?? '').length)),
  );
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  const [head = [], ...rest] = lines.map((cells) => `| ${cells.map(pad).join(' | ')} |`);
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [head, `| ${rule.join(' | ')} |`, ...rest].join('\n');
}

const shownFindings = 40;

export function findingsText(findings: readonly Finding[]): string {
  const shown = findings.slice(0, shownFindings);
  const lines = shown.map(({ wrong, where, what }) => `${wrong}: ${where}\n    ${what}`);
  const more = findings.length - shown.length;
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
}

export function notesText(rows: readonly Row[]): string {
  return rows.flatMap(({ technique, notes }) => notes.map((note) => `${technique}: ${note}`)).join('\n');
}

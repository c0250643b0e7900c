import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withMarked } from '../scripts/marked.ts';
import { root } from '../test/support/root.ts';
import { type Finding, Tally } from './tally.ts';

/** What is counted, by the heading of its column. */
const columns: Readonly<Record<string, (tally: Tally) => number>> = {
  cases: ({ cases }) => cases,
  'effects expected': ({ expected }) => expected,
  'effects found': ({ found }) => found,
  duplicated: (tally) => tally.wrongs('duplicated'),
  lost: (tally) => tally.wrongs('lost'),
  'wrongly reported': (tally) => tally.wrongs('wrongly reported'),
  'paid again by a service that ignores keys': ({ paidAgain }) => paidAgain,
};

/** Aligned as the formatter does it, so that formatting does not change the page. */
export function tableOf(tallies: readonly Tally[]): string {
  const all = new Tally('all');
  for (const tally of tallies) all.add(tally);
  const lines = [
    ['technique', ...Object.keys(columns)],
    ...[...tallies, all].map((tally) => [
      tally.technique,
      ...Object.values(columns).map((of) => of(tally).toLocaleString('en-US')),
    ]),
  ];
  const widths = lines[0]?.map((_, column) =>
    Math.max(...lines.map((cells) => (cells[column] ?? '').length)),
  );
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths?.[column] ?? 0) : cell.padStart(widths?.[column] ?? 0);
  const rule = (widths ?? []).map((width, column) => (column === 0 ? '-' : '-:').padStart(width, '-'));
  const [head = [], ...rest] = lines.map((cells) => cells.map(pad));
  return [head, rule, ...rest].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function notesOf(tallies: readonly Tally[]): string[] {
  return tallies.flatMap(({ technique, notes }) => notes.map((note) => `- ${technique}: ${note}.`));
}

/** Writes the table of this run into docs/proof.md. */
export function putIntoPage(tallies: readonly Tally[], seed: string, seconds: number): void {
  const file = join(root, 'docs/proof.md');
  const cases = tallies.reduce((sum, tally) => sum + tally.cases, 0);
  const minutes = Math.max(1, Math.round(seconds / 60));
  const notes = notesOf(tallies);
  const chapter = [
    `The last full run: ${cases.toLocaleString('en-US')} cases in ${minutes} minutes, seed \`${seed}\`.`,
    tableOf(tallies),
    ...(notes.length > 0 ? [notes.join('\n')] : []),
  ].join('\n\n');
  writeFileSync(file, withMarked(readFileSync(file, 'utf8'), 'proof', chapter));
}

export function findingsText(findings: readonly Finding[]): string {
  return findings.map(({ wrong, where, what }) => `${wrong}: ${where}\n    ${what}`).join('\n');
}

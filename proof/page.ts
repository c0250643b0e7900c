import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withMarked } from '../scripts/marked.ts';
import { root } from '../testing/root.ts';
import { markdownTable } from './table.ts';
import type { Row } from './tally.ts';

/** Writes the table of this run into docs/proof.md. */
export function putIntoPage(rows: readonly Row[], seed: string, seconds: number): void {
  const file = join(root, 'docs/proof.md');
  writeFileSync(file, withMarked(readFileSync(file, 'utf8'), 'proof', chapter(rows, seed, seconds)));
}

function chapter(rows: readonly Row[], seed: string, seconds: number): string {
  const cases = rows.reduce((sum, row) => sum + row.cases, 0);
  const minutes = Math.max(1, Math.round(seconds / 60));
  const notes = rows.flatMap((row) => row.notes.map((note) => `- ${row.technique}: ${note}.`));
  return [
    `The last full run: ${cases.toLocaleString('en-US')} cases in ${minutes} minutes, seed \`${seed}\`.`,
    markdownTable(rows),
    ...(notes.length > 0 ? [notes.join('\n')] : []),
  ].join('\n\n');
}

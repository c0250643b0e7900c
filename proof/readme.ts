import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';
import { markdownTable } from './table.ts';
import type { Row } from './tally.ts';

const begin = '<!-- proof: written by npm run proof -- --markdown -->';
const end = '<!-- /proof -->';

/** Replaces the last table in README.md by that of this run. */
export function putIntoReadme(rows: readonly Row[], seed: string, seconds: number): void {
  const file = join(root, 'README.md');
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no ${begin} … ${end}`);
  const made = chapter(rows, seed, seconds);
  writeFileSync(file, `${text.slice(0, from)}${begin}\n\n${made}\n\n${text.slice(to)}`);
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

import type { Given } from '../cli/given.ts';
import { again } from '../words/again.ts';
import type { Suggestion } from '../words/suggestion.ts';

/** The same batch with a report of all its rows, where none was asked for. */
export function withReport(given: Given): Suggestion[] {
  if (given.text('report') !== undefined) return [];
  const name = plainName(given.text('once') ?? '');
  return [again(given, [], { name: 'report', value: `${name === '' ? 'batch' : name}-report.csv` })];
}

/** What a file and a batch can be called without quotes. */
export function plainName(text: string): string {
  return text.replace(/[^\p{L}\p{N}._-]+/gu, '-');
}

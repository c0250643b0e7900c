/** `a, b, and c`, or `a, b, or c`. */
export function listed(parts: readonly string[], word: 'and' | 'or' = 'and'): string {
  return new Intl.ListFormat('en', { type: word === 'and' ? 'conjunction' : 'disjunction' }).format(parts);
}

/** `12,345` */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 row`, `2 rows`, `12,345 rows`. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : nouns}`;
}

/** `a, b, and c`, or `a, b, or c`. */
export function listed(parts: readonly string[], word: 'and' | 'or' = 'and'): string {
  return new Intl.ListFormat('en', { type: word === 'and' ? 'conjunction' : 'disjunction' }).format(parts);
}

/** `12,345`. Node’s own way of writing it loads the tables of all languages: 11 ms of a history. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/gu, ',');
}

/** `1 row`, `2 rows`, `12,345 rows`. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : nouns}`;
}

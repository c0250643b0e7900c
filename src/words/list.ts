// Without Intl, which loads its tables of all languages for it: 11 ms of a command.

/** `a, b, and c`, or `a, b, or c`. */
export function listed(parts: readonly string[], word: 'and' | 'or' = 'and'): string {
  const [last = '', ...before] = parts.toReversed();
  if (before.length < 2) return [...before, last].join(` ${word} `);
  return `${before.reverse().join(', ')}, ${word} ${last}`;
}

/** `12,345` */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/gu, ',');
}

/** `1 row`, `2 rows`, `12,345 rows`. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : nouns}`;
}

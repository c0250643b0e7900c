/** Steps from one word to another: a letter added, dropped, changed, or swapped with its neighbour. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[line - 1] === to[column - 1];
      const swapped = from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      next.push(
        Math.min(
          (row[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (row[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}

/** The word that was probably meant; none if nothing is near enough. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(word.length / 3));
  const [best] = words
    .map((candidate) => ({ candidate, steps: distance(word, candidate) }))
    .filter(({ steps }) => steps <= most)
    .sort((one, other) => one.steps - other.steps);
  return best?.candidate;
}

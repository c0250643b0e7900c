const hexDigits = 12;

/**
 * Random ids that follow one another, from a random first one: the journal's index then keeps the rows of a
 * batch side by side, where each by itself would touch a page of its own; a twentieth of a row's time. That an
 * id was given before is as unlikely as for any other.
 */
export function consecutiveIds(uuid: () => string): () => string {
  const all = 16 ** hexDigits;
  let next = Number.parseInt(uuid().replaceAll('-', '').slice(0, hexDigits), 16);
  return () => {
    const id = next.toString(16).padStart(hexDigits, '0');
    next = (next + 1) % all;
    return id;
  };
}

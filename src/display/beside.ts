import type { Paint } from './display.ts';
import { safeLine } from './safeText.ts';

/** Two addresses, one under the other, whole; and under them a mark at each place where they differ. */
export function besideLines(
  { given, known }: { readonly given: string; readonly known: string },
  paint: Paint,
): string[] {
  const [above, below] = [safeLine(given), safeLine(known)];
  const places = Array.from(
    { length: Math.max(above.length, below.length) },
    (_, at) => above[at] !== below[at],
  );
  const shown = (text: string): string =>
    [...text].map((character, at) => (places[at] ? paint.red.bold(character) : character)).join('');
  const marks = places
    .map((differs) => (differs ? '^' : ' '))
    .join('')
    .trimEnd();
  return [`given  ${shown(above)}`, `known  ${shown(below)}`, `       ${marks}`];
}

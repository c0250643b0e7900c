import type { Intent, Journal } from '../journal/journal.ts';
import { idTooShort, noSuchIntent, severalIntents } from '../words/intentIds.ts';

const leastCharacters = 4;

/** The one intent whose id or key begins so. */
export async function intentById(
  beginning: string,
  { reads, place }: Pick<Journal, 'reads' | 'place'>,
): Promise<Intent> {
  const exact = await reads.get(beginning);
  if (exact !== undefined) return exact;
  if (beginning.length < leastCharacters) throw idTooShort(beginning, leastCharacters);
  const [found, other] = await reads.startingWith(beginning);
  if (found === undefined) throw noSuchIntent(beginning, place);
  if (other !== undefined) throw severalIntents(beginning, [found.id, other.id]);
  return found;
}

import type { Home } from '../../../testing/home.ts';
import { intentsIn, journalOf } from '../../look.ts';
import type { Service } from '../../service.ts';

/**
 * The IDs that a redirect after doubt has left to a person, rightly: whether the first request happened is not known.
 * Only what the service heard from this line on counts.
 */
export function redirectedIds(home: Home, { heard }: Pick<Service, 'heard'>, fromLine: number): string[] {
  const redirected = new Set(
    heard.slice(fromLine).flatMap(({ key, status }) => (status === 307 ? [key] : [])),
  );
  return intentsIn(journalOf(home)).flatMap(({ id, key, state }) =>
    state === 'held' && redirected.has(key) ? [id] : [],
  );
}

import type { Intent } from '../journal/journal.ts';
import { damage } from './journal.ts';
import type { Told } from './told.ts';

/** Of a journal from which nothing is ever deleted. */
export function missingIntent(): Told {
  return damage('it names an intent that it does not find');
}

/** Of what would be sent. */
export function changedRequest({ id, mayHaveLandedAtMs }: Intent): Told {
  const before = mayHaveLandedAtMs === undefined ? '' : '. What was sent before may have happened';
  return damage(`the request of intent ${id} is not what it was${before}`);
}

/** Of what would be shown again, or compared with what is wanted now. */
export function changedIntent({ id }: Intent, wasDone: boolean): Told {
  const before = wasDone ? '. It was done before' : '';
  return damage(`what is kept of intent ${id} is not what it was${before}`);
}

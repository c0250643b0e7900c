import type { Context } from '../context.ts';
import type { Intent, Journal } from '../journal/journal.ts';
import { inWords } from '../words/inWords.ts';
import { notNotedAsReported } from '../words/telling.ts';

/** Notes that a caller has seen the outcome; that it cannot be noted changes nothing of the outcome. */
export async function markReported(
  { id }: Pick<Intent, 'id'>,
  journal: Pick<Journal, 'commit' | 'clock'>,
  { display }: Pick<Context, 'display'>,
): Promise<void> {
  try {
    await journal.commit((tx) => tx.markReported(id, journal.clock.now()), { unsynced: true });
  } catch (thrown) {
    // The outcome stands and was told. Only a later run may show it once more where it could do it anew.
    display.step(notNotedAsReported((await inWords(thrown)).message));
  }
}

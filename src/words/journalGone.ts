import { Told } from './told.ts';

/** `trouble`: which of its files is gone, or is another one now. */
export function journalGone(trouble: string): Told {
  return new Told('journal-gone', `The journal was taken away while it was in use: ${trouble}.`, {
    hint: `Put the file back (its -wal beside it), then run the same command again.`,
  });
}

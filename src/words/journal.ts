import { sentence } from './nothing.ts';
import { type Sentence, Told } from './told.ts';

/** What a journal holds was damaged on its disk, and not so that SQLite would see it. */
export function damaged(what: string): Sentence {
  return {
    message: sentence(`The journal is damaged: ${what}`),
    hint: 'Keep a copy of it and put a backup in its place. The doctor says which file it is.',
    next: [['doctor']],
  };
}

export function damage(what: string): Told {
  const { message, ...details } = damaged(what);
  return new Told('journal-damaged', message, details);
}

export const unreadableBody = 'the body of an intent cannot be read';

/** `journal` begins a sentence. */
export function madeBeforeRelease(journal: string): string {
  return `${journal} was made by a botctl that was never released, and this one cannot read it. It was left as it is`;
}

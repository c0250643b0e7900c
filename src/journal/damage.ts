import { Failure } from '../errors.ts';

/** What a journal holds was damaged on its disk, and not so that SQLite would see it. */
export function damage(what: string): Failure {
  return new Failure('journal-damaged', `The journal is damaged: ${what}.`, {
    hint: 'Keep a copy of it and put a backup in its place. `botctl doctor` says which file it is.',
  });
}

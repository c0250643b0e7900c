import { Failure } from '../errors.ts';
import { nothingSent } from './nothing.ts';

/** Ctrl-C before anything was done. `when` is said after “Interrupted”: `before a token was read`. */
export function interrupted(when: string, nothingDone: string = nothingSent): Failure {
  return new Failure('interrupted', `Interrupted ${when}. ${nothingDone}`, {
    hint: 'Run the same command again when you are ready.',
  });
}

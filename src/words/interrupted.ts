import { Failure } from '../errors.ts';

/** Ctrl-C before anything was done. `when` is said after “Interrupted”: `before a token was read`. */
export function interrupted(when: string): Failure {
  return new Failure('interrupted', `Interrupted ${when}`, {
    hint: 'Run the same command again when you are ready.',
  });
}

import { Told } from './told.ts';

export const whenReady = 'Run the same command again when you are ready.';

/** Ctrl-C before anything was done. `when` is said after “Interrupted”: `before a token was read`. */
export function interrupted(when: string): Told {
  return new Told('interrupted', `Interrupted ${when}`, { hint: whenReady });
}

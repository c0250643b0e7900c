import { interrupted } from './interrupted.ts';
import { Told } from './told.ts';

export function noTerminal(): Told {
  return new Told('usage', 'There is no terminal to ask on', {
    hint: 'Pass --yes, or give what is asked for as an option.',
  });
}

export function interruptedAtQuestion(): Told {
  return interrupted('at the question');
}

/** Whoever was asked said No, or nothing. */
export function declined(hint = 'Run the same command again to be asked again.'): Told {
  return new Told('declined', 'Answered No', { hint });
}

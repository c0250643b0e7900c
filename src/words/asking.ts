import { Failure } from '../errors.ts';
import { interrupted } from './interrupted.ts';

export function noTerminal(): Failure {
  return new Failure('usage', 'There is no terminal to ask on', {
    hint: 'Pass --yes, or give what is asked for as an option.',
  });
}

export function interruptedAtQuestion(): Failure {
  return interrupted('at the question');
}

/** Whoever was asked said No, or nothing. */
export function declined(hint = 'Run the same command again to be asked again.'): Failure {
  return new Failure('declined', 'Answered No', { hint });
}

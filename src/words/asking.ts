import { Failure } from '../errors.ts';
import { interrupted } from './interrupted.ts';
import { nothingSent, nothingSentOrChanged, untouched } from './nothing.ts';

export function noTerminal(): Failure {
  return new Failure('usage', untouched('There is no terminal to ask on'), {
    hint: 'Pass --yes, or give what is asked for as an option.',
  });
}

export function interruptedAtQuestion(): Failure {
  return interrupted('at the question', nothingSentOrChanged);
}

/** Whoever was asked said No, or nothing. */
export function declined(
  nothingDone: string = nothingSent,
  hint = 'Run the same command again to be asked again.',
): Failure {
  return new Failure('declined', `Answered No. ${nothingDone}`, { hint });
}

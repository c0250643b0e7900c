import { Failure } from '../errors.ts';
import { changedNothing } from './nothing.ts';

/** What was refused, as a command says it that was to change something and to send nothing. */
export function changingNothing(error: unknown): unknown {
  return error instanceof Failure
    ? new Failure(error.code, changedNothing(error.message), error.details)
    : error;
}

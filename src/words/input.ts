import { Failure } from '../errors.ts';
import { interrupted } from './interrupted.ts';

/** `name` is what people call a file or stdin. */
export function unreadableInput(name: string, reason: string, cause: unknown): Failure {
  return new Failure('bad-file', `${name} cannot be read: ${reason}`, {
    hint: 'Check the path and its permissions, then run the same command again.',
    cause,
  });
}

export function interruptedReading(name: string): Failure {
  return interrupted(`while ${name} was being read`);
}

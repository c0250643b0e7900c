import { interrupted } from './interrupted.ts';
import { Told } from './told.ts';

/** `name` is what people call a file or stdin. */
export function unreadableInput(name: string, reason: string, cause: unknown): Told {
  return new Told('bad-file', `${name} cannot be read: ${reason}`, {
    hint: 'Check the path and its permissions, then run the same command again.',
    cause,
  });
}

export function interruptedReading(name: string): Told {
  return interrupted(`while ${name} was being read`);
}

import { Failure } from '../errors.ts';

export function outputNotWritable(trouble: string, cause: unknown): Failure {
  return new Failure('stdout-not-writable', `The output could not be written: ${trouble}.`, {
    hint: 'Make room or fix the redirection, and run the same command again: what is done is only shown again.',
    cause,
  });
}

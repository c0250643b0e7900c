import { Told } from './told.ts';

export function outputNotWritable(trouble: string, cause: unknown): Told {
  return new Told('stdout-not-writable', `The output could not be written: ${trouble}.`, {
    hint: 'Make room or fix the redirection, and run the same command again: what is done is only shown again.',
    cause,
  });
}

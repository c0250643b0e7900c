import { Told } from './told.ts';

export function metricsNotWritten(path: string, reason: string, cause: unknown): Told {
  return new Told('machine-fault', `The metrics could not be written to ${path}: ${reason}.`, {
    hint: 'Make its folder writable; an earlier file stands as it was.',
    cause,
  });
}

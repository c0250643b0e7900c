import { Failure } from '../errors.ts';

export function metricsNotWritten(path: string, reason: string, cause: unknown): Failure {
  return new Failure('machine-fault', `The metrics could not be written to ${path}: ${reason}.`, {
    hint: 'Make its folder writable; an earlier file stands as it was.',
    cause,
  });
}

import { Failure } from '../errors.ts';
import { untouched } from './nothing.ts';

export function noHomeFolder(cause: unknown): Failure {
  return new Failure('machine-fault', untouched('HOME is not set, and this user has no home folder'), {
    hint: 'Set HOME, or both XDG_CONFIG_HOME and XDG_DATA_HOME, to a permanent folder.',
    cause,
  });
}

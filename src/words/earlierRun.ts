import { Failure } from '../errors.ts';
import { counted } from './list.ts';
import { thisTime, unsentNow, withoutEnd } from './nothing.ts';

// What keeps a command from beginning, with what is known of an earlier run of it.

type Earlier = { readonly id: string; readonly key: string; readonly state: string };

export function earlierMayHaveHappened(
  cause: Failure,
  { id, key, state }: Earlier,
  isRunAgainAnyway: boolean,
): Failure {
  const { message, details } = cause;
  const goesOn = 'Then run the same command again: it goes on with the same key.';
  return new Failure(
    state === 'held' ? 'held' : 'unknown',
    `${thisTime(message)} An earlier run of this command may have happened: intent ${id} is ${state}, its key is ${key}.`,
    {
      ...details,
      hint: [details.hint ?? '', isRunAgainAnyway ? '' : goesOn].join(' ').trim(),
      next: [...(details.next ?? []), ['history', id]],
      cause,
    },
  );
}

export function rowsMayHaveHappened(cause: Failure, rows: number): Failure {
  return new Failure(
    'stopped',
    `${thisTime(cause.message)} ${counted(rows, 'row')} of this batch may have happened in an earlier run.`,
    { ...cause.details, cause },
  );
}

export function cannotBeTold({ code, message, details }: Failure): Failure {
  return new Failure(
    code,
    `${unsentNow(withoutEnd(message))} Whether an earlier run of this command happened cannot be told without its journal.`,
    details,
  );
}

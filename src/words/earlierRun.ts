import { counted } from './list.ts';
import { Told } from './told.ts';

// What keeps a command from beginning, with what is known of an earlier run of it.

type Earlier = { readonly id: string; readonly key: string; readonly state: string };

export function earlierMayHaveHappened(
  cause: Told,
  { id, key, state }: Earlier,
  isRunAgainAnyway: boolean,
): Told {
  const { message, details } = cause;
  const goesOn = 'Then run the same command again: it goes on with the same key.';
  return new Told(state === 'held' ? 'held' : 'unknown', message, {
    ...details,
    earlier: `An earlier run of this command may have happened: intent ${id} is ${state}, its key is ${key}.`,
    hint: [details.hint ?? '', isRunAgainAnyway ? '' : goesOn].join(' ').trim(),
    next: [...(details.next ?? []), ['history', id]],
    cause,
  });
}

export function rowsMayHaveHappened(cause: Told, rows: number): Told {
  return new Told('stopped', cause.message, {
    ...cause.details,
    earlier: `${counted(rows, 'row')} of this batch may have happened in an earlier run.`,
    cause,
  });
}

export function cannotBeTold({ code, message, details }: Told): Told {
  const earlier = 'Whether an earlier run of this command happened cannot be told without its journal.';
  return new Told(code, message, { ...details, earlier });
}

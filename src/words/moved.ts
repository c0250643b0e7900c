import type { Suggestion } from './suggestion.ts';

/** The refusal of whatever sends or decides with a journal that was copied elsewhere. */
export function movedAway(
  path: string,
  place: string,
  isWhole: boolean,
): { message: string; hint: string; next?: readonly Suggestion[] } {
  const message = `The journal ${path} was copied into ${place}, and sends nothing more itself`;
  if (isWhole)
    return {
      message,
      hint: 'Name that journal with BOTCTL_JOURNAL or --journal. This one can still be read.',
    };
  return {
    message,
    hint: 'The copy is not finished. Run journal copy again, then name that journal with BOTCTL_JOURNAL or --journal.',
  };
}

import { type Failure, told } from '../../once/failures.ts';
import type { Suggestion } from '../../once/says.ts';
import { addingProfile, listingProfiles } from './profiles.ts';

export function noProfileToShow(isNameEmpty: boolean, path: string): Failure {
  const why = isNameEmpty ? 'The name of the profile is empty.' : 'No profile is in use, and none was named.';
  return told('no-such-profile', { next: [...listingProfiles, ...addingProfile] })`${why}
    List the profiles in ${path}, or add one:`;
}

/** Said when the profile in use is removed. */
export function noneInUse(others: readonly string[]): readonly [string, readonly Suggestion[]] {
  const choose = others.length === 0 ? '' : ' To use another one:';
  return [
    `It was the profile in use. No profile is in use now.${choose}`,
    others.slice(0, 3).map((other) => ['config', 'use', other]),
  ];
}

/** The value is not echoed: it is a token, and it is already in the shell's history. */
export function tokenAsArgument(): Failure {
  return told('usage')`A token cannot be an argument: arguments are visible in ps and in the shell’s history
    If that was the token, have a new one issued. Leave it out and botctl asks for it, or use --token-stdin.`;
}

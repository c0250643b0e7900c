import { listed } from './list.ts';
import { addingProfile, listingProfiles } from './profiles.ts';
import type { Suggestion } from './suggestion.ts';
import { Told } from './told.ts';

export function profileExists(name: string): Told {
  return new Told('not-allowed-now', `There is already a profile ${name}`, {
    hint: 'Change it, or remove it first:',
    next: [
      ['config', 'set', name, 'KEY', 'VALUE'],
      ['config', 'remove', name],
    ],
  });
}

export function reservedProfileName(name: string, meaning: string): Told {
  return new Told('bad-input', `A profile cannot be called ${name}: that name ${meaning}`, {
    hint: 'Choose another name, such as the bot’s own.',
  });
}

export function badProfileName(name: string, longest: number): Told {
  return new Told('bad-input', `${JSON.stringify(name)} cannot be the name of a profile`, {
    hint: `Use letters, digits, dots, underscores and hyphens, starting with a letter or digit, at most ${longest} characters.`,
  });
}

export function noProfileUrl(): Told {
  return new Told('usage', 'A profile needs --base-url', {
    hint: 'Add it, as in --base-url https://bots.example.com. BOTCTL_BASE_URL is not stored in a profile.',
  });
}

export function tokenOfOtherOrigin(name: string, baseUrl: string): Told {
  return new Told('base-url', `The token of profile ${name} belongs to ${baseUrl} and is sent nowhere else`, {
    hint: 'Give the token for the new address too: --token-stdin, --token-env, --token-file or --token-command. On a terminal botctl asks for it.',
  });
}

export function newTokenNeeded(name: string, baseUrl: string): string {
  return `The token of ${name} belongs to ${baseUrl}: the new address needs its own.`;
}

export function tokenBesideKey(name: string, key: string, value: string): Told {
  return new Told('usage', `A token cannot be given together with ${key}`, {
    hint: 'Set one thing at a time:',
    next: [
      ['config', 'set', name, 'token'],
      ['config', 'set', name, key, value],
    ],
  });
}

export function unknownProfileKey(key: string, keys: readonly string[]): Told {
  return new Told('bad-input', `A profile has no key ${JSON.stringify(key)}`, {
    hint: `The keys are ${listed(keys)}.`,
  });
}

export function keyWithoutValue(name: string, key: string): Told {
  return new Told('usage', `${key} needs a value`, {
    hint: 'Give one, or reset the key to its default:',
    next: [
      ['config', 'set', name, key, 'VALUE'],
      ['config', 'unset', name, key],
    ],
  });
}

/** `isNeeded`: a key that every profile has. */
export function keyNotResettable(
  name: string,
  key: string,
  isNeeded: boolean,
  keys: readonly string[],
): Told {
  const problem = isNeeded ? `A profile needs its ${key}` : `A profile has no key ${JSON.stringify(key)}`;
  return new Told('bad-input', problem, {
    hint: `You can reset ${listed(keys, 'or')}. To remove the whole profile:`,
    next: [['config', 'remove', name]],
  });
}

export function noProfileToShow(isNameEmpty: boolean): Told {
  const why = isNameEmpty ? 'The name of the profile is empty.' : 'No profile is in use, and none is named.';
  return new Told('no-such-profile', why, {
    hint: 'List the profiles, or add one:',
    next: [...listingProfiles, ...addingProfile],
  });
}

export function removalDeclined(name: string): Told {
  return new Told('declined', `Answered No: profile ${name} is still there`, {
    hint: 'Run the same command again to be asked again.',
  });
}

type Removed = { readonly name: string; readonly baseUrl: string; readonly hasStoredToken: boolean };

export function removalQuestion({ name, baseUrl, hasStoredToken }: Removed): string {
  return `Remove profile ${name} (${baseUrl})${hasStoredToken ? ' and the token stored in it' : ''}?`;
}

/** The profile that was removed was in use. */
export function noneInUse(others: readonly string[]): readonly [string, readonly Suggestion[]] {
  const choose = others.length === 0 ? '' : ' To use another one:';
  return [
    `It was the profile in use. Now none is.${choose}`,
    others.slice(0, 3).map((other) => ['config', 'use', other]),
  ];
}

export function anotherInUse(name: string): readonly [string, readonly Suggestion[]] {
  return ['Another profile is in use. To use this one:', [['config', 'use', name]]];
}

export function outranksInUse(variable: string): string {
  return `${variable} is set here and outranks the profile in use.`;
}

export const noProfilesYet = 'There are no profiles yet. To add one:';
export const profileAdded = (name: string): string => `Added profile ${name}.`;
export const profileRemoved = (name: string): string => `Removed profile ${name}.`;
export const profileRenamed = (name: string, newName: string): string => `${name} is now called ${newName}.`;

export function renamedInJournal(name: string): string {
  return `What it did stays in the journal under ${name}; what is not settled of it cannot be resumed under the new name:`;
}
export const profileInUse = (name: string): string => `${name} is now in use.`;
export function keySet(name: string, key: string, now: string, before: string | undefined): string {
  return `Set ${key} of profile ${name}: ${now}${was(before)}`;
}

export function keyReset(name: string, key: string, before: string | undefined): string {
  return `Reset ${key} of profile ${name} to its default${was(before)}`;
}

function was(before: string | undefined): string {
  return before === undefined ? '' : ` (it was: ${before})`;
}

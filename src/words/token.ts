import { Told } from './told.ts';

export const tokenProblems = {
  empty: 'is empty',
  tooLong: (most: number) => `is longer than ${most} characters`,
  blank: (position: number) => `has a blank or a line break at position ${position}`,
  control: (position: number) => `has a control character at position ${position}`,
  notAscii: (position: number) => `has a character outside ASCII at position ${position}`,
} as const;

/** `origin` says where the text came from. The text itself is never echoed. */
export function badToken(origin: string, problem: string): Told {
  return new Told('bad-token', `The token from ${origin} ${problem}`, {
    hint: 'A token is one word of printable ASCII characters. Copy the whole token again, without “Bot ” before it and without quotes.',
  });
}

export function tokenVariableUnset(profile: string, variable: string, value: '' | undefined): Told {
  const problem = value === undefined ? 'is not set' : 'is empty';
  return new Told(
    'no-token',
    `Profile ${profile} takes its token from the variable ${variable}, which ${problem}`,
    {
      hint: `Set ${variable} and run the same command again, or change where the profile takes its token from:`,
      next: [['config', 'set', profile, 'token']],
    },
  );
}

/** Why a token that is only looked at has no ending to show. */
export const glimpseProblems = { unset: 'not set here', empty: 'empty', notAToken: 'not a token' } as const;

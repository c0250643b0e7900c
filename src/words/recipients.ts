import { fewOf } from './short.ts';

export const recipientRule = 'an address, or @ and a name under recipients in the policy';

const howMany = (count: number): string => `${count} more`;

export const recipientProblems = {
  noPolicy: 'is a name, and there is no policy that gives it an address',
  unknown: (names: readonly string[]): string =>
    names.length === 0
      ? 'is a name, and the policy gives no address a name'
      : `is a name that no policy has: there ${names.length === 1 ? 'is' : 'are'} ${fewOf(names, ', ', howMany)}`,
  several: 'is a name for which two policies have different addresses',
} as const;

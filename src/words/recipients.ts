export const recipientRule = 'an address, or @ and a name under recipients in the policy';

export const recipientProblems = {
  noPolicy: 'is a name, and there is no policy that gives it an address',
  unknown: 'is a name that no policy has',
  several: 'is a name for which two policies have different addresses',
} as const;

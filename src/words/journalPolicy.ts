import { Told } from './told.ts';

export const journalsOwn = 'of the journal';

export function countsNothing(place: string, source: string): Told {
  return new Told(
    'policy-journal',
    `The shared journal ${place} has no policy of its own and counts nothing yet, so the policy ${source} cannot be held there`,
    {
      hint: 'Have the role that owns its tables set one, for all who send through it:',
      next: [['policy', 'set', 'FILE']],
    },
  );
}

export function onlySharedHasPolicy(path: string): Told {
  return new Told('usage', `The journal ${path} is a file, and keeps no policy of its own`, {
    hint: 'Name the policy’s file in the profile, or put it into /etc/botctl/policy.json:',
    next: [['config', 'set', 'NAME', 'policy', '/etc/botctl/policy.json']],
  });
}

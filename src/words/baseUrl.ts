import { Told } from './told.ts';

const example = 'Write it like https://bots.example.com.';

const faults = {
  'not-a-url': ['is not a URL', example],
  'user-info': [
    'contains a user name or a password',
    'Leave them out: botctl signs in with the bot token only.',
  ],
  'not-https': [
    'is not https',
    'Use https: over http, anyone on the way can read the token. Plain http is allowed for this machine only.',
  ],
  query: ['has a query or a fragment', example],
  path: [
    'has a path that can be spelled in more than one way: it contains %, //, \\, ;, a dot segment, a blank or a character that is not ASCII',
    'Write the path plainly, like https://bots.example.com/team-a: one service must have one address.',
  ],
} as const;

type BaseUrlFault = keyof typeof faults;

/** `name` says which base URL it is. The text itself is never echoed. */
export function badBaseUrl(name: string, fault: BaseUrlFault): Told {
  const [problem, hint] = faults[fault];
  return new Told('base-url', `${name} ${problem}`, { hint });
}

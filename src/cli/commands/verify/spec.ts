import type { LeafSpec } from '../../parse/command.ts';

export const verifySpec: LeafSpec = {
  name: 'verify',
  does: 'decides',
  about: 'Ask a Solana node what was paid, to whom',
  details:
    'Needs an rpc-url in the bot’s profile; --profile names another profile for it. What is not shown is undecided: a miss proves nothing.',
  arguments: [
    { usage: '[ids...]', about: 'transfers: ids or keys, or their first characters', completes: 'intents' },
  ],
  options: [
    { flags: '--all', about: 'every transfer without a final verdict' },
    { flags: '--since <when>', about: 'with --all: only what began since then, as in the history' },
    { flags: '--rate <n/s>', about: 'at most so many requests to each node: 4/s, 100/m' },
    {
      flags: '--acknowledge',
      about:
        'you have dealt with what the chain says against it; with --all, that nobody can look at transfers whose profile is gone (with --reason)',
    },
    { flags: '--reason <text>', about: 'what was done about it; kept with your name and the time' },
  ],
  examples: [
    { about: 'One transfer', line: 'botctl verify 3f9a' },
    {
      about: 'Every night, at the pace of a public node',
      line: 'botctl verify --all --since 48h --rate 4/s',
    },
    {
      about: 'A contradiction that a person has dealt with',
      line: 'botctl verify 3f9a --acknowledge --reason "refunded by the service, ticket 42"',
    },
  ],
  exits: [0, 1, 2, 3, 9, 10, 11],
  load: async () => (await import('./run.ts')).run,
};

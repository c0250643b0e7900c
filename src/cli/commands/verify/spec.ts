import type { LeafSpec } from '../../parse/command.ts';

export const verifySpec: LeafSpec = {
  name: 'verify',
  group: 'Money',
  does: 'decides',
  about: 'Check on the chain what was paid, and to whom',
  details:
    'It asks the Solana node in the bot’s profile (rpc-url), or in the profile that --profile names. A payment that the node does not show stays undecided: its absence proves nothing.',
  arguments: [
    { usage: '[ids...]', about: 'payments: the ID, its first characters, or a name', completes: 'intents' },
  ],
  options: [
    { flags: '--all', about: 'every payment without a final answer' },
    { flags: '--since <when>', about: 'with --all: only payments begun since then, as in history' },
    { flags: '--rate <n/s>', about: 'at most this many requests to each node: 4/s or 100/m' },
    {
      flags: '--acknowledge',
      about: 'record that you have dealt with a contradiction (needs --reason)',
    },
    { flags: '--reason <text>', about: 'what you did about it; kept with your name and the time' },
  ],
  examples: [
    { about: 'Check one payment', line: 'botctl verify 3f9a' },
    {
      about: 'Check every night, at the pace of a public node',
      line: 'botctl verify --all --since 48h --rate 4/s',
    },
    {
      about: 'Close a contradiction that you have dealt with',
      line: 'botctl verify 3f9a --acknowledge --reason "refunded by the service, ticket 42"',
    },
  ],
  exits: [0, 1, 2, 3, 8, 9, 10, 11],
  load: async () => (await import('./run.ts')).run,
};

import type { LeafSpec } from '../../parse/command.ts';

export const balanceSpec: LeafSpec = {
  name: 'balance',
  does: 'looks',
  about: 'Ask a Solana node what the bot’s wallet holds',
  details:
    'Shows SOL and the tokens in the profile’s assets. Needs rpc-url and wallet in the profile, and no token; --profile names another profile. A node has 1 s to answer, or --timeout.',
  examples: [
    { about: 'The wallet of the profile in use', line: 'botctl balance' },
    {
      about: 'One amount, for a script',
      line: `botctl balance --profile prod --json | jq -r '.balances[] | select(.asset == "USDC").amount'`,
    },
    { about: 'Only the amounts', line: 'botctl balance --quiet' },
  ],
  exits: [0, 1, 2, 3, 8, 130],
  load: async () => (await import('./run.ts')).balance,
};

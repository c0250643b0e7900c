import { options } from '../parse/args.ts';
import { type ArgsOf, command } from '../parse/command.ts';

export const verifySpec = command({
  group: 'Money',
  does: 'decides',
  about: 'Check on the chain what was paid, and to whom',
  details:
    'It asks the Solana node in the bot’s profile (rpc-url), or in the profile that --profile names. A payment that the node does not show stays undecided: its absence proves nothing.',
  arguments: ['[ids...]  payments: the ID, its first characters, or a name'],
  options: options([
    '--all  every payment without a final answer',
    '--wallet  list payments from the wallet that have no entry; only looks',
    '--since <when>  with --all: only payments begun since then, as in history; with --wallet: made since then',
  ]),
  examples: {
    'Check one payment': 'botctl verify 3f9a',
    'Check every night': 'botctl verify --all --since 48h',
    'Look for payments that botctl did not make': 'botctl verify --wallet --since 7d',
  },
});

export type VerifyArgs = ArgsOf<typeof verifySpec>;

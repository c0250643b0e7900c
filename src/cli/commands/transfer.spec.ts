import { options } from '../parse/args.ts';
import { type ArgsOf, command } from '../parse/command.ts';
import { onceOptions } from '../parse/onceOptions.ts';

export const transferSpec = command({
  group: 'Every day',
  does: 'sends',
  about: 'Pay SOL or a token from the bot’s wallet',
  details: 'Without a terminal nobody is asked: the payment is sent even without --yes.',
  options: [
    ...options(
      [
        '-t, --to <address>  the recipient’s address, or @NAME from the policy',
        '--asset <asset>  SOL, or the name of a token',
        '--amount <amount>  how much, such as 5 or 1.5',
        '--memo <text>  a note that goes with the payment',
        ['--payload <file>  read the whole request as JSON; options override it', { readsStdin: true }],
        '--allow-off-curve  pay an address off the curve, like a multisig vault',
        '--propose  send nothing until a person approves it',
        '--repeat  pay even if the same was paid in the last 12 hours; needs a name',
        [
          '--wait [until]  wait until finalized (or confirmed) on the chain',
          { completes: ['finalized', 'confirmed'] },
        ],
      ],
      'Transfer',
    ),
    ...onceOptions,
  ],
  examples: {
    'Try it without money':
      'botctl --sandbox transfer --to 9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM --asset SOL --amount 1.5',
    'Pay once, however often the script runs':
      'botctl transfer --once payout-2026-11-ada --to "$ADA" --asset USDC --amount 250 --yes',
    'Read the request from a JSON file, and print only the signature':
      'botctl transfer --payload payout.json --yes --quiet',
  },
});

export type TransferArgs = ArgsOf<typeof transferSpec>;

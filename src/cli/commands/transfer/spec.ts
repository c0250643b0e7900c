import type { LeafSpec, OptionSpec } from '../../parse/command.ts';
import { exitsOfOnce, onceOptions, repeatWindowOption } from '../send/spec.ts';

const group = 'Transfer';

export const waitOptionSpecs: readonly OptionSpec[] = [
  {
    flags: '--wait [until]',
    about: 'wait until finalized (or confirmed) on the chain',
    completes: ['finalized', 'confirmed'],
    group,
  },
  { flags: '--wait-timeout <duration>', about: 'how long to wait (default 2m)', group },
];

export const transferSpec: LeafSpec = {
  name: 'transfer',
  group: 'Every day',
  does: 'sends',
  about: 'Pay SOL or a token from the bot’s wallet',
  options: [
    {
      flags: '-t, --to <address>',
      about: 'the recipient’s address, or @NAME from the policy',
      completes: 'recipients',
      group: 'Transfer',
    },
    {
      flags: '--asset <asset>',
      about: 'SOL, or the name of a token',
      group: 'Transfer',
      completes: 'assets',
    },
    { flags: '--amount <amount>', about: 'how much, such as 5 or 1.5', group: 'Transfer' },
    { flags: '--memo <text>', about: 'a note that goes with the payment', group: 'Transfer' },
    {
      flags: '--payload <file>',
      readsStdin: true,
      about: 'read the whole request as JSON; options override it',
      group: 'Transfer',
    },
    {
      flags: '--allow-off-curve',
      about: 'pay an address off the curve, such as a multisig vault',
      rare: true,
      group: 'Transfer',
    },
    {
      flags: '--allow-unusual',
      about: 'pay a mint, a program or the bot’s own wallet',
      rare: true,
      group: 'Transfer',
    },
    {
      flags: '--propose',
      about: 'send nothing until a person approves it',
      group: 'Transfer',
    },
    ...waitOptionSpecs,
    ...onceOptions,
    repeatWindowOption,
  ],
  examples: [
    {
      about: 'Try it without money',
      line: 'botctl --sandbox transfer --to 9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM --asset SOL --amount 1.5',
    },
    {
      about: 'Pay once, however often the script runs',
      line: 'botctl transfer --once payout-2026-11-ada --to "$ADA" --asset USDC --amount 250 --yes',
    },
    {
      about: 'Read the request from a JSON file, and print only the signature',
      line: 'botctl transfer --payload payout.json --yes --quiet',
    },
  ],
  exits: exitsOfOnce.filter((exit) => exit !== 4),
  load: async () => (await import('./run.ts')).run,
};

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
  does: 'sends',
  about: 'Send SOL or a token from the bot’s wallet',
  options: [
    {
      flags: '-t, --to <address>',
      about: 'the recipient’s address, or @NAME of the policy',
      completes: 'recipients',
      group: 'Transfer',
    },
    {
      flags: '--asset <asset>',
      about: 'SOL, or the name of a token',
      group: 'Transfer',
      completes: ['SOL'],
    },
    { flags: '--amount <amount>', about: 'how much, like 5 or 1.5', group: 'Transfer' },
    { flags: '--memo <text>', about: 'a note that goes with the transfer', group: 'Transfer' },
    {
      flags: '--payload <file>',
      about: 'read the whole request as JSON; options override it',
      group: 'Transfer',
    },
    {
      flags: '--allow-off-curve',
      about: 'allow an address off the curve (multisig vaults)',
      group: 'Transfer',
    },
    {
      flags: '--allow-unusual',
      about: 'allow a mint, a program, or the bot’s own wallet',
      group: 'Transfer',
    },
    {
      flags: '--propose',
      about: 'only put it on record, for a person to approve',
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
      about: 'In a script: with a name it happens once, however often the script runs',
      line: 'botctl transfer --once payout-2026-11-ada --to "$ADA" --asset USDC --amount 250 --yes',
    },
    {
      about: 'Read a JSON file, print only the signature',
      line: 'botctl transfer --payload payout.json --yes --quiet',
    },
  ],
  exits: exitsOfOnce.filter((exit) => exit !== 4),
  load: async () => (await import('./run.ts')).run,
};

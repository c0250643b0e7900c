import type { LeafSpec } from '../cli/spec.ts';
import { exitsOfDoing, onceOptions } from './onceSpec.ts';

export const transferSpec: LeafSpec = {
  name: 'transfer',
  about: 'Send SOL or a token from the bot’s wallet and print the chain signature',
  options: [
    { flags: '--to <address>', about: 'the recipient’s wallet address', group: 'Transfer' },
    {
      flags: '--asset <asset>',
      about: 'SOL, or the string that names a token',
      group: 'Transfer',
      completes: ['SOL'],
    },
    { flags: '--amount <amount>', about: 'digits, or digits.digits, like 1.5', group: 'Transfer' },
    { flags: '--memo <text>', about: 'an annotation', group: 'Transfer' },
    {
      flags: '--payload <file>',
      about: 'the whole request body as JSON, or - for stdin; other options override its fields',
      group: 'Transfer',
    },
    { flags: '--allow-off-curve', about: 'the address may be a multisig vault’s', group: 'Transfer' },
    ...onceOptions,
  ],
  examples: [
    {
      about: 'Try it without money',
      line: 'botctl --sandbox transfer --to 9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM --asset SOL --amount 1.5',
    },
    {
      about: 'In a script: named, so that it happens once however often the script runs',
      line: 'botctl transfer --once payout-2026-11-ada --to "$ADA" --asset USDC --amount 250',
    },
    {
      about: 'Only the signature, from a JSON file',
      line: 'botctl transfer --payload payout.json --yes --quiet',
    },
  ],
  exits: exitsOfDoing.filter((exit) => exit !== 4),
  load: async () => (await import('./transfer.ts')).run,
};

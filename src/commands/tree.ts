import type { CommandSpec, LeafSpec } from '../cli/spec.ts';
import type { Exit } from '../errors.ts';
import { onceOptions } from './naming.ts';
import { sandboxSpec } from './sandboxSpec.ts';

const exitsOfDoing: readonly Exit[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130];

const send: LeafSpec = {
  name: 'send',
  about: 'Post a bot message, with buttons, into a conversation',
  options: [
    { flags: '--conversation <id>', about: 'the conversation, from an inbound event', group: 'Message' },
    { flags: '--content <text>', about: '1 to 5000 characters', group: 'Message' },
    {
      flags: '--content-file <file>',
      about: 'read the content from a file, or - for stdin',
      group: 'Message',
    },
    { flags: '--reply-to <id>', about: 'the message this replies to', group: 'Message' },
    {
      flags: '--button <label=…,id=…[,style=…]>',
      about: 'a button, repeatable; style success or danger',
      repeatable: true,
      group: 'Message',
    },
    { flags: '--row', about: 'begin a new row of buttons', repeatable: true, group: 'Message' },
    { flags: '--components <file>', about: 'rows of buttons as JSON, instead of --button', group: 'Message' },
    {
      flags: '--payload <file>',
      about: 'the whole request body as JSON, or - for stdin; other options override its fields',
      group: 'Message',
    },
    ...onceOptions,
  ],
  examples: [
    {
      about: 'Try it without an account',
      line: 'botctl --sandbox send --conversation conv_demo --content "Hello"',
    },
    {
      about: 'A question with two buttons, asked once however often this runs',
      line: 'botctl send --once vote-42 --conversation conv_7 --content "Ship it?" \\\n      --button label=Yes,id=vote_yes,style=success --button label=No,id=vote_no,style=danger',
    },
    {
      about: 'The text from another program',
      line: 'uptime | botctl send --conversation conv_7 --content-file -',
    },
  ],
  exits: exitsOfDoing.filter((exit) => exit !== 5),
  load: async () => (await import('./send.ts')).run,
};

const transfer: LeafSpec = {
  name: 'transfer',
  about: 'Send SOL or a token from the bot’s wallet and print the chain signature',
  options: [
    { flags: '--to <address>', about: 'the recipient’s wallet address', group: 'Transfer' },
    { flags: '--asset <asset>', about: 'SOL, or the string that names a token', group: 'Transfer' },
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

/** Every command, in the order the help shows them. What a command does is loaded when it runs. */
export const commandTree: readonly CommandSpec[] = [send, transfer, sandboxSpec];

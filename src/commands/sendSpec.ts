import type { LeafSpec } from '../cli/spec.ts';
import { exitsOfDoing, onceOptions } from './onceSpec.ts';

export const sendSpec: LeafSpec = {
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

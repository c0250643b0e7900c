import { options } from '../parse/args.ts';
import { type ArgsOf, command } from '../parse/command.ts';
import { onceOptions } from '../parse/onceOptions.ts';

export const sendSpec = command({
  group: 'Every day',
  does: 'sends',
  about: 'Send a message, with or without buttons',
  options: [
    ...options(
      [
        '-c, --conversation <id>  the conversation’s ID, from an inbound event',
        ['-m, --content <text>  the text, 1 to 5000 characters', { readsStdin: true }],
        ['--content-file <file>  read the text from a file; - reads stdin', { readsStdin: true }],
        '--reply-to <id>  the ID of the message to reply to',
        [
          '--button <label=…,id=…[,style=…]>  add a button (repeatable); style: success or danger',
          { repeatable: true },
        ],
        ['--components <file>  read the buttons from a JSON file instead', { readsStdin: true }],
        ['--payload <file>  read the whole request as JSON; options override it', { readsStdin: true }],
      ],
      'Message',
    ),
    ...onceOptions,
  ],
  examples: {
    'Try it without an account': 'botctl --sandbox send --conversation conv_demo --content "Hello"',
    'Ask a question once, however often this command runs':
      'botctl send --once vote-42 --conversation conv_7 --content "Ship it?" \\\n      --button label=Yes,id=vote_yes,style=success --button label=No,id=vote_no,style=danger',
    'Send the output of another program': 'uptime | botctl send --conversation conv_7 --content-file -',
  },
});

export type SendArgs = ArgsOf<typeof sendSpec>;

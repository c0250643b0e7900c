import type { Exit } from '../../../once/failures.ts';
import type { LeafSpec, OptionSpec } from '../../parse/command.ts';

const group = 'Sent once';

/** Options of every command that sends one thing. */
export const onceOptions: readonly OptionSpec[] = [
  { flags: '-o, --once <name>', about: 'name it; it happens once under that name', group },
  {
    flags: '--run <name>',
    about: 'name a run; each distinct command happens once',
    env: 'BOTCTL_RUN',
    rare: true,
    group,
  },
  {
    flags: '--idempotency-key <key>',
    about: 'use this key, which another system has chosen',
    rare: true,
    group,
  },
  { flags: '--dry-run', about: 'show the request and whether it was sent before; send nothing', group },
  { flags: '-y, --yes', about: 'do not ask for confirmation', group },
];

export const repeatWindowOption: OptionSpec = {
  flags: '--repeat-window <duration>',
  about: 'how long another equal payment counts as a repeat (default 20h; 0: never)',
  rare: true,
  group,
};

/** The exit codes of a command that sends one thing. */
export const exitsOfOnce: readonly Exit[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130];

export const sendSpec: LeafSpec = {
  name: 'send',
  group: 'Every day',
  does: 'sends',
  about: 'Send a message, with or without buttons, to a conversation',
  options: [
    {
      flags: '-c, --conversation <id>',
      about: 'the conversation’s ID, from an inbound event',
      group: 'Message',
    },
    {
      flags: '-m, --content <text>',
      readsStdin: true,
      about: 'the text, 1 to 5000 characters',
      group: 'Message',
    },
    {
      flags: '--content-file <file>',
      readsStdin: true,
      about: 'read the text from a file; - reads stdin',
      group: 'Message',
    },
    { flags: '--reply-to <id>', about: 'the ID of the message to reply to', group: 'Message' },
    {
      flags: '--button <label=…,id=…[,style=…]>',
      about: 'add a button (repeatable); style: success or danger',
      repeatable: true,
      group: 'Message',
    },
    { flags: '--row', about: 'start a new row of buttons', repeatable: true, group: 'Message' },
    {
      flags: '--components <file>',
      readsStdin: true,
      about: 'read the buttons from a JSON file instead',
      group: 'Message',
    },
    {
      flags: '--payload <file>',
      readsStdin: true,
      about: 'read the whole request as JSON; options override it',
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
      about: 'Ask a question once, however often this command runs',
      line: 'botctl send --once vote-42 --conversation conv_7 --content "Ship it?" \\\n      --button label=Yes,id=vote_yes,style=success --button label=No,id=vote_no,style=danger',
    },
    {
      about: 'Send the output of another program',
      line: 'uptime | botctl send --conversation conv_7 --content-file -',
    },
  ],
  exits: exitsOfOnce.filter((exit) => exit !== 5),
  load: async () => (await import('./run.ts')).run,
};

import { type ArgsOf, command, options } from '../../parse/command.ts';

export const resumeSpec = command({
  group: 'Every day',
  does: 'sends',
  about: 'Send what is unknown again, unchanged',
  details:
    'The service does not repeat a request that it remembers. It may have forgotten a held one: check the wallet or the conversation first.',
  arguments: ['[ids...]  entries: the ID, its first characters, or a name'],
  options: options([
    '--all  everything that is unknown or was interrupted',
    '--held  with --all: held entries too, except those that wait for approval; asks, or needs --yes',
    '-y, --yes  do not ask for confirmation; needs whole IDs',
  ]),
  examples: { 'Continue after a crash or a network failure': 'botctl resume --all' },
  exits: [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 130],
});

export type ResumeArgs = ArgsOf<typeof resumeSpec>;

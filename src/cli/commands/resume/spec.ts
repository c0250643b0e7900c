import type { LeafSpec } from '../../parse/command.ts';

export const resumeSpec: LeafSpec = {
  name: 'resume',
  group: 'Every day',
  does: 'sends',
  about: 'Send what is unknown again, unchanged',
  details:
    'The service does not repeat a request that it remembers. It may have forgotten a held one: check the wallet or the conversation first.',
  arguments: [
    { usage: '[ids...]', about: 'entries: the ID, its first characters, or a name', completes: 'unfinished' },
  ],
  options: [
    { flags: '--all', about: 'everything that is unknown or was interrupted' },
    {
      flags: '--held',
      about: 'with --all: held entries too, except those that wait for approval; asks, or needs --yes',
    },
    { flags: '-y, --yes', about: 'do not ask for confirmation; needs whole IDs' },
  ],
  examples: [{ about: 'Continue after a crash or a network failure', line: 'botctl resume --all' }],
  exits: [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 130],
  load: async () => (await import('./run.ts')).run,
};

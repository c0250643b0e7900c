import type { LeafSpec } from '../../parse/command.ts';

export const resumeSpec: LeafSpec = {
  name: 'resume',
  does: 'sends',
  about: 'Send what is unknown again, each with the same key and bytes',
  arguments: [
    { usage: '[ids...]', about: 'intents: ids or keys, or their first characters', completes: 'intents' },
  ],
  options: [
    { flags: '--all', about: 'all that are unknown, and those whose process died' },
    {
      flags: '--held',
      about: 'with --all: held ones too (asks, or takes --yes), but none that waits for approval',
    },
    { flags: '-y, --yes', about: 'do not ask for confirmation: you have decided' },
  ],
  examples: [
    { about: 'After a crash or a network failure', line: 'botctl resume --all' },
    { about: 'One intent', line: 'botctl resume 3f9a' },
    {
      about: 'A held one, once you have decided to send the same key again',
      line: 'botctl resume 3f9a --yes',
    },
  ],
  exits: [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 130],
  load: async () => (await import('./run.ts')).run,
};

import type { LeafSpec } from '../cli/spec.ts';

export const resumeSpec: LeafSpec = {
  name: 'resume',
  about: 'Send what is not settled again, each with its own key and bytes',
  arguments: [
    { usage: '[ids...]', about: 'intents, by id or key or their beginnings', completes: 'intents' },
  ],
  options: [
    { flags: '--all', about: 'every unknown intent, and those whose process died' },
    { flags: '--held', about: 'with --all: the held ones too (asks, or --yes)' },
    { flags: '-y, --yes', about: 'ask nothing: the decision is taken' },
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
  load: async () => (await import('./resume.ts')).run,
};

import type { LeafSpec } from '../cli/spec.ts';

export const helpSpec: LeafSpec = {
  name: 'help',
  about: 'Show the help of a command, or of a topic: exit-codes, environment, reruns',
  arguments: [{ usage: '[words...]', about: 'a command, or exit-codes, environment or reruns' }],
  examples: [
    { about: 'A command', line: 'botctl help config add' },
    { about: 'What every exit code means, and what to do', line: 'botctl help exit-codes' },
    { about: 'What running the same command again does', line: 'botctl help reruns' },
  ],
  exits: [0, 1, 2],
  load: async () => (await import('./help.ts')).run,
};

import type { CommandSpec, LeafSpec } from '../../parse/command.ts';
import { helpTopics } from '../../parse/help.ts';

const topics = helpTopics.map(({ name }) => name);

export const helpSpecOf = (tree: () => readonly CommandSpec[]): LeafSpec => ({
  name: 'help',
  does: 'looks',
  about: 'Show the help for a command or a topic',
  arguments: [
    {
      usage: '[words...]',
      about: `a command, or a topic: ${topics.join(', ')}`,
      get completes() {
        const shown = tree().filter(({ hidden }) => hidden !== true);
        return [...shown.map(({ name }) => name), ...topics];
      },
    },
  ],
  examples: [{ about: 'Read about a command', line: 'botctl help config add' }],
  exits: [0, 1, 2],
  load: async () => (await import('./run.ts')).runFor(tree()),
});

/** Given alone it is answered without loading the program, as `--version` is. */
export const versionSpec: LeafSpec = {
  name: 'version',
  does: 'looks',
  about: 'Print the version',
  hidden: true,
  examples: [],
  exits: [0, 1, 2],
  load: async () => (await import('./run.ts')).run,
};

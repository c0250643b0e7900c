import { type CommandSpec, command } from '../../parse/command.ts';
import { helpTopics } from '../../parse/help.ts';

const topics = helpTopics.map(({ name }) => name);

export const helpSpecOf = (tree: () => readonly CommandSpec[]) =>
  command({
    does: 'looks',
    about: 'Show the help for a command or a topic',
    arguments: [
      [
        `[words...]  a command, or a topic: ${topics.join(', ')}`,
        {
          get completes() {
            const shown = tree().filter(({ hidden }) => hidden !== true);
            return [...shown.map(({ name }) => name), ...topics];
          },
        },
      ],
    ],
    examples: { 'Read about a command': 'botctl help config add' },
    exits: [0, 1, 2],
  });

/** Given alone it is answered without loading the program, as `--version` is. */
export const versionSpec = command({
  does: 'looks',
  about: 'Print the version',
  hidden: true,
  examples: {},
  exits: [0, 1, 2],
});

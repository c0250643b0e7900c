import { command } from '../parse/command.ts';
import { topicNames } from '../parse/topics.ts';

export const helpSpec = command({
  group: 'Set-up',
  does: 'looks',
  about: `Show the help of a command, or of: ${topicNames.join(', ')}`,
  details: 'With --json it prints all commands, arguments, options and exit codes.',
  arguments: [['[words...]  a command, or one of the topics', { completes: topicNames }]],
  examples: {
    'Show what a batch of payments takes': 'botctl help batch transfer',
    'Describe botctl to a program': 'botctl help --json',
  },
});

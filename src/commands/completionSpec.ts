import { shells } from '../cli/completion/shells.ts';
import type { CommandSpec, LeafSpec } from '../cli/spec.ts';

export const completionSpecOf = (tree: () => readonly CommandSpec[]): LeafSpec => ({
  name: 'completion',
  about: 'Print the completion script for a shell',
  details: `The script is made from the commands and options, offline. Pressing Tab runs nothing that
botctl prints; it only looks up profiles and recent intents.`,
  arguments: [{ usage: '<shell>', about: shells.join(', '), completes: shells }],
  examples: [
    { about: 'bash, in ~/.bashrc', line: 'source <(botctl completion bash)' },
    {
      about: 'zsh: once, into a folder of $fpath',
      line: 'botctl completion zsh > ~/.zsh/completions/_botctl',
    },
    { about: 'fish: once', line: 'botctl completion fish > ~/.config/fish/completions/botctl.fish' },
  ],
  exits: [0, 1, 2],
  load: async () => (await import('./completion.ts')).runFor(tree()),
});

export const completeSpec: LeafSpec = {
  name: 'complete',
  about: 'List what the completion scripts look up: a value, a tab, and what it is',
  hidden: true,
  arguments: [{ usage: '<what>', about: 'profiles or intents', completes: ['profiles', 'intents'] }],
  examples: [],
  exits: [0],
  load: async () => (await import('./complete.ts')).run,
};

import type { CommandSpec, LeafSpec } from '../../parse/command.ts';
import { shells } from '../../parse/help.ts';

export const completionSpec: LeafSpec = {
  name: 'completion',
  group: 'Set-up',
  does: 'looks',
  about: 'Print the completion script for a shell',
  details:
    'At each Tab, the script asks botctl for commands, options, profiles, recent entries, batches and the names in the policy. It reads only files on this machine, connects to nothing and changes nothing.',
  arguments: [{ usage: '<shell>', about: shells.join(', '), completes: shells }],
  examples: [
    { about: 'bash: put this into ~/.bashrc', line: 'source <(botctl completion bash)' },
    {
      about: 'zsh: run this once, for a folder in $fpath',
      line: 'botctl completion zsh > ~/.zsh/completions/_botctl',
    },
    { about: 'fish: run this once', line: 'botctl completion fish > ~/.config/fish/completions/botctl.fish' },
  ],
  exits: [0, 1, 2],
  load: async () => (await import('./run.ts')).run,
};

export const completeSpecOf = (tree: () => readonly CommandSpec[]): LeafSpec => ({
  name: 'complete',
  does: 'looks',
  about: 'List what the word at the cursor may become: a value, a tab, and what it is',
  hidden: true,
  arguments: [{ usage: '<words...>', about: 'the words after botctl, up to the cursor' }],
  examples: [],
  exits: [0],
  load: async () => (await import('./run.ts')).runFor(tree()),
});

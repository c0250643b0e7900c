import { command } from '../../parse/command.ts';
import { shells } from '../../parse/help.ts';

export const completionSpec = command({
  group: 'Set-up',
  does: 'looks',
  about: 'Print the completion script for a shell',
  details:
    'At each Tab, the script asks botctl for commands, options, profiles, recent entries, batches and the names in the policy. It reads only files on this machine, connects to nothing and changes nothing.',
  arguments: [[`<shell>  ${shells.join(', ')}`, { completes: shells }]],
  examples: {
    'bash: put this into ~/.bashrc': 'source <(botctl completion bash)',
    'zsh: run this once, for a folder in $fpath': 'botctl completion zsh > ~/.zsh/completions/_botctl',
    'fish: run this once': 'botctl completion fish > ~/.config/fish/completions/botctl.fish',
  },
  exits: [0, 1, 2],
});

export const completeSpec = command({
  does: 'looks',
  about: 'List what the word at the cursor may become: a value, a tab, and what it is',
  hidden: true,
  arguments: ['<words...>  the words after botctl, up to the cursor'],
  examples: {},
  exits: [0],
});

import { command } from '../parse/command.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

export const completionSpec = command({
  group: 'Set-up',
  does: 'looks',
  about: 'Print the completion script for a shell',
  details:
    'The script knows the commands and options of this version. When you press Tab, it asks botctl only for the names of profiles and batches.',
  arguments: [[`<shell>  ${shells.join(', ')}`, { completes: shells }]],
  examples: {
    'bash: put this into ~/.bashrc': 'source <(botctl completion bash)',
    'zsh: put this into ~/.zshrc, after compinit': 'source <(botctl completion zsh)',
    'fish: run this once': 'botctl completion fish > ~/.config/fish/completions/botctl.fish',
  },
});

import type { LeafSpec } from '../cli/spec.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export const completionSpec: LeafSpec = {
  name: 'completion',
  about: 'Print what teaches a shell to complete botctl',
  details: `The script is static: made from the commands and options, offline, and nothing that
botctl prints is run when you press Tab. Profiles and recent intents are looked up then.`,
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
  load: async () => (await import('./completion.ts')).run,
};

export const completeSpec: LeafSpec = {
  name: 'complete',
  about: 'List what the completion scripts look up: a value, a tab, and what it is',
  hidden: true,
  arguments: [{ usage: '<what>', about: 'profiles or intents', completes: ['profiles', 'intents'] }],
  examples: [],
  exits: [0],
  load: async () => (await import('./complete.ts')).run,
};

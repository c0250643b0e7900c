import { options } from '../parse/args.ts';
import { type ArgsOf, command } from '../parse/command.ts';

export const sandboxSpec = command({
  group: 'Set-up',
  does: 'looks',
  about: 'Run the whole Bot API on this machine, without money',
  details: `It prints its base URL, tokens, conversations, wallet and Solana node, and the
command that makes a profile for it. Then it prints a line per request, until
Ctrl-C. Transfers run on Solana’s own programs, inside this process.

It listens only on 127.0.0.1 and writes only to its data folder. botctl
--sandbox uses the same folder; both can run at once. Solana RPC is at /rpc.

docs/sandbox.md says how to give it money, and how to make it misbehave.`,
  options: options([
    '--port <n>  the port; 0: any (default 8420, or any if that is in use)',
    '--data <dir>  keep everything in this folder (default: that of --sandbox)',
    '--ephemeral  use a new folder, and remove it at the end',
  ]),
  examples: {
    'Serve it to try things': 'botctl sandbox',
    'Serve it for a test; the first line is one object': 'botctl sandbox --ephemeral --json',
  },
});

export type SandboxArgs = ArgsOf<typeof sandboxSpec>;

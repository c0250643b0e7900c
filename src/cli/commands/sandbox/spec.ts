import type { LeafSpec } from '../../parse/command.ts';

export const sandboxSpec: LeafSpec = {
  name: 'sandbox',
  group: 'Set-up',
  does: 'looks',
  about: 'Run the whole Bot API on this machine: no account, no money',
  details: `It prints its base URL, tokens, conversations, wallet and Solana node, and the
command that makes a profile for it. Then it prints a line per request, until
Ctrl-C. Transfers run on Solana’s own programs, inside this process.

It listens only on 127.0.0.1 and writes only to its data folder. botctl
--sandbox uses the same folder; both can run at once. The page for people is
at /, Solana JSON-RPC is at /rpc.

docs/sandbox.md says how to give it money, and how to make it answer in another
way, or fail.`,
  options: [
    { flags: '--port <n>', about: 'the port; 0: any (default 8420, or any if that is in use)' },
    { flags: '--data <dir>', about: 'keep everything in this folder (default: that of --sandbox)' },
    { flags: '--ephemeral', about: 'use a new folder, and remove it at the end' },
    { flags: '--seed <text>', about: 'derive tokens, wallet and random faults from this text' },
    { flags: '--fault-rate <r>', about: 'let this share of requests meet a random fault (0 to 1)' },
  ],
  examples: [
    { line: 'botctl sandbox', about: 'Serve it to try things' },
    { line: 'botctl sandbox --ephemeral --json', about: 'Serve it for a test; the first line is one object' },
  ],
  exits: [0, 1, 2],
  load: async () => (await import('./run.ts')).run,
};

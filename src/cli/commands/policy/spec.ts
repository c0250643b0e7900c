import type { BranchSpec } from '../../parse/command.ts';

export const policySpec: BranchSpec = {
  name: 'policy',
  group: 'Money',
  about: 'Show or set what a bot may pay, and to whom',
  children: [
    {
      name: 'show',
      does: 'looks',
      about: 'Show the policies that apply to this bot, and what is left',
      details:
        'The policies of the profile (config set NAME policy FILE), of this machine (/etc/botctl/policy.json) and of the shared journal all apply. If one refuses a payment, no option overrides it. An unknown payment counts as spent until it is settled.',
      examples: [{ about: 'Show the limits of the bot in use', line: 'botctl policy show' }],
      exits: [0, 1, 2, 3, 8],
      load: async () => (await import('./run.ts')).run,
    },
    {
      name: 'check',
      does: 'looks',
      about: 'Check a policy file before you use it',
      details:
        'It checks the file’s owner and mode, each field and each address, and gives the line of each problem.\n\nA small policy; docs/policy.md describes every field:\n  {"schema": "botctl-policy/1", "limits": {"SOL": {"transfer": "5"}}}',
      arguments: [{ usage: '<file>', readsStdin: true, about: 'the policy', completes: 'file' }],
      examples: [{ about: 'Check a new policy', line: 'botctl policy check policy.json' }],
      exits: [0, 1, 2],
      load: async () => (await import('./run.ts')).check,
    },
    {
      name: 'set',
      does: 'changes',
      about: 'Give a shared journal its own policy',
      details:
        'It applies to every bot that sends through the journal, on every machine, in addition to their own policies. You need the role that owns the tables. A running command stops at its next payment; run it again to go on under the new policy.',
      arguments: [{ usage: '<file>', readsStdin: true, about: 'the policy', completes: 'file' }],
      examples: [
        {
          about: 'Set it as the owner of the journal',
          line: 'botctl policy set policy.json --journal postgres://owner@db.example.com/bots',
        },
      ],
      exits: [0, 1, 2, 8],
      load: async () => (await import('./run.ts')).set,
    },
  ],
};

import { command } from '../../parse/command.ts';

export const policySpec = {
  group: 'Money',
  about: 'Show or set what a bot may pay, and to whom',
  children: {
    show: command({
      does: 'looks',
      about: 'Show the policies that apply to this bot, and what is left',
      details:
        'The policies of the profile (config set NAME policy FILE), of this machine (/etc/botctl/policy.json) and of the shared journal all apply. If one refuses a payment, no option overrides it. An unknown payment counts as spent until it is settled.',
      examples: { 'Show the limits of the bot in use': 'botctl policy show' },
      exits: [0, 1, 2, 3, 8],
    }),
    check: command({
      does: 'looks',
      about: 'Check a policy file before you use it',
      details:
        'It checks the file’s owner and mode, each field and each address, and gives the line of each problem.\n\nA small policy; docs/policy.md describes every field:\n  {"schema": "botctl-policy/1", "limits": {"SOL": {"transfer": "5"}}}',
      arguments: [['<file>  the policy', { readsStdin: true, completes: 'file' }]],
      examples: { 'Check a new policy': 'botctl policy check policy.json' },
      exits: [0, 1, 2],
    }),
    set: command({
      does: 'changes',
      about: 'Give a shared journal its own policy',
      details:
        'It applies to every bot that sends through the journal, on every machine, in addition to their own policies. You need the role that owns the tables. A running command stops at its next payment; run it again to go on under the new policy.',
      arguments: [['<file>  the policy', { readsStdin: true, completes: 'file' }]],
      examples: {
        'Set it as the owner of the journal':
          'botctl policy set policy.json --journal postgres://owner@db.example.com/bots',
      },
      exits: [0, 1, 2, 8],
    }),
  },
} as const;

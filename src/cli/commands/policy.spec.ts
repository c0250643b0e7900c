import { command } from '../parse/command.ts';

export const policySpec = {
  group: 'Money',
  about: 'Show what a bot may pay, and to whom',
  children: {
    show: command({
      does: 'looks',
      about: 'Show the policies that apply to this bot, and what is left',
      details:
        'The policies of the profile (config set NAME policy FILE), of BOTCTL_POLICY and of this machine (/etc/botctl/policy.json) all apply. If one refuses a payment, no option overrides it. An unknown payment counts as spent for 24 hours.',
      examples: { 'Show the limits of the bot in use': 'botctl policy show' },
    }),
    check: command({
      does: 'looks',
      about: 'Check a policy file before you use it',
      details:
        'It checks the file’s owner and mode, each field and each address, and gives the line of each problem.\n\nA small policy; docs/payments.md describes every field:\n  {"schema": "botctl-policy/1", "limits": {"SOL": {"transfer": "5"}}}',
      arguments: [['<file>  the policy', { readsStdin: true }]],
      examples: { 'Check a new policy': 'botctl policy check policy.json' },
    }),
  },
} as const;

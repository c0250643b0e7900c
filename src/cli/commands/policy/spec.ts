import type { BranchSpec } from '../../parse/command.ts';

export const policySpec: BranchSpec = {
  name: 'policy',
  about: 'What a bot may spend, and to whom',
  children: [
    {
      name: 'show',
      does: 'looks',
      about: 'Show the policies that hold this bot, and what is left',
      details:
        'A profile’s policy (config set NAME policy FILE), the machine’s (/etc/botctl/policy.json) and a shared journal’s own apply together: what one of them refuses is refused, and no option lifts it. What is in doubt counts as spent until it is known.',
      examples: [
        { about: 'Of the bot in use', line: 'botctl policy show' },
        { about: 'Of another one', line: 'botctl policy show --profile payouts' },
        {
          about: 'How much SOL is left',
          line: "botctl policy show --json | jq -r '.left[] | .asset, .remaining'",
        },
      ],
      exits: [0, 1, 2, 3],
      load: async () => (await import('./run.ts')).run,
    },
    {
      name: 'check',
      does: 'looks',
      about: 'Check a policy’s file before it is used',
      details:
        'Reads the file as a command that sends would: its owner and mode, each field, each address. What is wrong is told with its line. A small policy: {"schema": "botctl-policy/1", "limits": {"SOL": {"transfer": "5", "day": "20"}}}; docs/policy.md has every key.',
      arguments: [{ usage: '<file>', about: 'the policy', completes: 'file' }],
      examples: [
        { about: 'Before it is put in its place', line: 'botctl policy check policy.json' },
        { about: 'The machine’s', line: 'botctl policy check /etc/botctl/policy.json' },
        { about: 'In a pipeline: exit 0 where it is good', line: 'botctl policy check policy.json --quiet' },
      ],
      exits: [0, 1, 2],
      load: async () => (await import('./run.ts')).check,
    },
    {
      name: 'set',
      does: 'changes',
      about: 'Give a shared journal its own policy',
      details:
        'Whoever sends through the journal is held to it, on every machine, beside their own. With the first one the journal begins to count what is spent. It needs the role that owns the tables; earlier policies are kept. Commands that are running stop at their next transfer, and go by the new one when they are run again.',
      arguments: [{ usage: '<file>', about: 'the policy', completes: 'file' }],
      examples: [
        {
          about: 'As the owner of the journal',
          line: 'botctl policy set policy.json --journal postgres://owner@db.example.com/bots',
        },
        { about: 'See what is left', line: 'botctl policy show' },
        { about: 'Check it first', line: 'botctl policy check policy.json' },
      ],
      exits: [0, 1, 2],
      load: async () => (await import('./run.ts')).set,
    },
  ],
};

import { type Args, options } from './args.ts';
import { type ArgsOf, command } from './command.ts';

/** The settings of a profile. The code that reads their values loads later. */
export const settingKeys = ['timeout', 'max-wait', 'policy'] as const;

export type SettingKey = (typeof settingKeys)[number];

/** The settings that say which chain the transfers are on, and which node can show them. */
export const chainKeys = ['rpc-url', 'cluster', 'wallet', 'assets'] as const;

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

const tokenOptions = options(
  [
    ['--token-stdin  read the token from stdin and store it', { readsStdin: true }],
    '--token-env <variable>  read the token from this variable at each use',
    '--token-command <command>  run this at each use; its first line is the token',
  ],
  'The token',
);

const name = ['<name>  the profile', { completes: 'profiles' }] as const;

const add = command({
  does: 'changes',
  about: 'Add a profile: a bot, its service and its token',
  details:
    'Give the service’s base URL with --base-url, or --sandbox for the sandbox that runs. On a terminal, botctl asks for the token and tests the profile. The first profile is used at once.',
  arguments: ['<name>  the profile'],
  options: [
    ...tokenOptions,
    ...options(
      [
        '--rpc-url <url>  a Solana node; its URL must hold no secret',
        '--cluster <cluster>  mainnet, devnet, testnet or a genesis hash',
        '--wallet <address>  the bot’s own address',
        ['--assets <name=mint>  a token’s name and mint: USDC=EPjF…', { repeatable: true }],
      ],
      'The chain',
    ),
    ...options([
      '--policy <file>  a file that limits what the bot may pay',
      '--use  use this profile from now on',
      '-y, --yes  ask only for the token, and test nothing',
    ]),
  ],
  examples: {
    'Enter the token and store it': 'botctl config add prod --base-url https://bots.example.com',
    'Leave the token in a vault':
      'botctl config add prod --base-url https://bots.example.com --token-command "op read op://ops/bot/token"',
    'Take the token from a CI secret':
      'botctl config add ci --base-url https://bots.example.com --token-env TOKEN',
  },
});

const list = command({
  does: 'looks',
  about: 'List the profiles',
  examples: { 'List every profile; * marks the one in use': 'botctl config list' },
});

const show = command({
  does: 'looks',
  about: 'Show a profile, without its token, and the file that has it',
  details: 'Without a name, it shows the profile that --profile or BOTCTL_PROFILE names, or the one in use.',
  arguments: [['[name]  the profile', { completes: 'profiles' }]],
  examples: { 'Print one value for a script': 'botctl config show prod --json | jq -r .profile.base_url' },
});

const use = command({
  does: 'changes',
  about: 'Use a profile from now on',
  arguments: [name],
  examples: { 'Use it from now on, without --profile': 'botctl config use prod' },
});

const set = command({
  does: 'changes',
  about: 'Change a setting of a profile',
  details: `Settings:
  base-url, token                   the service and its token
  timeout, max-wait                 as the options with these names
  policy                            a file that limits what the bot may pay
  rpc-url, cluster, wallet, assets  the chain, for balance and verify`,
  arguments: [
    name,
    [
      '<setting>  one of the settings listed here',
      { completes: ['base-url', 'token', ...settingKeys, ...chainKeys] },
    ],
    '[value]  the new value; never a token, because ps shows arguments',
  ],
  options: tokenOptions,
  examples: {
    'Store a new token': 'op read op://ops/bot/token | botctl config set prod token --token-stdin',
    'Move to another base URL, which needs its token again':
      'botctl config set prod base-url https://bots.example.net --token-env BOT_TOKEN',
  },
});

const unset = command({
  does: 'changes',
  about: 'Reset a setting of a profile to its default',
  details: 'It takes the settings of config set, except base-url and token.',
  arguments: [name, ['<setting>  what to reset', { completes: [...settingKeys, ...chainKeys] }]],
  examples: { 'Use the default timeout again': 'botctl config unset prod timeout' },
});

const journal = command({
  does: 'changes',
  about: 'Name the journal of your commands on this machine',
  details:
    '--journal and BOTCTL_JOURNAL come first; --sandbox keeps its own. It stays while it has entries that are not settled. Without an argument, it is shown.',
  arguments: ['[journal]  a file, or a postgres:// URL without its password (see .pgpass)'],
  options: options(['--unset  use the journal of this user again']),
  examples: { 'Use the team’s journal': 'botctl config journal postgres://bots@db.example.com/ledger' },
});

const remove = command({
  does: 'changes',
  about: 'Remove a profile and its stored token',
  details: 'It asks first on a terminal. The journal keeps the bot’s messages and payments.',
  arguments: [name],
  options: options(['-y, --yes  do not ask for confirmation']),
  examples: { 'Remove a profile': 'botctl config remove stage' },
});

export const configSpec = {
  group: 'Set-up',
  about: 'Manage profiles: a bot, its service and its token',
  children: { add, list, show, use, set, unset, journal, remove },
} as const;

export type AddArgs = ArgsOf<typeof add>;
export type JournalArgs = ArgsOf<typeof journal>;
export type SetArgs = ArgsOf<typeof set>;
export type TokenArgs = Args<(typeof tokenOptions)[number]['name']>;

export const journalSpec = {
  group: 'Set-up',
  about: 'Back up, move or repair the record of what was sent',
  details: 'To share a journal, see docs/team.md.',
  children: {
    'accept-loss': command({
      does: 'changes',
      about: 'Continue with a journal that has lost entries',
      details:
        'botctl refuses a journal that has lost entries: the same command would send the missing ones again. If you can, put journal.db and journal.db-wal back as they last were. If not, check the wallet and the conversations first. Then botctl goes on without the missing entries: the same command sends them again.',
      options: options(['-y, --yes  do not ask for confirmation']),
      examples: { 'See what is missing, and decide': 'botctl journal accept-loss' },
    }),
    backup: command({
      does: 'changes',
      about: 'Copy the journal into a new file',
      details:
        'You can run it while botctl sends. The copy is for reading, and for the day the disk is lost; it does not know what you send later. Back up a shared journal with its server.',
      arguments: ['<file>  the new file; it must not exist yet'],
      examples: {
        'Back up the journal of your bots': 'botctl journal backup /mnt/backup/journal-2026-11-21.db',
      },
    }),
    migrate: command({
      does: 'changes',
      about: 'Create a shared journal, and print its grants',
      details:
        'You need the role that owns the database or the schema. The schema is botctl, or the one in the URL (?schema=). Run it again at any time: a journal that is there stays as it is. It prints the SQL that gives the role botctl_runner what it needs to run botctl; that role can delete nothing. With --quiet it prints only that, for psql.\n\nWith --import, the entries of a journal’s file go along, in one commit, into a journal that has none yet; the file then sends nothing more. It is refused while an entry of the file is unfinished, or a process may send through it.',
      options: options(['--import <file>  take a journal’s file along']),
      examples: {
        'Use the owner’s role, whose password is in ~/.pgpass':
          'botctl journal migrate --journal postgres://owner@db.example.com/bots',
      },
    }),
  },
} as const;

export const sandboxSpec = command({
  group: 'Set-up',
  does: 'looks',
  about: 'Run the whole Bot API on this machine: no account, no money',
  details: `It prints its base URL, tokens, conversations, wallet and Solana node, and the
command that makes a profile for it. Then it prints a line per request, until
Ctrl-C. Transfers run on Solana’s own programs, inside this process.

It listens only on 127.0.0.1 and writes only to its data folder. botctl
--sandbox uses the same folder; both can run at once. Solana JSON-RPC is at
/rpc.

docs/sandbox.md says how to give it money, and how to make it answer in another
way, or fail.`,
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

export const doctorSpec = command({
  group: 'Set-up',
  does: 'looks',
  about: 'Check profile, token, service, clock, chain and journal',
  details:
    'It sends no message and no payment, and changes nothing. It tries the token with an empty message, which the service must refuse, and compares its clock. It asks the profile’s Solana node for its cluster and the balance. Only a real command shows what a token may do.',
  examples: { 'Check the profile in use': 'botctl doctor' },
});

export const shells = ['bash', 'zsh', 'fish'] as const;

export const completionSpec = command({
  group: 'Set-up',
  does: 'looks',
  about: 'Print the completion script for a shell',
  details:
    'The script knows the commands and options of this version. At a Tab it asks botctl for the names of profiles and batches alone.',
  arguments: [[`<shell>  ${shells.join(', ')}`, { completes: shells }]],
  examples: {
    'bash: put this into ~/.bashrc': 'source <(botctl completion bash)',
    'zsh: put this into ~/.zshrc, after compinit': 'source <(botctl completion zsh)',
    'fish: run this once': 'botctl completion fish > ~/.config/fish/completions/botctl.fish',
  },
});

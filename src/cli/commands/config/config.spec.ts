import { type Args, chainKeys, options, settingKeys } from '../../parse/args.ts';
import { type ArgsOf, command } from '../../parse/command.ts';

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
    'Give the service’s base URL with --base-url, or --sandbox for a running sandbox. On a terminal, botctl asks for the token and tests the profile. The first profile is used at once.',
  arguments: ['<name>  the profile'],
  options: [
    ...tokenOptions,
    ...options(
      [
        '--rpc-url <url>  a Solana node; its URL must contain no secret',
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
    '[value]  the new value; never a token, because ps shows it',
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
  details:
    'It takes the settings of config set, except base-url and token. For the journal: config journal --unset.',
  arguments: [name, ['<setting>  what to reset', { completes: [...settingKeys, ...chainKeys] }]],
  examples: { 'Use the default timeout again': 'botctl config unset prod timeout' },
});

const journal = command({
  does: 'changes',
  about: 'Name the journal of your commands on this machine',
  details:
    '--journal and BOTCTL_JOURNAL come first; --sandbox keeps its own. You cannot leave a journal while it has unsettled entries. Without an argument, it shows the journal in use.',
  arguments: ['[journal]  a file, or a postgres:// URL without its password (see .pgpass)'],
  options: options(['--unset  use your default journal again']),
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

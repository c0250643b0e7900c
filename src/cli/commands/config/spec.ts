import type { Exit } from '../../../once/failures.ts';
import type { BranchSpec, LeafSpec, OptionSpec, Run } from '../../parse/command.ts';
import { chainKeys, settingKeys } from '../../parse/help.ts';

const tokenOptions: readonly OptionSpec[] = [
  {
    flags: '--token-stdin',
    readsStdin: true,
    about: 'read the token from stdin and store it',
    group: 'The token',
  },
  {
    flags: '--token-env <variable>',
    about: 'read the token from this variable at each use',
    group: 'The token',
  },
  {
    flags: '--token-command <command>',
    about: 'run this at each use; its first line is the token',
    group: 'The token',
  },
];

const chainGroup = 'The chain';

const keyDetails = `Settings:
  base-url, token                   the service and its token
  timeout, retries, max-wait        as the options with these names
  confirm                           always: a payment needs an answer or --yes
  policy                            a file that limits what the bot may pay
  rpc-url, cluster, wallet, assets  the chain, for balance and verify
  key-age, repeat-window            rarely needed; the manual describes them`;

const newName = { usage: '<name>', about: 'the profile' } as const;
const name = { ...newName, completes: 'profiles' } as const;
const keys = ['base-url', 'token', ...settingKeys, ...chainKeys];

const edits: readonly Exit[] = [0, 1, 2, 3, 130];
const looks: readonly Exit[] = [0, 1, 2];

function leaf(spec: Omit<LeafSpec, 'load'>, load: () => Promise<{ run: Run }>): LeafSpec {
  return { ...spec, load: async () => (await load()).run };
}

export const configSpec: BranchSpec = {
  name: 'config',
  group: 'Set-up',
  about: 'Manage profiles: a bot, its service and its token',
  children: [
    leaf(
      {
        name: 'add',
        does: 'changes',
        about: 'Add a profile: a bot, its service and its token',
        details:
          'Give the service’s base URL with --base-url. On a terminal, botctl asks for the rest and tests the profile. The first profile is used at once.',
        arguments: [newName],
        options: [
          ...tokenOptions,
          {
            flags: '--rpc-url <url>',
            about: 'a Solana node; its URL must hold no secret',
            group: chainGroup,
          },
          {
            flags: '--cluster <cluster>',
            about: 'mainnet, devnet, testnet or a genesis hash',
            group: chainGroup,
          },
          { flags: '--wallet <address>', about: 'the bot’s own address', group: chainGroup },
          {
            flags: '--assets <json>',
            about: 'names and mints of tokens: {"USDC": "EPjF…"}',
            group: chainGroup,
          },
          { flags: '--use', about: 'use this profile from now on' },
          { flags: '-y, --yes', about: 'ask only for the token, and test nothing' },
        ],
        examples: [
          {
            line: 'botctl config add prod --base-url https://bots.example.com',
            about: 'Enter the token and store it',
          },
          {
            line: 'botctl config add prod --base-url https://bots.example.com --token-command "op read op://ops/bot/token"',
            about: 'Leave the token in a vault',
          },
          {
            line: 'botctl config add ci --base-url https://bots.example.com --token-env TOKEN',
            about: 'Take the token from a CI secret',
          },
        ],
        exits: edits,
      },
      () => import('./add.ts').then(({ add }) => ({ run: add })),
    ),
    leaf(
      {
        name: 'list',
        does: 'looks',
        about: 'List the profiles',
        examples: [{ line: 'botctl config list', about: 'List every profile; * marks the one in use' }],
        exits: looks,
      },
      () => import('./show.ts').then(({ list }) => ({ run: list })),
    ),
    leaf(
      {
        name: 'show',
        does: 'looks',
        about: 'Show a profile, without its token, and the file that has it',
        details:
          'Without a name, it shows the profile that --profile or BOTCTL_PROFILE names, or the one in use.',
        arguments: [{ usage: '[name]', about: 'the profile', completes: 'profiles' }],
        examples: [
          {
            line: 'botctl config show prod --json | jq -r .profile.base_url',
            about: 'Print one value for a script',
          },
        ],
        exits: looks,
      },
      () => import('./show.ts').then(({ show }) => ({ run: show })),
    ),
    leaf(
      {
        name: 'use',
        does: 'changes',
        about: 'Use a profile from now on',
        arguments: [name],
        examples: [{ line: 'botctl config use prod', about: 'Use it from now on, without --profile' }],
        exits: looks,
      },
      () => import('./edit.ts').then(({ use }) => ({ run: use })),
    ),
    leaf(
      {
        name: 'set',
        does: 'changes',
        about: 'Change a setting of a profile',
        details: keyDetails,
        arguments: [
          name,
          { usage: '<setting>', about: 'one of the settings listed here', completes: keys },
          { usage: '[value]', about: 'the new value; never a token, because ps shows arguments' },
        ],
        options: [
          ...tokenOptions,
          { flags: '--add', about: 'with rpc-url: add a second node, which must agree', rare: true },
        ],
        examples: [
          {
            line: 'botctl config set prod confirm always',
            about: 'Require --yes or an answer for every payment',
          },
          {
            line: 'op read op://ops/bot/token | botctl config set prod token --token-stdin',
            about: 'Store a new token',
          },
          {
            line: 'botctl config set prod base-url https://bots.example.net --token-env BOT_TOKEN',
            about: 'Move to another base URL, which needs its token again',
          },
        ],
        exits: edits,
      },
      () => import('./edit.ts').then(({ set }) => ({ run: set })),
    ),
    leaf(
      {
        name: 'unset',
        does: 'changes',
        about: 'Reset a setting of a profile to its default',
        details: 'It takes the settings of config set, except base-url and token.',
        arguments: [
          name,
          { usage: '<setting>', about: 'what to reset', completes: [...settingKeys, ...chainKeys] },
        ],
        examples: [{ line: 'botctl config unset prod timeout', about: 'Use the default timeout again' }],
        exits: looks,
      },
      () => import('./edit.ts').then(({ unset }) => ({ run: unset })),
    ),
    leaf(
      {
        name: 'journal',
        does: 'changes',
        about: 'Name the journal of all commands on this machine',
        details:
          '--journal and BOTCTL_JOURNAL come first; --sandbox keeps its own. It stays while it has entries that are not settled. Without an argument, it is shown.',
        arguments: [
          { usage: '[journal]', about: 'a file, or a postgres:// URL without its password (see .pgpass)' },
        ],
        options: [{ flags: '--unset', about: 'use the journal of this user again' }],
        examples: [
          {
            line: 'botctl config journal postgres://bots@db.example.com/ledger',
            about: 'Use the team’s journal',
          },
        ],
        exits: [0, 1, 2, 8],
      },
      () => import('./journal.ts').then(({ journal }) => ({ run: journal })),
    ),
    leaf(
      {
        name: 'remove',
        does: 'changes',
        alias: 'rm',
        about: 'Remove a profile and its stored token (also: rm)',
        details: 'It asks first on a terminal. The journal keeps the bot’s messages and payments.',
        arguments: [name],
        options: [{ flags: '-y, --yes', about: 'do not ask for confirmation' }],
        examples: [{ line: 'botctl config remove stage', about: 'Remove a profile' }],
        exits: [0, 1, 2, 130],
      },
      () => import('./edit.ts').then(({ remove }) => ({ run: remove })),
    ),
  ],
};

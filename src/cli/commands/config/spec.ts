import type { Exit } from '../../../once/failures.ts';
import type { BranchSpec, Example, LeafSpec, OptionSpec, Run } from '../../parse/command.ts';
import { chainKeys, settingKeys } from '../../parse/help.ts';

const tokenOptions: readonly OptionSpec[] = [
  { flags: '--token-stdin', about: 'read the token from stdin and store it', group: 'The token' },
  {
    flags: '--token-env <variable>',
    about: 'read it from this variable each time it is needed',
    group: 'The token',
  },
  {
    flags: '--token-command <command>',
    about: 'run this each time it is needed; its first line is the token',
    group: 'The token',
  },
];

const chainGroup = 'The chain';

// An array, because commander wraps each line by itself.
const tokenDetails = [
  'botctl asks for the token without showing it, or takes it with --token-stdin, --token-env, --token-file or --token-command.',
  'Of a variable, a file or a command only the name is kept: the token itself stays where it is.',
  'A command is split into words at spaces outside quotes; it runs without a shell and has 30 s.',
].join(' ');

const keyDetails =
  'Keys: base-url, token, key-age (30m), repeat-window (20h), timeout (30s), retries (until max-wait), max-wait (60s), confirm (always: ask, or --yes), policy (what it may spend). For proof on chain: rpc-url, cluster (mainnet), wallet, assets.';

const newName = { usage: '<name>', about: 'the profile' } as const;
const name = { ...newName, completes: 'profiles' } as const;
const keys = ['base-url', 'token', ...settingKeys, ...chainKeys];

const edits: readonly Exit[] = [0, 1, 2, 3, 130];
const looks: readonly Exit[] = [0, 1, 2];

function leaf(
  spec: Omit<LeafSpec, 'load'> & { examples: readonly [Example, Example, Example] },
  load: () => Promise<{ run: Run }>,
): LeafSpec {
  return { ...spec, load: async () => (await load()).run };
}

export const configSpec: BranchSpec = {
  name: 'config',
  about: 'Manage profiles: a bot, its service and its token',
  children: [
    leaf(
      {
        name: 'add',
        does: 'changes',
        about: 'Add a profile: a bot, its service and its token',
        details: `--base-url is the address of its service. ${tokenDetails}\n\n--timeout, --retries and --max-wait are stored in the profile if given. The first profile is used at once.\n\nOn a terminal it also asks for rpc-url and wallet, tries service, token and node, and says whether the profile is ready. The token is tried with an empty message, which the service must refuse.`,
        arguments: [newName],
        options: [
          ...tokenOptions,
          { flags: '--rpc-url <url>', about: 'a Solana node, if its URL holds no key', group: chainGroup },
          {
            flags: '--cluster <cluster>',
            about: 'mainnet, devnet, testnet or a genesis hash',
            group: chainGroup,
          },
          { flags: '--wallet <address>', about: 'the bot’s own address', group: chainGroup },
          { flags: '--assets <json>', about: 'names and mints', group: chainGroup },
          { flags: '--use', about: 'use it from now on' },
          { flags: '-y, --yes', about: 'ask only for the token, and try nothing' },
        ],
        examples: [
          {
            line: 'botctl config add prod --base-url https://bots.example.com',
            about: 'Ask for the token and store it',
          },
          {
            line: 'botctl config add prod --base-url https://bots.example.com --token-command "op read op://ops/bot/token"',
            about: 'Leave the token in the vault',
          },
          {
            line: 'botctl config add ci --base-url https://bots.example.com --token-env BOT_TOKEN --use',
            about: 'Take it from the CI’s secret',
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
        examples: [
          { line: 'botctl config list', about: 'Every profile; * marks the one in use' },
          { line: 'botctl config list --json | jq -r .profile.name', about: 'One JSON object per line' },
          { line: 'botctl config list --quiet', about: 'Only the names' },
        ],
        exits: looks,
      },
      () => import('./show.ts').then(({ list }) => ({ run: list })),
    ),
    leaf(
      {
        name: 'show',
        does: 'looks',
        about: 'Show a profile: where its token comes from, never the token',
        details: 'Without a name: the profile that --profile or BOTCTL_PROFILE names, or the one in use.',
        arguments: [{ usage: '[name]', about: 'the profile', completes: 'profiles' }],
        examples: [
          { line: 'botctl config show', about: 'The profile in use' },
          { line: 'botctl config show prod', about: 'One profile' },
          { line: 'botctl config show prod --json | jq -r .profile.base_url', about: 'For a script' },
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
        examples: [
          { line: 'botctl config use prod', about: 'From now on, without --profile' },
          { line: 'botctl --profile stage config show', about: 'Another profile for one command only' },
          { line: 'BOTCTL_PROFILE=stage botctl config show', about: 'Another profile for one shell' },
        ],
        exits: looks,
      },
      () => import('./edit.ts').then(({ use }) => ({ run: use })),
    ),
    leaf(
      {
        name: 'set',
        does: 'changes',
        about: 'Change a key of a profile',
        details: `${keyDetails}\n\n${tokenDetails}\n\nAn rpc-url is given in the same ways, as it may carry a key; --add names a second node, of another host, that must agree. assets is JSON: names and mints.\n\nA token belongs to its service: a base-url with another origin needs the token again.`,
        arguments: [
          name,
          { usage: '<key>', about: 'what to change', completes: keys },
          { usage: '[value]', about: 'the new value; none for token, as arguments show in ps' },
        ],
        options: [...tokenOptions, { flags: '--add', about: 'with rpc-url: beside the one that is there' }],
        examples: [
          { line: 'botctl config set prod key-age 10m', about: 'A transfer is unknown for 10 minutes only' },
          {
            line: 'op read op://ops/bot/token | botctl config set prod token --token-stdin',
            about: 'A new token',
          },
          {
            line: 'botctl config set prod base-url https://bots.example.net --token-env BOT_TOKEN',
            about: 'The service moved',
          },
        ],
        exits: edits,
      },
      () => import('./edit.ts').then(({ set }) => ({ run: set })),
    ),
    leaf(
      {
        name: 'get',
        does: 'looks',
        about: 'Print the value of a key, and nothing else',
        details: 'Keys: those of config set, but for token, which is never printed.',
        arguments: [
          name,
          { usage: '<key>', about: 'what to print', completes: keys.filter((key) => key !== 'token') },
        ],
        examples: [
          { line: 'botctl config get prod base-url', about: 'The address of its service' },
          { line: 'botctl policy check "$(botctl config get prod policy)"', about: 'In a script' },
          { line: 'botctl config get prod key-age --json', about: 'Without a value where it is not set' },
        ],
        exits: looks,
      },
      () => import('./show.ts').then(({ get }) => ({ run: get })),
    ),
    leaf(
      {
        name: 'unset',
        does: 'changes',
        about: 'Reset a key of a profile to its default',
        details: 'Keys: those of config set, but for base-url and token.',
        arguments: [
          name,
          { usage: '<key>', about: 'what to reset', completes: [...settingKeys, ...chainKeys] },
        ],
        examples: [
          { line: 'botctl config unset prod timeout', about: 'The default bound on one attempt' },
          { line: 'botctl config unset prod key-age', about: 'The default of 30 minutes' },
          { line: 'botctl config unset prod retries --json', about: 'What is left, for a script' },
        ],
        exits: looks,
      },
      () => import('./edit.ts').then(({ unset }) => ({ run: unset })),
    ),
    leaf(
      {
        name: 'remove',
        does: 'changes',
        alias: 'rm',
        about: 'Remove a profile, and its token if it is stored (also: rm)',
        details: 'Asks first on a terminal. The journal keeps what the bot did.',
        arguments: [name],
        options: [{ flags: '-y, --yes', about: 'do not ask for confirmation' }],
        examples: [
          { line: 'botctl config remove stage', about: 'Asks first on a terminal' },
          { line: 'botctl config remove stage --yes', about: 'Does not ask' },
          { line: 'botctl config remove stage --yes --json', about: 'For a script' },
        ],
        exits: [0, 1, 2, 130],
      },
      () => import('./edit.ts').then(({ remove }) => ({ run: remove })),
    ),
    leaf(
      {
        name: 'rename',
        does: 'changes',
        about: 'Give a profile another name',
        details:
          'The journal keeps what the bot did under the old name: an intent belongs to the bot that began it. So rename while nothing of it is unknown, held or open.',
        arguments: [name, { usage: '<new-name>', about: 'what to call it from now on' }],
        examples: [
          { line: 'botctl config rename prod payments', about: 'It stays in use, if it was' },
          { line: 'botctl config rename prod payments --json', about: 'For a script' },
          { line: 'botctl history --bot prod --state unknown', about: 'First see what is not settled' },
        ],
        exits: looks,
      },
      () => import('./edit.ts').then(({ rename }) => ({ run: rename })),
    ),
    leaf(
      {
        name: 'path',
        does: 'looks',
        about: 'Print the path of the profiles file',
        examples: [
          { line: 'botctl config path', about: 'The file, whether it is there or not' },
          { line: 'ls -l "$(botctl config path)"', about: 'Who may read it' },
          { line: 'XDG_CONFIG_HOME=/srv/bots botctl config path', about: 'Another folder' },
        ],
        exits: [0, 1, 2],
      },
      () => import('./show.ts').then(({ path }) => ({ run: path })),
    ),
  ],
};

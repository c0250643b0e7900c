import type { OptionSpec } from './spec.ts';

const bot = 'Bot and service';
const output = 'Output';
const retries = 'Retries';

/** Taken by every command, before or after its name. */
export const globalOptions: readonly OptionSpec[] = [
  {
    flags: '-p, --profile <name>',
    about: 'use this profile',
    env: 'BOTCTL_PROFILE',
    group: bot,
    completes: 'profiles',
  },
  {
    flags: '--base-url <url>',
    about: 'the service; beside a profile only its own is allowed',
    env: 'BOTCTL_BASE_URL',
    group: bot,
  },
  {
    flags: '--token-file <file>',
    about: 'read the token from a file, or from stdin with -; see also BOTCTL_TOKEN',
    group: bot,
  },
  { flags: '--sandbox', about: 'use the built-in service: no account, no money', group: bot },
  {
    flags: '--journal <file>',
    about:
      'use this journal: a file (its whole path, or ./… ../… ~/…), or the postgres:// URL of a shared one',
    env: 'BOTCTL_JOURNAL',
    group: bot,
  },
  { flags: '--timeout <duration>', about: 'longest time for one attempt (default 30s)', group: retries },
  {
    flags: '--retries <n>',
    about: 'most attempts after the first (default: until --max-wait)',
    group: retries,
  },
  {
    flags: '--max-wait <duration>',
    about: 'how long to keep trying after the first attempt (default 60s)',
    group: retries,
  },
  { flags: '--json', about: 'print one JSON object on stdout, for errors too', group: output },
  { flags: '-q, --quiet', about: 'print only the message id or the signature', group: output },
  { flags: '-v, --verbose', about: 'print each step and each attempt on stderr', group: output },
  { flags: '--no-color', about: 'no colours (see also NO_COLOR and FORCE_COLOR)', group: output },
];

/** The variables that are read besides those named at the options. */
export const environmentOnly: readonly { name: string; about: string }[] = [
  {
    name: 'BOTCTL_TOKEN',
    about: 'the bot token, used with BOTCTL_BASE_URL; --token-file and --profile outrank it',
  },
  { name: 'BOTCTL_RUN', about: 'the name of this run, as --run; use a value that a retry does not change' },
  { name: 'NO_COLOR', about: 'no colours, if not empty' },
  { name: 'FORCE_COLOR', about: 'colours even when the output is not a terminal; 0 for none' },
];

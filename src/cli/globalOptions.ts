import type { OptionSpec } from './spec.ts';

const speaking = 'Who speaks, and where';
const output = 'Output';
const trying = 'Trying';

/** Taken by every command, before or after its name. */
export const globalOptions: readonly OptionSpec[] = [
  {
    flags: '--profile <name>',
    about: 'speak as this profile',
    env: 'BOTCTL_PROFILE',
    group: speaking,
    completes: 'profiles',
  },
  {
    flags: '--base-url <url>',
    about: 'the service; a profile has its own, and goes to no other origin',
    env: 'BOTCTL_BASE_URL',
    group: speaking,
  },
  {
    flags: '--token-file <file>',
    about: 'read the token from a file, or - for stdin (in the environment: BOTCTL_TOKEN)',
    group: speaking,
  },
  { flags: '--sandbox', about: 'use the embedded service: no set-up, no money', group: speaking },
  { flags: '--journal <file>', about: 'keep the journal there', env: 'BOTCTL_JOURNAL', group: speaking },
  { flags: '--timeout <duration>', about: 'bound on one attempt (default 30s)', group: trying },
  { flags: '--retries <n>', about: 'attempts after the first (default 4)', group: trying },
  {
    flags: '--max-wait <duration>',
    about: 'bound on all waiting between attempts (default 60s)',
    group: trying,
  },
  { flags: '--json', about: 'one JSON object on stdout, errors too', group: output },
  { flags: '-q, --quiet', about: 'print only the message id or the signature', group: output },
  { flags: '-v, --verbose', about: 'a line per step and per attempt on stderr', group: output },
  { flags: '--no-color', about: 'no colours (also NO_COLOR; FORCE_COLOR asks for them)', group: output },
];

/** What the environment may say, beside the variables named at the options. */
export const environmentOnly: readonly { name: string; about: string }[] = [
  {
    name: 'BOTCTL_TOKEN',
    about: 'the bot token, with BOTCTL_BASE_URL; --token-file and --profile outrank it',
  },
  { name: 'BOTCTL_RUN', about: 'the name of this run, as --run; use what stays the same on a retry' },
  { name: 'NO_COLOR', about: 'no colours, if not empty' },
  { name: 'FORCE_COLOR', about: 'colours although the output is no terminal; 0 for none' },
];

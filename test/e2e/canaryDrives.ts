/** One line that the canary test runs: with every token at hand, in every output mode. */
export type Drive = { readonly line: readonly string[]; readonly code: number; readonly stdin?: string };

/** Stands for the token on stdin, in a drive. */
export const tokenOnStdin = '<token>\n';

/** The profiles that are there: each takes its token from elsewhere. All live at this address. */
export const profileNames = ['stored', 'variable', 'file', 'command'] as const;
export const unreachable = 'https://127.0.0.1:9';

const url = ['--base-url', 'https://x.example.com'];

const message = ['--conversation', 'c', '--content', 'hello'];
const transfer = ['--to', '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM', '--asset', 'SOL', '--amount', '1'];
const nowhere = ['--base-url', unreachable, '--retries', '0'];
const asProfile = ['--profile', 'file', '--retries', '0'];

/** What each command is driven with. A command that is missing here fails the test: add its lines. */
export const drives: Readonly<Record<string, readonly Drive[]>> = {
  doctor: [
    { line: ['--sandbox'], code: 0 },
    { line: [], code: 0 },
    { line: [...nowhere], code: 1 },
  ],
  completion: [
    { line: ['bash'], code: 0 },
    { line: ['basch'], code: 2 },
  ],
  complete: [
    { line: ['profiles'], code: 0 },
    { line: ['intents'], code: 0 },
    { line: [], code: 2 },
  ],
  help: [
    { line: ['send'], code: 0 },
    { line: ['sned'], code: 2 },
  ],
  send: [
    { line: message, code: 0 },
    { line: [...message, '--dry-run'], code: 0 },
    { line: [...message, '--token-file', '-'], stdin: tokenOnStdin, code: 0 },
    { line: [...message, ...nowhere], code: 8 },
    { line: [...message, ...asProfile], code: 2 },
  ],
  transfer: [
    // The echoing service refuses transfers, with the token in its words.
    { line: transfer, code: 3 },
    { line: [...transfer, '--dry-run'], code: 0 },
    { line: [...transfer, ...nowhere], code: 8 },
  ],
  history: [
    { line: [], code: 0 },
    { line: ['none'], code: 2 },
  ],
  resume: [
    { line: ['--all'], code: 0 },
    { line: ['none'], code: 2 },
  ],
  resolve: [
    { line: ['--help'], code: 0 },
    { line: ['none', '--happened', '--reason', 'seen'], code: 2 },
  ],
  sandbox: [
    { line: ['--help'], code: 0 },
    { line: ['--port', 'x'], code: 2 },
  ],
  'config add': [
    { line: ['new', ...url, '--token-stdin'], stdin: tokenOnStdin, code: 0 },
    { line: ['new', ...url, '--token-env', 'BOT_TOKEN', '--use'], code: 0 },
    { line: ['new', ...url, '--token-stdin'], stdin: `Bot ${tokenOnStdin}`, code: 3 },
    { line: ['stored', ...url, '--token-stdin'], stdin: tokenOnStdin, code: 2 },
  ],
  'config list': [
    { line: [], code: 0 },
    { line: ['extra'], code: 2 },
  ],
  'config show': [...profileNames.map((name) => ({ line: [name], code: 0 })), { line: ['nobody'], code: 2 }],
  'config use': [
    { line: ['variable'], code: 0 },
    { line: ['nobody'], code: 2 },
  ],
  'config set': [
    { line: ['stored', 'token', '--token-stdin'], stdin: tokenOnStdin, code: 0 },
    { line: ['stored', 'timeout', '5s'], code: 0 },
    { line: ['stored', 'base-url', 'https://moved.example.com'], code: 2 },
    { line: ['stored', 'token', '--token-stdin'], stdin: `${tokenOnStdin}${tokenOnStdin}`, code: 3 },
  ],
  'config unset': [
    { line: ['stored', 'retries'], code: 0 },
    { line: ['stored', 'token'], code: 2 },
  ],
  'config remove': [
    { line: ['stored', '--yes'], code: 0 },
    { line: ['nobody'], code: 2 },
  ],
  'config path': [
    { line: [], code: 0 },
    { line: ['extra'], code: 2 },
  ],
};

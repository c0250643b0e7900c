import { recipient } from '../support/sandbox.ts';

/** One line that the canary test runs: with the token in every place it can come from, in every output mode. */
export type Drive = {
  readonly line: readonly string[];
  readonly code: number;
  readonly stdin?: string;
  /** Whole commands that are run before, in the same home, with the same stdin. */
  readonly before?: readonly (readonly string[])[];
  /** With a journal on a server, in a schema of its own. */
  readonly shared?: true;
  /** The command serves until it is told to stop. */
  readonly serves?: true;
};

/** Stands for the token, in what is given on stdin. */
export const theToken = '<token>';

/** Profiles at the sandbox, each with its token from elsewhere. `lost` is at an address where nobody listens. */
const profileNames = ['stored', 'variable', 'file', 'command'] as const;

const url = ['--base-url', 'https://x.example.com'];
const hello = ['--conversation', 'conv_demo', '--content', 'hello'];
const payment = ['--to', recipient, '--asset', 'SOL', '--amount', '0.01'];
const lost = ['--profile', 'lost', '--max-wait', '0s'];
const lostMessage = ['send', ...lost, ...hello, '--idempotency-key', 'key-of-the-lost'];

const proposing = (name: string, key: string): string[] => [
  ...['transfer', ...payment, '--profile', name, '--max-wait', '0s', '--propose', '--idempotency-key', key],
];
const proposed = proposing('lost', 'key-of-the-proposed');
const payable = proposing('stored', 'key-of-the-payable');

const migrate = ['journal', 'migrate'];
const sharedMessage = ['send', ...hello, '--once', 'shared'];

const payroll = `id,to_address,asset,amount\nada,${payment[1]},SOL,0.01\n`;

/** What each command is driven with. A command that is missing here fails the test: add its lines. */
export const drives: Readonly<Record<string, readonly Drive[]>> = {
  'batch send': [
    { line: ['-', '--once', 'b'], stdin: 'conversation_id,content\nconv_demo,one\nconv_demo,two\n', code: 0 },
    { line: ['-', '--once', 'b', ...lost], stdin: 'conversation_id,content\nconv_demo,one\n', code: 11 },
    { line: ['-', '--once', 'b'], stdin: 'nonsense\n1\n', code: 2 },
  ],
  'batch transfer': [
    { line: ['-', '--once', 'b', '--report', 'r.csv'], stdin: payroll, code: 0 },
    { line: ['-', '--once', 'b', ...lost], stdin: payroll, code: 11 },
    { line: ['-'], stdin: payroll, code: 2 },
  ],
  'batch status': [
    { line: ['b'], stdin: payroll, before: [['batch', 'transfer', '-', '--once', 'b']], code: 0 },
    { line: [], code: 0 },
    { line: ['nobody'], code: 2 },
  ],
  balance: [
    { line: ['--sandbox'], code: 0 },
    { line: ['--profile', 'lost'], code: 2 },
  ],
  doctor: [
    { line: ['--sandbox'], code: 0 },
    { line: [], code: 0 },
    { line: ['--profile', 'lost'], code: 1 },
    { line: [], before: [migrate, sharedMessage], shared: true, code: 0 },
  ],
  completion: [
    { line: ['bash'], code: 0 },
    { line: ['basch'], code: 2 },
  ],
  help: [
    { line: [], code: 0 },
    { line: ['tranfer'], code: 2 },
  ],
  // What its calls answer is in mcp.test.ts.
  mcp: [
    { line: [], code: 0 },
    { line: ['--profile', 'nobody'], code: 2 },
  ],
  send: [
    ...profileNames.map((name) => ({ line: [...hello, '--profile', name], code: 0 })),
    { line: hello, code: 0 },
    { line: [...hello, '--token-file', '-'], stdin: `${theToken}\n`, code: 0 },
    { line: [...hello, '--dry-run'], code: 0 },
    { line: [...hello, '--sandbox'], code: 0 },
    { line: ['--conversation', 'nowhere', '--content', 'hello'], code: 4 },
    { line: [...hello, ...lost], code: 8 },
    { line: [...hello, '--base-url', 'https://127.0.0.1:9', '--profile', 'stored'], code: 2 },
  ],
  transfer: [
    { line: [...payment, '--profile', 'stored'], code: 0 },
    { line: [...payment, '--dry-run'], code: 0 },
    { line: [...payment.slice(0, -1), '100000'], code: 5 },
    { line: [...payment, ...lost], code: 8 },
  ],
  history: [
    { line: [], before: [['send', ...hello], lostMessage], code: 0 },
    { line: ['key-of-the-lost'], before: [lostMessage], code: 0 },
    { line: [], before: [migrate, sharedMessage], shared: true, code: 0 },
    { line: ['nothing-like-it'], code: 2 },
  ],
  resume: [
    { line: ['--all'], code: 0 },
    { line: ['{id}'], before: [lostMessage], code: 8 },
    { line: ['nothing-like-it'], code: 2 },
  ],
  verify: [
    { line: ['--all'], code: 0 },
    { line: [], code: 2 },
  ],
  resolve: [
    {
      line: ['{id}', '--did-not-happen', '--reason', 'nobody listens'],
      before: [lostMessage],
      code: 0,
    },
    { line: ['nothing-like-it', '--happened', '--reason', 'seen'], code: 2 },
  ],
  approve: [
    { line: ['{id}', '--yes'], before: [payable], code: 0 },
    { line: ['{id}', '--yes'], before: [proposed], code: 0 },
    { line: ['key-of-the-lost', '--yes'], before: [lostMessage], code: 2 },
    { line: ['nothing-like-it'], code: 2 },
  ],
  decline: [
    { line: ['{id}', '--reason', 'nobody listens'], before: [proposed], code: 0 },
    { line: ['nothing-like-it', '--reason', 'seen'], code: 2 },
  ],
  'journal accept-loss': [
    { line: ['--yes'], before: [lostMessage], code: 0 },
    { line: ['--yes'], before: [migrate, sharedMessage], shared: true, code: 0 },
    { line: ['--yes', '--journal', '/nowhere/journal.db'], code: 2 },
    { line: ['--yes'], shared: true, code: 1 },
  ],
  'journal backup': [
    { line: ['./copy.db'], before: [lostMessage], code: 0 },
    { line: ['./copy.db'], code: 2 },
  ],
  'journal close': [
    { line: ['--reason', 'the token leaked'], before: [lostMessage], code: 0 },
    { line: ['--journal', '/nowhere/journal.db'], code: 2 },
  ],
  'journal open': [
    { line: [], before: [lostMessage], code: 0 },
    { line: ['--journal', '/nowhere/journal.db'], code: 2 },
  ],
  'journal migrate': [
    { line: [], shared: true, code: 0 },
    { line: [], code: 2 },
    { line: ['--journal', 'postgres://owner@127.0.0.1:9/bots'], code: 8 },
  ],
  'policy show': [
    { line: [], code: 0 },
    { line: ['extra'], code: 2 },
  ],
  'policy check': [
    { line: ['policy.json'], code: 0 },
    { line: ['nowhere.json'], code: 2 },
  ],
  'config add': [
    { line: ['new', ...url, '--token-stdin'], stdin: `${theToken}\n`, code: 0 },
    { line: ['new', ...url, '--token-env', 'BOT_TOKEN', '--use'], code: 0 },
    { line: ['new', ...url, '--token-stdin'], stdin: `Bot ${theToken}\n`, code: 3 },
    { line: ['stored', ...url, '--token-stdin'], stdin: theToken, code: 2 },
  ],
  'config list': [
    { line: [], code: 0 },
    { line: ['extra'], code: 2 },
  ],
  'config show': [...profileNames.map((name) => ({ line: [name], code: 0 })), { line: ['nobody'], code: 2 }],
  'config journal': [
    { line: [], code: 0 },
    { line: ['./team.db', '--unset'], code: 2 },
  ],
  'config use': [
    { line: ['variable'], code: 0 },
    { line: ['nobody'], code: 2 },
  ],
  'config set': [
    { line: ['stored', 'token', '--token-stdin'], stdin: theToken, code: 0 },
    { line: ['stored', 'timeout', '5s'], code: 0 },
    { line: ['stored', 'base-url', 'https://moved.example.com'], code: 2 },
    { line: ['stored', 'token', '--token-stdin'], stdin: `${theToken}\n${theToken}\n`, code: 3 },
  ],
  'config unset': [
    { line: ['stored', 'timeout'], code: 0 },
    { line: ['stored', 'token'], code: 2 },
  ],
  'config remove': [
    { line: ['stored', '--yes'], code: 0 },
    { line: ['nobody'], code: 2 },
  ],
  sandbox: [
    { line: ['--ephemeral'], serves: true, code: 0 },
    { line: ['--port', 'none'], code: 2 },
  ],
};

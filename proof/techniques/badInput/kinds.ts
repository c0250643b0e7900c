import { isDeepStrictEqual } from 'node:util';
import { historySpec } from '../../../src/cli/commands/history/history.spec.ts';
import { resumeSpec } from '../../../src/cli/commands/resume.spec.ts';
import { sendSpec } from '../../../src/cli/commands/send.spec.ts';
import { transferSpec } from '../../../src/cli/commands/transfer.spec.ts';
import { recipient } from '../../../test/support/sandbox.ts';
import type { Dice } from '../../dice.ts';
import { pay, say } from '../../jobs.ts';
import { mutateBytes, mutateJson, oddText } from './mutate.ts';

/** One generated case: a command, its input, and the state of its machine. */
export type Generated = {
  readonly argv: readonly string[];
  readonly stdin?: Buffer;
  readonly config?: Buffer;
  readonly reply?: Buffer;
  /** How many requests may leave at most; whatever is refused (exit 2) sends none. */
  readonly mostRequests: number;
  /** What a request must say, if one leaves. */
  readonly isRequested?: (body: unknown) => boolean;
};

export type Kind = { readonly name: string; readonly count: number; make(dice: Dice): Generated };

const message = {
  conversation_id: 'conv_demo',
  content: 'Hello, world',
  reply_to_message_id: 'msg_0',
  components: [
    {
      type: 'action_row',
      components: [{ type: 'button', label: 'Yes', style: 'success', custom_id: 'yes' }],
    },
  ],
};
const transfer = { to_address: recipient, asset: 'SOL', amount: '1.5', memo: 'rent' };

/** Parses as JSON's own parser does, which is stricter than some. A byte order mark at the start is ignored. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/u, ''));
  } catch {
    return undefined;
  }
}

/** Empty values count as absent. */
function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function withoutKey(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(
    ([name, inner]) => name !== 'idempotency_key' && !isEmpty(inner),
  );
  return Object.fromEntries(fields);
}

const payloads: Kind = {
  name: 'payloads',
  count: 6000,
  make: (dice) => {
    const isMessage = dice.below(2) === 0;
    const stdin = mutateJson(isMessage ? message : transfer, dice);
    const requested = withoutKey(parsed(stdin.toString()));
    const verb = isMessage ? 'send' : 'transfer';
    return {
      argv: [verb, '--payload', '-', '--once', `n${dice.below(1e9)}`, '--json'],
      stdin,
      mostRequests: 1,
      isRequested: (body) => isDeepStrictEqual(withoutKey(body), requested),
    };
  },
};

const lines = [
  ['send', '--conversation', 'conv_demo', '--content', 'Hello'],
  ['send', '--conversation', 'conv_demo', '--content', 'Hi', '--button', 'label=Yes,id=yes,style=success'],
  ['transfer', '--to', recipient, '--asset', 'SOL', '--amount', '1.5'],
  ['transfer', '--to', recipient, '--asset', 'USDC', '--amount', '2', '--memo', 'rent'],
  ['history'],
  ['history', 'abcd'],
  ['resume', '--all'],
  ['resolve', 'abcd', '--happened', '--reason', 'seen'],
  ['approve', 'abcd'],
  ['decline', 'abcd', '--reason', 'wrong'],
  ['config', 'list'],
  ['config', 'show', 'tips'],
  ['config', 'unset', 'tips', 'timeout'],
  ['batch', 'send', '-', '--once', 'rows'],
  ['help', 'send'],
];
const specs = [sendSpec, transferSpec, historySpec, resumeSpec];
const everywhere = ['--json', '--quiet', '--verbose', '--no-color', '--max-wait', '--profile', '--help'];
const flags = [
  ...specs.flatMap(({ options = [] }): string[] => options.map(({ name }) => `--${name}`)),
  ...[...everywhere, '--', '--nonsense', '-x'],
];
const values = ['1', '5s', '24h', 'accepted', 'transfer', 'name', 'SOL', '0.1', 'label=A,id=b', recipient];

function sendsNothing(argv: readonly string[]): boolean {
  return !['send', 'transfer', 'batch', 'resume'].includes(argv[0] ?? '') || argv.includes('--dry-run');
}

const commandLines: Kind = {
  name: 'command lines',
  count: 5500,
  make: (dice) => {
    const line = [...dice.pick(lines)];
    for (let change = 1 + dice.below(3); change > 0; change -= 1) {
      const at = 1 + dice.below(line.length);
      const value = dice.below(2) === 0 ? dice.pick(values) : oddText(dice);
      const rolled = dice.below(5);
      if (rolled === 0) line.splice(at, 1);
      else if (rolled === 1) line.splice(at, 0, dice.pick(flags));
      else if (rolled === 2) line.splice(at, 0, dice.pick(flags), value);
      else if (rolled === 3) line.splice(at, 1, value);
      else line.splice(at, 0, `${dice.pick(flags)}=${value}`);
    }
    const stdin = Buffer.from('conversation_id,content\nconv_demo,One\n');
    return { argv: line, stdin, mostRequests: sendsNothing(line) ? 0 : 1 };
  },
};

const csv =
  'id,conversation_id,content,reply_to_message_id\n1,conv_demo,Hello,\n2,conv_demo,"Two, with\nlines",msg_1\n';
const jsonl = `${JSON.stringify({ id: '1', ...message })}\n${JSON.stringify({ id: '2', ...message, content: 'Two' })}\n`;
const transfers = `id,to_address,asset,amount,memo\n1,${recipient},SOL,0.1,one\n2,${recipient},USDC,2,\n`;

const batches: Kind = {
  name: 'batch files',
  count: 3000,
  make: (dice) => {
    const [what, text] = dice.pick([
      ['send', csv],
      ['send', jsonl],
      ['transfer', transfers],
    ] as const);
    const twice = mutateBytes(Buffer.from(text), dice);
    const stdin = dice.below(2) === 0 ? twice : mutateBytes(twice, dice);
    const more = dice.below(3) === 0 ? ['--skip-invalid'] : [];
    const argv = ['batch', what, '-', '--once', `b${dice.below(1e9)}`, '--yes', ...more, '--json'];
    return { argv, stdin, mostRequests: 4 };
  },
};

const tips = {
  'base-url': 'http://127.0.0.1:9',
  token: { kind: 'stored', secret: 'secret-of-tips' },
  timeout: '5s',
};
const other = { ...tips, token: { kind: 'env', variable: 'SOME_TOKEN' } };

const configs: Kind = {
  name: 'config files',
  count: 2000,
  make: (dice) => {
    const argv = dice.pick([
      ['config', 'list', '--json'],
      ['config', 'show', 'tips', '--json'],
      ['config', 'set', 'tips', 'timeout', '3s', '--json'],
      ['config', 'use', 'other', '--json'],
      ['send', '--conversation', 'c', '--content', 'x', '--profile', 'tips', '--dry-run', '--json'],
    ]);
    const file = { version: 1, 'in-use': 'tips', profiles: { tips, other } };
    return { argv, config: mutateJson(file, dice), mostRequests: 0 };
  },
};

const statuses = [
  100, 101, 199, 200, 201, 204, 206, 226, 299, 300, 303, 307, 400, 401, 402, 404, 409, 418, 429, 499,
];

const replies: Kind = {
  name: 'replies',
  count: 3000,
  make: (dice) => {
    const nth = dice.below(1e9);
    const yes = {
      message: { id: 'm' },
      transfer_id: `t${nth}`,
      status: 'confirmed',
      signature: `s${nth}`,
    };
    const body = mutateJson(yes, dice);
    const status = dice.below(3) === 0 ? 500 + dice.below(100) : dice.pick(statuses);
    const length = dice.below(5) === 0 ? dice.below(2000) : body.length;
    const extra = dice.pick([
      `retry-after: ${oddText(dice).replace(/[\r\n\0]/gu, '')}\r\n`,
      'date: never\r\n',
      '',
      '',
    ]);
    const head = Buffer.from(`HTTP/1.1 ${status} X\r\ncontent-length: ${length}\r\n${extra}\r\n`, 'utf8');
    const whole = Buffer.concat([head, body]);
    const reply = dice.below(3) === 0 ? mutateBytes(whole, dice) : whole;
    const more = ['--once', `p${dice.below(1e9)}`, '--max-wait', '0s', '--timeout', '2s'];
    const { argv } = dice.below(2) === 0 ? say('Hello', ...more) : pay('1', ...more);
    return { argv, reply, mostRequests: 1 };
  },
};

export const kinds: readonly Kind[] = [payloads, commandLines, batches, configs, replies];

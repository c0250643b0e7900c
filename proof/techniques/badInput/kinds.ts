import { recipient } from '../../../test/helpers/sandbox.ts';
import type { Dice } from '../../dice.ts';
import { mutateBytes, mutateJson, oddText } from './mutate.ts';

/** One generated case: a command, what it reads, and what it finds on its machine. */
export type Generated = {
  readonly argv: readonly string[];
  readonly stdin?: Buffer;
  readonly config?: Buffer;
  readonly reply?: Buffer;
  /** How the journal of a machine in use is damaged. */
  readonly damage?: (file: Buffer) => Buffer;
  /** How many requests may leave at most; whatever is refused (exit 2) sends none. */
  readonly mostRequests: number;
  /** What a request must say, if one leaves. */
  readonly isAsked?: (body: Record<string, unknown>) => boolean;
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

/** What JSON's own parser makes of it, which reads more strictly than some; a mark at its beginning is no text. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/u, ''));
  } catch {
    return undefined;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, sorted(inner)] as const);
  return fields.sort(([one], [other]) => (one < other ? -1 : 1));
}

function withoutKey(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return JSON.stringify(
    sorted(Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'idempotency_key'))),
  );
}

const payloads: Kind = {
  name: 'payloads',
  count: 6000,
  make: (dice) => {
    const isMessage = dice.below(2) === 0;
    const stdin = mutateJson(isMessage ? message : transfer, dice);
    const name = dice.below(3) === 0 ? ['--once', `n${dice.below(1e9)}`] : ['--run', `r${dice.below(1e9)}`];
    const asked = withoutKey(parsed(stdin));
    return {
      argv: [isMessage ? 'send' : 'transfer', '--payload', '-', ...name, '--json'],
      stdin,
      mostRequests: 1,
      isAsked: (body) => withoutKey(body) === asked,
    };
  },
};

const words = [
  ['send', '--conversation', 'conv_demo', '--content', 'Hello'],
  ['send', '--conversation', 'conv_demo', '--content', 'Hi', '--button', 'label=Yes,id=yes,style=success'],
  ['transfer', '--to', recipient, '--asset', 'SOL', '--amount', '1.5'],
  ['transfer', '--to', recipient, '--asset', 'USDC', '--amount', '2', '--memo', 'rent'],
  ['history'],
  ['history', 'abcd'],
  ['resume', '--all'],
  ['resolve', 'abcd', '--happened', '--reason', 'seen'],
  ['config', 'list'],
  ['config', 'show', 'tips'],
  ['config', 'path'],
  ['batch', 'send', '-', '--once', 'rows'],
  ['help', 'send'],
];

const flags = [
  '--once',
  '--run',
  '--idempotency-key',
  '--dry-run',
  '--yes',
  '--json',
  '--quiet',
  '--verbose',
  '--no-color',
  '--retries',
  '--max-wait',
  '--state',
  '--kind',
  '--since',
  '--limit',
  '--row',
  '--button',
  '--reply-to',
  '--memo',
  '--amount',
  '--asset',
  '--to',
  '--content',
  '--conversation',
  '--allow-off-curve',
  '--held',
  '--signature',
  '--reason',
  '--profile',
  '--',
  '--help',
  '--nonsense',
  '-x',
];
const values = ['1', '5s', '24h', 'accepted', 'transfer', 'name', 'SOL', '0.1', 'label=A,id=b', recipient];

function sendsNothing(argv: readonly string[]): boolean {
  return !['send', 'transfer', 'batch', 'resume'].includes(argv[0] ?? '') || argv.includes('--dry-run');
}

const commandLines: Kind = {
  name: 'command lines',
  count: 5500,
  make: (dice) => {
    const line = [...dice.pick(words)];
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

const profiles = {
  version: 1,
  current: 'tips',
  profiles: {
    tips: {
      'base-url': 'http://127.0.0.1:9',
      token: { kind: 'stored', secret: 'secret-of-tips' },
      timeout: '5s',
    },
    other: { 'base-url': 'http://127.0.0.1:9', token: { kind: 'env', variable: 'SOME_TOKEN' } },
  },
};

const configs: Kind = {
  name: 'config files',
  count: 2000,
  make: (dice) => {
    const argv = dice.pick([
      ['config', 'list', '--json'],
      ['config', 'show', 'tips', '--json'],
      ['config', 'set', 'tips', 'retries', '3', '--json'],
      ['config', 'use', 'other', '--json'],
      ['send', '--conversation', 'c', '--content', 'x', '--profile', 'tips', '--dry-run', '--json'],
    ]);
    return { argv, config: mutateJson(profiles, dice), mostRequests: 0 };
  },
};

function flipped(file: Buffer, dice: Dice): Buffer {
  const copy = Buffer.from(file);
  for (let left = 1 + dice.below(8); left > 0; left -= 1) {
    const at = dice.below(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << dice.below(8));
  }
  return copy;
}

const journals: Kind = {
  name: 'damaged journals',
  count: 1500,
  make: (dice) => {
    const argv = dice.pick([
      ['history', '--json'],
      ['send', '--conversation', 'conv_demo', '--content', 'Hello', '--once', 'known', '--json'],
      [
        'send',
        '--conversation',
        'conv_demo',
        '--content',
        'Hello',
        '--once',
        `x${dice.below(1e6)}`,
        '--json',
      ],
      ['resume', '--all', '--json'],
    ]);
    const roll = dice.below(4);
    const damage = (file: Buffer): Buffer => {
      if (roll === 0) return file.subarray(0, dice.below(file.length));
      if (roll > 1) return flipped(file, dice);
      const page = 4096 * dice.below(Math.ceil(file.length / 4096));
      return Buffer.concat([file.subarray(0, page), Buffer.alloc(4096), file.subarray(page + 4096)]);
    };
    return { argv, damage, mostRequests: 2 };
  },
};

const statuses = [
  100, 101, 199, 200, 201, 204, 206, 226, 299, 300, 303, 307, 400, 401, 402, 404, 409, 418, 429, 499,
];

const replies: Kind = {
  name: 'replies',
  count: 3000,
  make: (dice) => {
    const body = mutateJson(
      { message: { id: 'm' }, transfer_id: 't', status: 'confirmed', signature: 's' },
      dice,
    );
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
    const isMessage = dice.below(2) === 0;
    const line = isMessage
      ? ['send', '--conversation', 'c', '--content', 'Hello']
      : ['transfer', '--to', recipient, '--asset', 'SOL', '--amount', '1'];
    const argv = [...line, '--once', `p${dice.below(1e9)}`, '--retries', '0', '--timeout', '2s', '--json'];
    return { argv, reply, mostRequests: 1 };
  },
};

export const kinds: readonly Kind[] = [payloads, commandLines, batches, configs, journals, replies];

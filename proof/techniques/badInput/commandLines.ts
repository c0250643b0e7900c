import { recipient } from '../../../testing/sandbox.ts';
import type { Kind } from './kind.ts';
import { oddText } from './mutate.ts';

const words = [
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
  '--propose',
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

export const commandLines: Kind = {
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

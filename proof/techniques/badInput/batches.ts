import { recipient } from '../../../testing/sandbox.ts';
import type { Kind } from './kind.ts';
import { mutateBytes } from './mutate.ts';
import { sampleMessage } from './payloads.ts';

const csv =
  'id,conversation_id,content,reply_to_message_id\n1,conv_demo,Hello,\n2,conv_demo,"Two, with\nlines",msg_1\n';
const jsonl = `${JSON.stringify({ id: '1', ...sampleMessage })}\n${JSON.stringify({ id: '2', ...sampleMessage, content: 'Two' })}\n`;
const transfers = `id,to_address,asset,amount,memo\n1,${recipient},SOL,0.1,one\n2,${recipient},USDC,2,\n`;

export const batches: Kind = {
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

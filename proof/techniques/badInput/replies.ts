import { recipient } from '../../../testing/sandbox.ts';
import type { Kind } from './kind.ts';
import { mutateBytes, mutateJson, oddText } from './mutate.ts';

const statuses = [
  100, 101, 199, 200, 201, 204, 206, 226, 299, 300, 303, 307, 400, 401, 402, 404, 409, 418, 429, 499,
];

export const replies: Kind = {
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
    const isMessage = dice.below(2) === 0;
    const line = isMessage
      ? ['send', '--conversation', 'c', '--content', 'Hello']
      : ['transfer', '--to', recipient, '--asset', 'SOL', '--amount', '1'];
    const argv = [...line, '--once', `p${dice.below(1e9)}`, '--max-wait', '0s', '--timeout', '2s', '--json'];
    return { argv, reply, mostRequests: 1 };
  },
};

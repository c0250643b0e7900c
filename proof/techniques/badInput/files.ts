import type { Dice } from '../../dice.ts';
import { hello, type Kind } from './kind.ts';
import { mutateJson } from './mutate.ts';

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

export const configs: Kind = {
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

export const journals: Kind = {
  name: 'damaged journals',
  count: 1500,
  make: (dice) => {
    const argv = dice.pick([
      ['history', '--json'],
      hello('known', '--json'),
      hello(`x${dice.below(1e6)}`, '--json'),
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

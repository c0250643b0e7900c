import { recipient } from '../test/support/sandbox.ts';

export type Operation = 'message' | 'transfer';
export const operations: readonly Operation[] = ['message', 'transfer'];

/** The words of a command that should happen once. A message without a name is another one as soon as it was told. */
export function command(operation: Operation, ...more: readonly string[]): string[] {
  const isNamed = operation === 'transfer' || more.includes('--once');
  return unnamed(operation, ...(isNamed ? [] : ['--once', 'the-one']), ...more);
}

export function unnamed(operation: Operation, ...more: readonly string[]): string[] {
  const job = operation === 'message' ? say('Once, please', ...more) : pay('0.001', ...more);
  return [...job.argv];
}

/** A command, and how often something must happen by it, however many processes run it. */
export type Job = {
  readonly argv: readonly string[];
  readonly stdin?: string;
  readonly effects: number;
};

export function say(content: string, ...more: readonly string[]): Job {
  const words = ['send', '--conversation', 'conv_demo', '--content', content];
  return { argv: [...words, ...more, '--json'], effects: 1 };
}

export function pay(amount: string, ...more: readonly string[]): Job {
  const words = ['transfer', '--to', recipient, '--asset', 'SOL', '--amount', amount];
  return { argv: [...words, ...more, '--json'], effects: 1 };
}

export function batchOf(name: string, rows: number, ...more: readonly string[]): Job {
  const lines = Array.from({ length: rows }, (_, row) => `conv_demo,${name} ${row + 1}`);
  return {
    argv: ['batch', 'send', '-', '--once', name, '--yes', ...more, '--json'],
    stdin: `conversation_id,content\n${lines.join('\n')}\n`,
    effects: rows,
  };
}

/** The same command, with one try. */
export function onceOnly(argv: readonly string[]): string[] {
  const at = argv.indexOf('--max-wait');
  return at < 0 ? [...argv, '--max-wait', '0s'] : argv.with(at + 1, '0s');
}

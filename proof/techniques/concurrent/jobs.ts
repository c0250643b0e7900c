import { recipient } from '../../../testing/sandbox.ts';

/** Something that must happen this many times, however many processes ask for it. */
export type Job = {
  readonly argv: readonly string[];
  readonly stdin?: string;
  readonly effects: number;
};

const patient = ['--timeout', '20s', '--json'];

export function say(content: string, ...naming: readonly string[]): Job {
  const argv = ['send', '--conversation', 'conv_demo', '--content', content, ...naming, ...patient];
  return { argv, effects: 1 };
}

export function pay(amount: string, ...naming: readonly string[]): string[] {
  return ['transfer', '--to', recipient, '--asset', 'SOL', '--amount', amount, ...naming, ...patient];
}

export function batchOf(name: string, rows: number): Job {
  const lines = Array.from({ length: rows }, (_, row) => `conv_demo,${name} ${row + 1}`);
  return {
    argv: ['batch', 'send', '-', '--once', name, '--yes', ...patient],
    stdin: `conversation_id,content\n${lines.join('\n')}\n`,
    effects: rows,
  };
}

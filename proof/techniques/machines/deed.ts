import { recipient } from '../../../testing/sandbox.ts';
import type { Operation } from '../../play.ts';

/** One command that several machines may run. No other command requests the same. */
export type Deed = {
  readonly name: string;
  readonly operation: Operation;
  readonly argv: readonly string[];
  readonly stdin?: string;
  readonly expected: number;
};

type Make = (name: string, number: number) => Deed;

export const patient = ['--timeout', '5s', '--max-wait', '30s', '--json'];

/** The same command, with one try. */
export function onceOnly(argv: readonly string[]): string[] {
  return argv.map((word) => (word === '30s' ? '0s' : word));
}

/** Makes every payment and text unique. */
let made = 0;

function message(kind: string, naming: (name: string) => readonly string[]): Make {
  return (name, number) => ({
    name: kind,
    operation: 'message',
    argv: [
      'send',
      '--conversation',
      'conv_demo',
      '--content',
      `${name} ${number}`,
      ...naming(name),
      ...patient,
    ],
    expected: 1,
  });
}

function transfer(kind: string, naming: (name: string) => readonly string[]): Make {
  return (name, number) => ({
    name: kind,
    operation: 'transfer',
    argv: [
      ...['transfer', '--to', recipient, '--asset', 'SOL', '--amount', `0.00${1_000_000 + number}`],
      ...naming(name),
      ...patient,
    ],
    expected: 1,
  });
}

function batch(kind: string, size: number, ...pace: readonly string[]): Make {
  return (name, number) => batchOf(kind, name, number, size, pace);
}

function batchOf(kind: string, name: string, number: number, size: number, pace: readonly string[]): Deed {
  const rows = Array.from({ length: size }, (_, row) => `conv_demo,${name} ${number} row ${row + 1}`);
  return {
    name: kind,
    operation: 'message',
    argv: ['batch', 'send', '-', '--once', name, '--yes', ...pace, ...patient],
    stdin: `conversation_id,content\n${rows.join('\n')}\n`,
    expected: size,
  };
}

const makers = {
  'a message by name': message('a message by name', (name) => ['--once', name]),
  'a transfer by name': transfer('a transfer by name', (name) => ['--once', name]),
  'a transfer of a run': transfer('a transfer of a run', (name) => ['--once', name]),
  'a transfer by key': transfer('a transfer by key', (name) => ['--idempotency-key', `key-of-${name}`]),
  'a message by key': message('a message by key', (name) => ['--idempotency-key', `key-of-${name}`]),
  'a batch': batch('a batch', 3),
  'a batch row by row': batch('a batch row by row', 3, '--concurrency', '1', '--rate', '50/s'),
  'a long batch': batch('a long batch', 40, '--concurrency', '4'),
} as const satisfies Record<string, Make>;

export type DeedKind = keyof typeof makers;

export const deedKinds = Object.keys(makers) as readonly DeedKind[];

export function newDeed(kind: DeedKind): Deed {
  made += 1;
  return makers[kind](`deed-${made}`, made);
}

/** The same payment in another run. */
export function twinOf({ argv }: Deed): string[] {
  return argv.map((word, index) => (argv[index - 1] === '--once' ? `twin-of-${word}` : word));
}

export function unnamedTransfer(): Deed {
  made += 1;
  return { ...transfer('an unnamed transfer', () => [])('', made), expected: 0 };
}

import { batchOf, type Job, type Operation, pay, say } from '../../jobs.ts';
import type { Setting } from '../../play.ts';

const patient = ['--timeout', '5s', '--max-wait', '30s'];

type Make = (name: string, number: number) => Job;

/** The 2nd to 8th decimal make each payment another. */
const amountOf = (number: number): string => `0.00${1_000_000 + number}`;
const byKey = (name: string): string[] => ['--idempotency-key', `key-of-${name}`];

const makers = {
  'a message by name': (name) => say(name, '--once', name, ...patient),
  'a message by key': (name) => say(name, ...byKey(name), ...patient),
  'a transfer by name': (name, number) => pay(amountOf(number), '--once', name, ...patient),
  'a transfer by key': (name, number) => pay(amountOf(number), ...byKey(name), ...patient),
  'a batch': (name) => batchOf(name, 3, ...patient),
  'a batch row by row': (name) => batchOf(name, 3, '--concurrency', '1', '--rate', '50/s', ...patient),
  'a long batch': (name) => batchOf(name, 40, '--concurrency', '4', ...patient),
} as const satisfies Record<string, Make>;

export type DeedKind = keyof typeof makers;
export const deedKinds = Object.keys(makers) as readonly DeedKind[];

/** One command that several machines may run. No other command requests the same. */
export type Deed = Job & { readonly kind: DeedKind };

let made = 0;

export function newDeed(kind: DeedKind): Deed {
  made += 1;
  return { kind, ...makers[kind](`deed-${made}`, made) };
}

/** The same payment under another name. */
export function twinOf({ argv }: Deed): string[] {
  return argv.map((word, index) => (argv[index - 1] === '--once' ? `twin-of-${word}` : word));
}

export const kindsOf: Readonly<Record<Operation, readonly DeedKind[]>> = {
  message: ['a message by name', 'a message by key', 'a batch'],
  transfer: ['a transfer by name', 'a transfer by key'],
};

/** What a runner is doing when something happens to it. */
export type Errand = Setting & { readonly kind: DeedKind };

export const errands: readonly Errand[] = [
  { kind: 'a message by name' },
  { kind: 'a transfer by name', faults: [{ kind: 'reply', status: 503, when: 'after' }] },
  { kind: 'a transfer by key', isResumed: true },
  { kind: 'a batch' },
];

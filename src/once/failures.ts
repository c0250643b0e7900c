import { NoHomeFolder } from '../machine/folders.ts';
import type { Interrupts } from '../machine/process.ts';
import { diskTrouble } from './phrases.ts';
import { type Advice, neverTwice, sentence, whenReady, withFullStop } from './sentence.ts';

/**
 * Every way in which botctl can fail, by name. These tables are the only source of exit codes and of what a caller may
 * do next.
 */

export type Retry = 'same-command' | 'after-fix' | 'decide';

/** What to do after an exit code, as the help groups them. An error's own `retry` outranks it. */
export type ExitGroup = 'done' | 'fix' | 'look' | 'again';

export type ExitRow = { readonly exit: number; readonly group: ExitGroup; readonly retry?: Retry };

export const exitTable = [
  { exit: 0, group: 'done' },
  { exit: 1, group: 'fix', retry: 'after-fix' },
  { exit: 2, group: 'fix', retry: 'after-fix' },
  { exit: 3, group: 'fix', retry: 'after-fix' },
  { exit: 4, group: 'fix', retry: 'after-fix' },
  { exit: 5, group: 'fix', retry: 'after-fix' },
  { exit: 6, group: 'look', retry: 'after-fix' },
  { exit: 7, group: 'again', retry: 'same-command' },
  { exit: 8, group: 'again', retry: 'same-command' },
  { exit: 9, group: 'again', retry: 'same-command' },
  { exit: 10, group: 'look', retry: 'decide' },
  { exit: 11, group: 'again', retry: 'same-command' },
  { exit: 130, group: 'again', retry: 'same-command' },
] as const satisfies readonly ExitRow[];

export type Exit = (typeof exitTable)[number]['exit'];

/** Every `error.code` with its exit code. If there is an entry, its state decides first. */
export const failureExits = {
  bug: 1,
  'stdout-not-writable': 1,
  'journal-not-writable': 1,
  'journal-damaged': 1,
  'journal-gone': 1,
  'journal-lost': 1,
  'journal-moved': 1,
  'journal-schema': 1,
  'journal-denied': 1,
  'journal-not-durable': 1,
  'config-damaged': 1,
  'config-unsafe': 1,
  'config-not-writable': 1,
  'policy-damaged': 1,
  'policy-unsafe': 1,
  'sandbox-unavailable': 1,
  'machine-fault': 1,

  usage: 2,
  'bad-input': 2,
  'bad-file': 2,
  'base-url': 2,
  'journal-unusable': 2,
  'unnamed-shared': 2,
  'insecure-tls': 2,
  'bad-proxy': 2,
  'no-such-profile': 2,
  'bot-moved': 2,
  'no-such-entry': 2,
  'no-such-journal': 2,
  'no-such-batch': 2,
  'not-allowed-now': 2,
  'invalid-request': 2,
  redirected: 2,
  rejected: 2,
  'some-to-fix': 2,
  'no-answer': 2,
  'policy-limit': 2,
  'policy-recipient': 2,
  'policy-asset': 2,
  'no-rpc-url': 2,
  'bad-rpc-url': 2,
  'no-mint': 2,
  'no-wallet': 2,
  'other-cluster': 2,

  'no-token': 3,
  'bad-token': 3,
  'token-rejected': 3,
  'not-permitted': 3,
  'other-token': 3,
  'node-refused': 3,

  'not-found': 4,
  'insufficient-balance': 5,
  'other-body': 6,
  'other-bot': 6,
  'rate-limited': 7,
  unreachable: 8,
  'journal-busy': 8,
  'journal-unreachable': 8,
  fenced: 8,
  'bad-certificate': 8,
  'node-unusable': 8,
  unknown: 9,
  'in-progress': 9,
  'not-recorded': 9,
  unproven: 9,
  held: 10,
  'journal-closed': 10,
  'proposal-declined': 10,
  'paid-already': 10,
  'some-held': 10,
  contradicted: 10,
  'paid-more-than-once': 10,
  'not-in-journal': 10,
  'not-all-done': 11,
  'not-all-settled': 11,
  stopped: 11,
  'some-unproven': 11,
  interrupted: 130,
  declined: 130,
} as const satisfies Record<string, Exit>;

export type FailureCode = keyof typeof failureExits;

const longestMessage = 2000;
const endShown = 300;

/** Cuts the middle of a message that quotes something very long. The end says whether anything was sent. */
function shortened(message: string): string {
  if (message.length <= longestMessage) return message;
  return `${message.slice(0, longestMessage - endShown)} … ${message.slice(-endShown)}`.toWellFormed();
}

type Details = Advice & {
  /** What is known about an earlier run, which may have sent something, as a sentence. */
  readonly earlier?: string;
  /** Set if it differs from the advice of the code. */
  readonly retry?: Retry;
  readonly cause?: unknown;
};

/**
 * A failure in words. They do not say what was not done: only the top level knows which command runs. The outcome of an
 * attempt is a value, never a Failure.
 */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly details: Details;
  /** The table and the row that it was made from, so that code can tell failures apart. */
  readonly room: string = 'cli';
  readonly kind: string = '';
  readonly fields: object = {};

  constructor(code: FailureCode, message: string, { cause, ...details }: Details = {}) {
    super(
      shortened(code === 'bug' ? message : withFullStop(message)),
      cause === undefined ? undefined : { cause },
    );
    this.name = 'Failure';
    this.code = code;
    this.details = details;
  }
}

/** A failure with this code, written as it is read: see `sentence`. */
export function failureWith(
  code: FailureCode,
  more: Details = {},
): (...how: Parameters<typeof sentence>) => Failure {
  return (...how) => {
    const { message, ...advice } = sentence(...how);
    return new Failure(code, message, { ...advice, ...more });
  };
}

/** Ctrl-C before anything was done. `when` follows “Interrupted”: `before a token was read`. */
export function interrupted(when: string): Failure {
  return failureWith('interrupted')`Interrupted ${when}
    ${whenReady}`;
}

/** A room's failures, one row for each kind: the fields that it needs, its code and its words. */
type Rows = Readonly<Record<string, (fields: never) => Failure>>;

export type FieldsOf<Row> = Row extends (fields: infer Fields extends object) => Failure ? Fields : object;

/** Makes the failures of a room from its rows. */
export function failing<Of extends Rows>(
  room: string,
  rows: Of,
): <K extends keyof Of & string>(kind: K, fields: FieldsOf<Of[K]>, cause?: unknown) => Failure {
  return (kind, fields, cause) => {
    const make = rows[kind] as (fields: object) => Failure;
    return Object.assign(make(fields), { room, kind, fields, ...(cause === undefined ? {} : { cause }) });
  };
}

export function exitOf(code: FailureCode): Exit {
  return failureExits[code];
}

/** Whether the code stops all further work: exit 1, or an outage of the journal. */
export function stopsAll(code: FailureCode): boolean {
  return exitOf(code) === 1 || isOutage(code);
}

/** Whether the journal fails in a way that passes by itself. */
export function isOutage(code: FailureCode): boolean {
  return code === 'journal-busy' || code === 'journal-unreachable' || code === 'fenced';
}

/** The advice for the codes that differ from their exit code. */
const ownRetries: Partial<Record<FailureCode, Retry>> = {
  'bad-certificate': 'after-fix',
  stopped: 'after-fix',
};

export function retryOf(code: FailureCode): Retry {
  const row: ExitRow | undefined = exitTable.find(({ exit }) => exit === exitOf(code));
  return ownRetries[code] ?? row?.retry ?? 'after-fix';
}

// Errors of the machine, which a bug cannot cause.
const machineFaults = [
  'EIO',
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EINTR',
  'ERR_DLOPEN_FAILED',
];

function isMachineFault(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && machineFaults.includes(String(error.code));
}

/** Failures that belong to no room. */
const machineFailure = failing('machine', {
  'no-home': () => failureWith('machine-fault')`HOME is not set, and this user has no home folder
    Set HOME, or both XDG_CONFIG_HOME and XDG_DATA_HOME, to a permanent folder.`,
  failed: ({ error, path }: { error: Error; path: string | undefined }) => failureWith('machine-fault')`
    This machine failed: ${diskTrouble(error)}${path === undefined ? '' : ` (${path})`}.
    Fix the problem named above and run the same command again: ${neverTwice}.`,
  bug: ({ what }: { what: string }) => failureWith('bug')`botctl itself failed: ${what}
    Run it again with --verbose and report what it prints. The history shows the state of every entry:
    $ history`,
});

/** Turns anything thrown into a failure. An error that is not recognised is a bug. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof NoHomeFolder) return machineFailure('no-home', {}, thrown.cause);
  if (isMachineFault(thrown)) {
    const path = 'path' in thrown ? String(thrown.path) : undefined;
    return machineFailure('failed', { error: thrown, path }, thrown);
  }
  return machineFailure('bug', { what: thrown instanceof Error ? thrown.message : String(thrown) }, thrown);
}

/** How many entries a process has claimed, and the last of them. */
type Claimed = { readonly entries: number; readonly lastId: string };

// The Interrupts object stands for the process.
const claimed = new WeakMap<Interrupts, Claimed>();

export function noteClaim(interrupts: Interrupts, id: string): void {
  claimed.set(interrupts, { entries: (claimed.get(interrupts)?.entries ?? 0) + 1, lastId: id });
}

export function claimedBy(interrupts: Interrupts): Claimed | undefined {
  return claimed.get(interrupts);
}

import { NoHomeFolder } from './machine/folders.ts';
import { diskTrouble } from './words/disk.ts';
import { type Doing, endOf } from './words/ends.ts';
import { botctlFailed, endedBeforeItsWork, machineFailed, noHomeFolder } from './words/machine.ts';
import { sentence } from './words/nothing.ts';

/**
 * Every way botctl can fail, by name. The exit code, what a caller may do next, and the sentence in the
 * help all come from these two tables and from nowhere else.
 */

import type { Suggestion } from './words/suggestion.ts';
import { isoExact } from './words/time.ts';

export type Retry = 'same-command' | 'after-fix' | 'decide';

export type ExitRow = { readonly exit: number; readonly means: string; readonly retry?: Retry };

export const exitTable = [
  { exit: 0, means: 'done, or already done (replayed, duplicate)' },
  {
    exit: 1,
    means: 'a fault of botctl or this machine (journal not writable, stdout not writable, bug)',
    retry: 'after-fix',
  },
  {
    exit: 2,
    means:
      'the command, its payload, an input file or the base URL is wrong; also 3xx and the 4xx that reject without a line of their own; of several intents, when nothing is left but what needs fixing',
    retry: 'after-fix',
  },
  { exit: 3, means: 'no token, 401, 403', retry: 'after-fix' },
  { exit: 4, means: '404', retry: 'after-fix' },
  { exit: 5, means: '402 insufficient balance', retry: 'after-fix' },
  {
    exit: 6,
    means:
      'the key or name belongs to another body or bot, or was used at another base URL of the service, or the batch belongs to another file; nothing was sent now',
    retry: 'after-fix',
  },
  { exit: 7, means: '429 until the time ran out', retry: 'same-command' },
  { exit: 8, means: 'the service could not be reached', retry: 'same-command' },
  { exit: 9, means: 'unknown: it may have happened. Run the same command again', retry: 'same-command' },
  { exit: 10, means: 'a person must decide: held, or another payment in the way', retry: 'decide' },
  {
    exit: 11,
    means:
      'several intents: some are unknown, open, sending or not begun (if none is, 10 where any is held, else 2); stopped by 401, 402 or 403: fix that first',
    retry: 'same-command',
  },
  {
    exit: 130,
    means: 'interrupted, or answered No, before anything was sent',
    retry: 'same-command',
  },
] as const satisfies readonly ExitRow[];

export type Exit = (typeof exitTable)[number]['exit'];

/** What each failure is called in `error.code`, and the exit code it has where no state decides first. */
export const failureExits = {
  bug: 1,
  'stdout-not-writable': 1,
  'journal-not-writable': 1,
  'journal-damaged': 1,
  'journal-newer': 1,
  'journal-gone': 1,
  'journal-lost': 1,
  'journal-moved': 1,
  'journal-busy': 1,
  'journal-unreachable': 1,
  'journal-schema': 1,
  'journal-denied': 1,
  'journal-not-durable': 1,
  fenced: 1,
  'config-damaged': 1,
  'config-unsafe': 1,
  'config-not-writable': 1,
  'policy-damaged': 1,
  'policy-unsafe': 1,
  'policy-changed': 1,
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
  'no-such-intent': 2,
  'no-such-journal': 2,
  'no-such-batch': 2,
  'not-allowed-now': 2,
  'invalid-request': 2,
  redirected: 2,
  rejected: 2,
  'some-to-fix': 2,
  'policy-limit': 2,
  'policy-recipient': 2,
  'policy-asset': 2,
  'policy-journal': 2,
  lookalike: 2,
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
  'other-url': 6,
  'other-file': 6,
  'batch-at-work': 6,
  'rate-limited': 7,
  unreachable: 8,
  'bad-certificate': 8,
  'node-unusable': 8,
  unknown: 9,
  'in-progress': 9,
  'not-recorded': 9,
  unproven: 9,
  held: 10,
  'unfinished-twin': 10,
  'recently-done': 10,
  'some-held': 10,
  'reported-ahead': 10,
  contradicted: 10,
  'other-time': 10,
  'not-all-done': 11,
  'not-all-settled': 11,
  stopped: 11,
  'some-unproven': 11,
  interrupted: 130,
  declined: 130,
} as const satisfies Record<string, Exit>;

export type FailureCode = keyof typeof failureExits;

export type FailureDetails = {
  /** What to do next, as a sentence. */
  hint?: string;
  /** Commands that do it, each to be pasted. */
  next?: readonly Suggestion[];
  status?: number;
  requestId?: string;
  /** What a policy leaves, and when it leaves enough. */
  allowance?: Allowance;
  /** What is known of an earlier run, as a sentence: it may have sent something. */
  earlier?: string;
  cause?: unknown;
};

export type Allowance = { readonly remaining?: string; readonly freeAtMs?: number };

const longestMessage = 2000;
const endShown = 300;

/** Without the middle of what was given, where that is as long as a file: the end says what was sent. */
function bounded(message: string): string {
  if (message.length <= longestMessage) return message;
  return `${message.slice(0, longestMessage - endShown)} … ${message.slice(-endShown)}`.toWellFormed();
}

/** A failure with a name. Thrown only where nothing was sent; an attempt's outcome is a value, never this. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly details: FailureDetails;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(
      bounded(code === 'bug' ? message : sentence(message)),
      'cause' in details ? { cause: details.cause } : undefined,
    );
    this.name = 'Failure';
    this.code = code;
    this.details = details;
  }
}

/** A failure as it is shown: the JSON object's `error`, and the two lines a person reads. */
export type Problem = {
  code: FailureCode;
  message: string;
  hint?: string;
  next?: readonly Suggestion[];
  status?: number;
  request_id?: string;
  /** Of what a policy refuses: how much of the asset may still be spent, and when this much may be. */
  remaining?: string;
  free_at?: string;
  /** Two addresses to be compared character by character. */
  beside?: { readonly given: string; readonly known: string };
  retry: Retry;
};

export function exitOf(code: FailureCode): Exit {
  return failureExits[code];
}

/** What helps belongs to what failed: its exit code tells it only where nothing else is known of it. */
const ownRetries: Partial<Record<FailureCode, Retry>> = {
  'journal-busy': 'same-command',
  'policy-changed': 'same-command',
  'journal-unreachable': 'same-command',
  fenced: 'same-command',
  'batch-at-work': 'same-command',
  'bad-certificate': 'after-fix',
  stopped: 'after-fix',
};

export function retryOf(code: FailureCode): Retry {
  const row: ExitRow | undefined = exitTable.find(({ exit }) => exit === exitOf(code));
  return ownRetries[code] ?? row?.retry ?? 'after-fix';
}

/** Where it keeps a command from what it was doing, its message ends with what was not done. */
export function problemOf(failure: Failure, doing?: Doing): Problem {
  const { hint, next = [], status, requestId, allowance, earlier } = failure.details;
  const end = doing && endOf(failure.code, earlier === undefined ? doing : { ...doing, isRunAgain: true });
  return {
    code: failure.code,
    message: [failure.message, end, earlier].filter((text) => text).join(' '),
    ...(hint === undefined ? {} : { hint }),
    ...(next.length === 0 ? {} : { next }),
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...allowanceShown(allowance),
    retry: retryOf(failure.code),
  };
}

export function allowanceShown({
  remaining,
  freeAtMs,
}: Allowance = {}): Pick<Problem, 'remaining' | 'free_at'> {
  return {
    ...(remaining === undefined ? {} : { remaining }),
    ...(freeAtMs === undefined ? {} : { free_at: isoExact(freeAtMs) }),
  };
}

// What no program can cause by a mistake of its own.
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

/** Anything thrown, as a failure: what has no name here is a bug and says so. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof NoHomeFolder) {
    const { message, ...rest } = noHomeFolder;
    return new Failure('machine-fault', message, { ...rest, cause: thrown.cause });
  }
  if (isMachineFault(thrown)) {
    const path = 'path' in thrown ? String(thrown.path) : undefined;
    const { message, hint } = machineFailed(diskTrouble(thrown), path);
    return new Failure('machine-fault', message, { hint, cause: thrown });
  }
  const { message, ...rest } = botctlFailed(thrown instanceof Error ? thrown.message : String(thrown));
  return new Failure('bug', message, { ...rest, cause: thrown });
}

/** A process that ends before its work does: what it had claimed may have been sent. */
export function endedEarly(
  claimed: { readonly intents: number; readonly lastId: string } | undefined,
): Failure {
  const { message, hint } = endedBeforeItsWork(claimed);
  return new Failure(claimed === undefined ? 'bug' : 'unknown', message, { hint });
}

/**
 * Every way botctl can fail, by name. The exit code, what a caller may do next, and the sentence in the
 * help all come from these two tables and from nowhere else.
 */

export type Retry = 'same-command' | 'after-fix' | 'never' | 'decide';

/** What a caller may do next, as a sentence. */
export const retryWords: Readonly<Record<Retry, string>> = {
  'same-command': 'Run the same command again.',
  'after-fix': 'Mend what it names, then run it again.',
  never: 'Nothing is left to do.',
  decide: 'Look, then botctl resolve it, or botctl resume it.',
};

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
      'the command, its payload, an input file or the base URL is wrong; also 400, 422, 3xx and 4xx without a line of their own',
    retry: 'after-fix',
  },
  { exit: 3, means: 'no token, 401, 403', retry: 'after-fix' },
  { exit: 4, means: '404', retry: 'after-fix' },
  { exit: 5, means: '402 insufficient balance', retry: 'after-fix' },
  {
    exit: 6,
    means: 'the key or name belongs to another body or bot; nothing was sent now',
    retry: 'after-fix',
  },
  { exit: 7, means: '429 until the time ran out', retry: 'same-command' },
  { exit: 8, means: 'the service could not be reached', retry: 'same-command' },
  { exit: 9, means: 'unknown: it may have happened. Run the same command again', retry: 'same-command' },
  { exit: 10, means: 'held: a person must decide', retry: 'decide' },
  { exit: 11, means: 'several intents, not all done', retry: 'same-command' },
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
  'config-damaged': 1,
  'config-unsafe': 1,
  'config-not-writable': 1,
  'sandbox-unavailable': 1,
  'machine-fault': 1,

  usage: 2,
  'bad-input': 2,
  'bad-file': 2,
  'base-url': 2,
  'insecure-tls': 2,
  'no-such-profile': 2,
  'bot-moved': 2,
  'no-such-intent': 2,
  'not-allowed-now': 2,
  'invalid-request': 2,
  redirected: 2,
  refused: 2,

  'no-token': 3,
  'bad-token': 3,
  'token-rejected': 3,
  'not-permitted': 3,

  'not-found': 4,
  'insufficient-balance': 5,
  'other-body': 6,
  'other-bot': 6,
  'rate-limited': 7,
  unreachable: 8,
  unknown: 9,
  'in-progress': 9,
  'not-recorded': 9,
  held: 10,
  'unfinished-twin': 10,
  'not-all-done': 11,
  interrupted: 130,
  declined: 130,
} as const satisfies Record<string, Exit>;

export type FailureCode = keyof typeof failureExits;

export type FailureDetails = {
  /** What to do next, as a sentence. */
  hint?: string;
  status?: number;
  requestId?: string;
  cause?: unknown;
};

/** A failure with a name. Thrown only where nothing was sent; an attempt's outcome is a value, never this. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly details: FailureDetails;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
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
  status?: number;
  request_id?: string;
  retry: Retry;
};

export function exitOf(code: FailureCode): Exit {
  return failureExits[code];
}

export function retryOf(exit: Exit): Retry | undefined {
  const row: ExitRow | undefined = exitTable.find((candidate) => candidate.exit === exit);
  return row?.retry;
}

export function problemOf(failure: Failure): Problem {
  const { hint, status, requestId } = failure.details;
  return {
    code: failure.code,
    message: failure.message,
    ...(hint === undefined ? {} : { hint }),
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
    retry: retryOf(exitOf(failure.code)) ?? 'never',
  };
}

// What no program can cause by a mistake of its own.
const machineFaults = ['EIO', 'ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM', 'EINTR'];

function isMachineFault(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && machineFaults.includes(String(error.code));
}

/** Anything thrown, as a failure: what has no name here is a bug and says so. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  if (isMachineFault(thrown)) {
    return new Failure('machine-fault', `This machine failed: ${thrown.message}.`, {
      hint: 'Mend what it names and run the same command again: nothing is sent twice.',
      cause: thrown,
    });
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new Failure('bug', `botctl itself failed: ${message}`, {
    hint: 'Run it again with --verbose and report what it prints. `botctl history` shows where each intent stands.',
    cause: thrown,
  });
}

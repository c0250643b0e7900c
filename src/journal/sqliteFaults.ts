import { Failure } from '../errors.ts';

const primary = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
};

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** SQLite's error as a failure with a name; anything else as it is. */
export function journalFailure(error: unknown, path: string): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const code = codeOf(error);
  if (code === primary.corrupt || code === primary.notADatabase) return damaged(path, error);
  if (code === primary.busy || code === primary.locked) {
    return new Failure('journal-not-writable', `The journal ${path} is kept busy by other processes.`, {
      hint: 'Nothing more was sent. Run the same command again in a moment.',
      cause: error,
    });
  }
  const known = [primary.readOnly, primary.ioError, primary.full, primary.cantOpen] as (number | undefined)[];
  if (known.includes(code) || 'syscall' in error) return notWritable(path, error);
  return error;
}

export function damaged(path: string, cause?: unknown): Failure {
  return new Failure(
    'journal-damaged',
    `The journal ${path} is damaged or is not a journal. It was left as it is.`,
    {
      hint: `Keep it (mv ${path} ${path}.damaged) and put a backup in its place. Without one, check by hand what was last sent: a new journal knows nothing of it.`,
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

function notWritable(path: string, cause: Error): Failure {
  return new Failure('journal-not-writable', `The journal ${path} cannot be written: ${cause.message}.`, {
    hint: 'Without a journal nothing is sent. Make room or mend the folder’s permissions, or name another file with --journal.',
    cause,
  });
}

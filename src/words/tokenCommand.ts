import { formatDuration } from './time.ts';
import { Told } from './told.ts';

const noShell = 'botctl runs it without a shell: no pipes, no variables, no ~.';

/** Of a command only its first word is shown: the others may hold a secret. */
function failed(program: string, what: string, hint: string): Told {
  return new Told('no-token', `The token command (${program}) ${what}`, { hint });
}

export function tokenCommandNotStarted(program: string, reason: string): Told {
  return failed(program, `could not be started: ${reason}`, `Is it installed and on PATH? ${noShell}`);
}

export function tokenCommandTooSlow(program: string, limitMs: number): Told {
  return failed(
    program,
    `was stopped after ${formatDuration(limitMs)}`,
    'Run it by hand: is it waiting for a password or for the network?',
  );
}

export function tokenCommandTooMuch(program: string): Told {
  return failed(
    program,
    'printed far more than a token',
    'Run it by hand: its first line must be the token.',
  );
}

export function tokenCommandPrintedNothing(program: string): Told {
  return failed(program, 'printed nothing', 'Run it by hand: its first line must be the token.');
}

type Exited = { readonly code: number | null; readonly signal: string | null; readonly wantsShell: boolean };

export function tokenCommandFailed(program: string, { code, signal, wantsShell }: Exited): Told {
  return failed(
    program,
    code === null ? `was ended by ${signal}` : `exited with code ${code}`,
    wantsShell
      ? `Its own message is above. ${noShell} If it needs a shell, use sh -c '…'.`
      : 'Its own message is above. Run it by hand until it prints the token, then run the same command again.',
  );
}

const rule =
  'Spaces separate words; \'…\' keeps everything as it is; "…" keeps spaces, with \\" and \\\\ inside; \\ outside quotes keeps the next character. No shell runs: no variables, pipes or ~.';

const commandProblems = {
  backslash: 'ends in a backslash',
  'open-quote': 'has an unclosed quote',
  empty: 'is empty',
  'zero-byte': 'contains a zero byte',
} as const;

export function badTokenCommand(problem: keyof typeof commandProblems): Told {
  return new Told('bad-input', `The token command ${commandProblems[problem]}`, { hint: rule });
}

export const noSuchCommand = 'there is no such command';

import type { Suggestion } from './suggestion.ts';
import { Told } from './told.ts';

export const nameAnother = 'Name another file with --report.';

function usage(message: string, hint: string, next?: readonly Suggestion[]): Told {
  return new Told('usage', message, { hint, ...(next === undefined ? {} : { next }) });
}

export function namelessBatch(named: Suggestion): Told {
  return usage(
    'A batch needs a name: give --once',
    'Name it after what it is and when; with the same name it can be run again.',
    [named],
  );
}

export function notACount(option: string, text: string, most: number): Told {
  return usage(
    `--${option} ${JSON.stringify(text)} is not a count`,
    `Write a whole number from 1 to ${most}.`,
  );
}

export function notARate(text: string): Told {
  return usage(
    `--rate ${JSON.stringify(text)} is not a rate`,
    'Write a count and a unit: 20/s, 300/m or 5000/h.',
  );
}

export function unknownReportFormat(path: string): Told {
  return usage(
    `--report ${path} ends in neither .csv nor .jsonl`,
    'The report’s format follows from its name: give it one of these endings.',
  );
}

export function reportIsInput(path: string): Told {
  return usage(`--report ${path} is the input itself`, nameAnother);
}

export function templateFromStdin(): Told {
  return usage('--template cannot be read from stdin', 'Give it as a file.');
}

export function inputAndTokenFromStdin(): Told {
  return usage(
    'The input and --token-file both want to read stdin',
    'Only one of them can be -; give the other as a file.',
  );
}

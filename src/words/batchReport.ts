import { Told } from './told.ts';

const nameAnother = 'Name another file with --report.';

export function unknownReportFormat(path: string): Told {
  return new Told('usage', `--report ${path} ends in neither .csv nor .jsonl`, {
    hint: 'The report’s format follows from its name: give it one of these endings.',
  });
}

export function reportIsInput(path: string): Told {
  return new Told('usage', `--report ${path} is the input itself`, { hint: nameAnother });
}

export function notAReportsFile(
  path: string,
  what: 'a link that leads nowhere' | 'not a regular file',
): Told {
  return new Told('bad-file', `The report ${path} is ${what}. It was left as it is`, {
    hint: nameAnother,
  });
}

function notWritable(message: string, cause: unknown): Told {
  return new Told('machine-fault', message, {
    hint: 'Make room or fix the folder’s permissions, then run the same command again: it does only what is not done.',
    cause,
  });
}

const cannotBeWritten = (path: string, trouble: string): string =>
  `The report ${path} cannot be written: ${trouble}`;

export function reportNotBegun(path: string, trouble: string, cause: unknown): Told {
  return notWritable(cannotBeWritten(path, trouble), cause);
}

export function reportNotFinished(path: string, trouble: string, cause: unknown): Told {
  return notWritable(`${cannotBeWritten(path, trouble)}. What was sent is in the journal.`, cause);
}

export function reportGivenUp(path: string): string {
  return `Interrupted again: the report ${path} was not written.`;
}

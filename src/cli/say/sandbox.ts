import { Told } from './told.ts';

/** Advice for a service that runs inside another command. */
export const moveByVariable = 'XDG_DATA_HOME moves it.';
export const moveByOptions = 'choose others with --port and --data.';

export function cannotStart(
  trouble: string,
  { port, dataDir }: { readonly port: number; readonly dataDir: string },
  advice: string,
  cause: unknown,
): Told {
  return new Told('sandbox-unavailable', `The sandbox cannot start: ${trouble}`, {
    hint: `It needs ${port === 0 ? 'a free port' : `port ${port}`} and the folder ${dataDir}; ${advice}`,
    cause,
  });
}

export function noTransfersHere({
  message,
  hint,
}: {
  readonly message: string;
  readonly hint: string;
}): Told {
  return new Told('sandbox-unavailable', message, { hint, cause: { message, hint } });
}

export function ephemeralWithData(): Told {
  return new Told('usage', '--ephemeral and --data cannot both be given.', {
    hint: 'An ephemeral sandbox chooses its own folder and removes it.',
  });
}

export function emptyData(): Told {
  return new Told('usage', '--data is empty.', {
    hint: 'Name a folder, or leave --data out.',
  });
}

export function notANumber(name: string, text: string, most: number): Told {
  return new Told('usage', `--${name} must be a number from 0 to ${most}, not ${JSON.stringify(text)}.`, {
    hint: 'Give such a number, or leave the option out.',
  });
}

export const greetingEnd = 'Every request is shown here. Ctrl-C ends it.';

export const readerGone = 'The reader of the sandbox’s output is gone, so the sandbox ends.';

export function noLongerShown(trouble: string): string {
  return `Requests are no longer shown: ${trouble}`;
}

export const makeProfile = 'Create a profile for it:';

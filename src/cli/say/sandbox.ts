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

export function noSuchAction(action: string): Told {
  return new Told('usage', `The sandbox has no action ${JSON.stringify(action)}.`, {
    hint: 'Use reset or fund. Without an action, the sandbox serves.',
  });
}

export function notForAction(option: string, action: string): Told {
  return new Told('usage', `botctl sandbox ${action} does not take --${option}.`, {
    hint: `Leave it out. ${action === 'fund' ? 'fund takes --amount, --asset, --to and --data.' : 'reset takes --data.'}`,
  });
}

export function onlyToFund(option: string): Told {
  return new Told('usage', `Only botctl sandbox fund takes --${option}.`, {
    hint: 'Write fund after sandbox, or leave the option out.',
  });
}

export function noAmountToFund(): Told {
  return new Told('usage', 'botctl sandbox fund needs --amount.', {
    hint: 'Say how much, as in --amount 5.',
  });
}

export function cannotFund(problem: string): Told {
  return new Told('usage', `No money was added: ${problem}.`, {
    hint: 'Fix that, and run the command again.',
  });
}

export function folderNotUsable(folder: string, trouble: string, cause: unknown): Told {
  return new Told('sandbox-unavailable', `The folder ${folder} cannot be used: ${trouble}`, {
    hint: 'Name another folder with --data.',
    cause,
  });
}

export function resetSandbox(folder: string, balances: string): string {
  return `The sandbox in ${folder} is reset: no messages, transfers, readings or faults; the wallet holds ${balances}. Its tokens and wallet are unchanged. What botctl --sandbox did before stays in its journal.`;
}

export function fundedSandbox(address: string, balances: string): string {
  return `${address} now holds ${balances}.`;
}

export const makeProfile = 'Create a profile for it:';

import { Told } from './told.ts';

/** Advice for a service that runs inside another command. */
export const moveByVariable = 'XDG_DATA_HOME moves it.';
export const moveByOptions = 'others are given with --port and --data.';

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
  return new Told('usage', '--data needs a folder, but it is empty.', {
    hint: 'Name one, or leave it out.',
  });
}

export function notANumber(name: string, text: string, most: number): Told {
  return new Told('usage', `--${name} must be a number from 0 to ${most}, not ${JSON.stringify(text)}.`, {
    hint: 'Give such a number, or leave the option out.',
  });
}

export const greetingEnd = 'Every request is shown here. Ctrl-C ends it.';

export const readerGone = 'Nobody reads what the sandbox shows any more: it ends.';

export function noLongerShown(trouble: string): string {
  return `Requests are no longer shown: ${trouble}`;
}

export function noSuchAction(action: string): Told {
  return new Told('usage', `The sandbox has no ${JSON.stringify(action)}.`, {
    hint: 'It has reset and fund; without either it serves.',
  });
}

export function notForAction(option: string, action: string): Told {
  return new Told('usage', `--${option} is not for botctl sandbox ${action}.`, {
    hint: `Leave it out. ${action === 'fund' ? 'fund takes --amount, --asset, --to and --data.' : 'reset takes --data.'}`,
  });
}

export function onlyToFund(option: string): Told {
  return new Told('usage', `--${option} is for botctl sandbox fund.`, {
    hint: 'Write fund after sandbox, or leave the option out.',
  });
}

export function noAmountToFund(): Told {
  return new Told('usage', 'botctl sandbox fund needs --amount.', {
    hint: 'Say how much, such as --amount 5.',
  });
}

export function cannotFund(problem: string): Told {
  return new Told('usage', `No money was made: ${problem}.`, {
    hint: 'Change what it names, and run it again.',
  });
}

export function folderNotUsable(folder: string, trouble: string, cause: unknown): Told {
  return new Told('sandbox-unavailable', `The folder ${folder} cannot be used: ${trouble}`, {
    hint: 'Another folder is given with --data.',
    cause,
  });
}

export function resetSandbox(folder: string, balances: string): string {
  return `The sandbox in ${folder} is as new: no messages, no transfers, no readings and faults; the wallet holds ${balances}. Its tokens and its wallet are the same. What botctl --sandbox did before stays in its journal.`;
}

export function fundedSandbox(address: string, balances: string): string {
  return `${address} now holds ${balances}.`;
}

export const makeProfile = 'Make a profile for it with:';

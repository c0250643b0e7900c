import { counted } from './list.ts';
import { neverTwice } from './nothing.ts';
import type { Suggestion } from './suggestion.ts';

/** Said of what no command did wrong. Plain texts: errors.ts makes the failures itself. */
type Said = { readonly message: string; readonly hint: string; readonly next?: readonly Suggestion[] };

export function machineFailed(reason: string, path: string | undefined): Said {
  return {
    message: `This machine failed: ${reason}${path === undefined ? '' : ` (${path})`}.`,
    hint: `Fix the problem named above and run the same command again: ${neverTwice}.`,
  };
}

export function botctlFailed(what: string): Said {
  return {
    message: `botctl itself failed: ${what}`,
    hint: 'Run it again with --verbose and report what it prints. The history shows the state of each intent:',
    next: [['history']],
  };
}

export function endedBeforeItsWork(claimed: { intents: number; lastId: string } | undefined): Said {
  const ended = 'botctl ended before its work did.';
  if (claimed === undefined)
    return {
      message: ended,
      hint: 'Run the same command again. If it ends like this again, report what --verbose prints.',
    };
  const what =
    claimed.intents === 1
      ? `Intent ${claimed.lastId}`
      : `Any of the ${counted(claimed.intents, 'intent')} that it had begun`;
  return {
    message: `${ended} ${what} may have been sent.`,
    hint: `Run the same command again: ${neverTwice}, and what is done already is reported.`,
  };
}

export const noHomeFolder: Said = {
  message: 'HOME is not set, and this user has no home folder',
  hint: 'Set HOME, or both XDG_CONFIG_HOME and XDG_DATA_HOME, to a permanent folder.',
};

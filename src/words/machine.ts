import type { MachineFacts } from '../errors.ts';
import { diskTrouble } from './disk.ts';
import { counted } from './list.ts';
import { neverTwice } from './nothing.ts';
import { type Table, Told } from './told.ts';

export const machineTable: Table<MachineFacts> = {
  'no-home': () => ({
    message: 'HOME is not set, and this user has no home folder',
    hint: 'Set HOME, or both XDG_CONFIG_HOME and XDG_DATA_HOME, to a permanent folder.',
  }),
  failed: ({ error, path }) => ({
    message: `This machine failed: ${diskTrouble(error)}${path === undefined ? '' : ` (${path})`}.`,
    hint: `Fix the problem named above and run the same command again: ${neverTwice}.`,
  }),
  bug: ({ what }) => ({
    message: `botctl itself failed: ${what}`,
    hint: 'Run it again with --verbose and report what it prints. The history shows the state of each intent:',
    next: [['history']],
  }),
};

/** A process that ends before its work does: what it had claimed may have been sent. */
export function endedEarly(claimed: { readonly intents: number; readonly lastId: string } | undefined): Told {
  const ended = 'botctl ended before its work did.';
  if (claimed === undefined)
    return new Told('bug', ended, {
      hint: 'Run the same command again. If it ends like this again, report what --verbose prints.',
    });
  const what =
    claimed.intents === 1
      ? `Intent ${claimed.lastId}`
      : `Any of the ${counted(claimed.intents, 'intent')} that it had begun`;
  return new Told('unknown', `${ended} ${what} may have been sent.`, {
    hint: `Run the same command again: ${neverTwice}, and what is done already is reported.`,
  });
}

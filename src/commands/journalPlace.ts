import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import { dataFolder } from '../folders.ts';
import type { Journal } from '../journal/journal.ts';

export function sandboxFolder(env: Context['env']): string {
  return join(dataFolder(env), 'sandbox');
}

/** Where this command's journal is. The sandbox has its own: trying things out never meets real money. */
export function journalPath(given: Given, { env }: Pick<Context, 'env'>): string {
  const asked = given.text('journal');
  if (asked === '') {
    throw new Failure('usage', '--journal is empty; nothing was sent.', { hint: 'Give it a file.' });
  }
  if (asked !== undefined) return asked;
  if (given.flag('sandbox')) return join(sandboxFolder(env), 'journal.db');
  return env.BOTCTL_JOURNAL || join(dataFolder(env), 'journal.db');
}

export async function openJournalOf(given: Given, context: Pick<Context, 'env'>): Promise<Journal> {
  const { openJournal } = await import('../journal/sqliteJournal.ts');
  return openJournal(journalPath(given, context));
}

/** Who decides: kept with every decision. */
export function whoDecides(): string {
  return `${userName()}@${hostname()}`;
}

// A container may run as a number that has no name.
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

import { randomBytes } from 'node:crypto';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { View } from '../../display/display.ts';
import { safeLine } from '../../display/safeText.ts';
import type { Exit } from '../../errors.ts';
import { fileMigratesItself, migrated } from '../../words/migrating.ts';
import { journalLocation } from '../journalPath.ts';
import { withServer } from './sharedServer.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const location = await journalLocation(given, context);
  if (location.is === 'file') throw fileMigratesItself(location.path);
  const { migrateJournal } = await import('../../journal/postgres/migrateJournal.ts');
  const view = await withServer(location.address, given, context, async (shared) => {
    const { from, to } = await migrateJournal(shared, randomBytes);
    return migratedView(given.command, shared.place, from, to);
  });
  await context.display.show(view);
  return 0;
}

function migratedView(command: string, place: string, from: number, to: number): View {
  return {
    json: { schema: 'botctl/1', command, journal: place, from, to },
    human: () => `${migrated(safeLine(place), from, to)}\n`,
    quiet: String(to),
  };
}

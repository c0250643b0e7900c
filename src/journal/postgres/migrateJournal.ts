import { mayNotMigrate } from '../../words/migrating.ts';
import {
  schemaForeign,
  schemaNewer,
  schemaUnreleased,
  unchangedOnStandby,
} from '../../words/sharedJournal.ts';
import { codeOf } from './faults.ts';
import type { ServerFacts } from './hello.ts';
import type { Line } from './line.ts';
import { migrate, schemaVersion } from './migrate.ts';

type Migrating = {
  readonly line: Line;
  readonly schema: string;
  readonly place: string;
  readonly server: ServerFacts;
};

/** Makes the journal, or brings it up to date. Its version before (0: there was none) and now. */
export async function migrateJournal(
  { line, schema, place, server }: Migrating,
  random: (size: number) => Uint8Array,
): Promise<{ readonly from: number; readonly to: number }> {
  if (server.isStandby) throw unchangedOnStandby(place);
  const done = await migrate(line, schema, random).catch((error: unknown) => {
    throw codeOf(error) === notPermitted ? mayNotMigrate(place, schema, error) : error;
  });
  switch (done.is) {
    case 'migrated':
      return { from: done.from, to: done.to };
    case 'current':
      return { from: schemaVersion, to: schemaVersion };
    case 'newer':
      throw schemaNewer(place, done.version, schemaVersion);
    case 'unreleased':
      throw schemaUnreleased(place);
    case 'foreign':
      throw schemaForeign(place, schema);
  }
}

const notPermitted = '42501';

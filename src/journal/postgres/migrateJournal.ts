import { sharedFailure } from './facts.ts';
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
  if (server.isStandby) throw sharedFailure('unchanged-on-standby', { place });
  const done = await migrate(line, schema, random).catch((error: unknown) => {
    throw codeOf(error) === notPermitted ? sharedFailure('may-not-migrate', { place, schema }, error) : error;
  });
  switch (done.is) {
    case 'migrated':
      return { from: done.from, to: done.to };
    case 'current':
      return { from: schemaVersion, to: schemaVersion };
    case 'newer':
      throw sharedFailure('schema-newer', { place, version: done.version, known: schemaVersion });
    case 'unreleased':
      throw sharedFailure('schema-unreleased', { place });
    case 'foreign':
      throw sharedFailure('schema-foreign', { place, schema });
  }
}

const notPermitted = '42501';

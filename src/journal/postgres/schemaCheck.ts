import { schemaForeign, schemaMissing, schemaNewer, schemaOlder } from '../../words/sharedJournal.ts';
import type { Line } from './line.ts';
import { schemaStateOf, schemaVersion } from './migrate.ts';

/** Refuses what is not a journal of this release. */
export async function refuseSchema(line: Line, schema: string, place: string): Promise<void> {
  const state = await schemaStateOf(line, schema);
  switch (state.is) {
    case 'current':
      return;
    case 'missing':
      throw schemaMissing(place, schema);
    case 'older':
      throw schemaOlder(place, state.version, schemaVersion);
    case 'newer':
      throw schemaNewer(place, state.version, schemaVersion);
    case 'foreign':
      throw schemaForeign(place, schema);
  }
}

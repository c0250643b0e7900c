import { sharedFailure } from './facts.ts';
import type { Line } from './line.ts';
import { schemaStateOf, schemaVersion } from './migrate.ts';

/** Refuses what is not a journal of this release. */
export async function refuseSchema(line: Line, schema: string, place: string): Promise<void> {
  const state = await schemaStateOf(line, schema);
  switch (state.is) {
    case 'current':
      return;
    case 'missing':
      throw sharedFailure('schema-missing', { place, schema, ownersUrl: await ownersUrl(line, schema) });
    case 'older':
      throw sharedFailure('schema-older', {
        ...{ place, version: state.version, needed: schemaVersion },
        ownersUrl: await ownersUrl(line, schema),
      });
    case 'newer':
      throw sharedFailure('schema-newer', { place, version: state.version, known: schemaVersion });
    case 'unreleased':
      throw sharedFailure('schema-unreleased', { place });
    case 'foreign':
      throw sharedFailure('schema-foreign', { place, schema });
  }
}

const whoOwns = `SELECT current_user AS self, coalesce(
    (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = $1
      AND pg_get_userbyid(nspowner) <> 'pg_database_owner'),
    pg_get_userbyid(datdba)) AS owner
  FROM pg_database WHERE datname = current_database()`;

/** For whoever may make or change it, where that is another role than this one. */
async function ownersUrl(line: Line, schema: string): Promise<string | undefined> {
  const [row] = (await line.query(whoOwns, [schema])).rows;
  return row === undefined || row.owner === row.self ? undefined : line.urlFor(String(row.owner));
}

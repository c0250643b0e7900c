import { sharedJournalLost } from '../../words/sharedJournal.ts';
import { findSharedLoss } from './acceptSharedLoss.ts';
import { CopySource } from './copySource.ts';
import { askJournal } from './hello.ts';
import { silentSince } from './openSharedJournal.ts';

type Shared = Parameters<typeof findSharedLoss>[0];

/** A shared journal that is to be copied elsewhere: refused where it has lost something. */
export async function openSource(shared: Shared) {
  const { line, schema, place, server } = shared;
  const loss = await findSharedLoss(shared);
  if (loss !== undefined) throw sharedJournalLost(place, loss.says);
  const journal = await askJournal(line, schema);
  return {
    source: new CopySource({ line, schema, place, journal }),
    silentSinceMs: silentSince({ server, journal }, server.nowMs),
  };
}

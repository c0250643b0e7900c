import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openJournal } from '../../src/once/journal/file/openJournal.ts';
import { SourceFile } from '../../src/once/journal/file/sourceFile.ts';
import { parseAddress } from '../../src/postgres/address.ts';
import { copyIntoShared, openTarget } from '../../src/postgres/copy.ts';
import type { Note } from '../../src/postgres/facts.ts';
import { notesIn, ownFolder } from '../../src/postgres/notes.ts';
import { meetServer } from '../../src/postgres/upkeep.ts';
import { endWith, newIntent, newPath, nowMs } from '../journals.ts';
import { patient, type SharedPlace } from './sharedJournal.ts';

/** So many messages, all accepted. A page of a copy has 200. */
export async function fileOf(count: number): Promise<string> {
  const path = newPath();
  const journal = openJournal(path);
  await journal.commit(async (tx) => {
    for (let nth = 0; nth < count; nth += 1) {
      const intent = newIntent();
      await tx.begin(intent, 'hash', nowMs);
      await tx.endAttempt(intent.id, 1, endWith('accepted'), nowMs);
      await tx.conclude(intent.id, 'accepted', undefined, nowMs);
    }
  });
  await journal.close();
  return path;
}

type More = { interrupted?: AbortSignal; onPage?: (done: number) => void; confirm?: () => Promise<void> };

/** Copies it as a person on that machine would who answers Yes. */
export async function copy(path: string, place: SharedPlace, more: More = {}) {
  const source = SourceFile.open(path);
  const address = parseAddress(place.url, 'BOTCTL_JOURNAL', {}, () => 'nobody');
  const { connection, server } = await meetServer(address, patient);
  const shared = {
    connection,
    server,
    schema: place.schema,
    place: 'postgres://…',
    dataFolder: place.dataFolder,
  };
  try {
    const { target, journalId, salt, end } = await openTarget(shared);
    const copying = copyIntoShared({
      ...{ source, target },
      moved: { place: 'postgres://…', journal: journalId, who: 'ada', atMs: nowMs + 60_000 },
      isSameSalt: Buffer.from(source.salt).equals(salt),
      interrupted: more.interrupted ?? patient.interrupted,
      confirm: more.confirm ?? (async () => {}),
      onPage: more.onPage ?? (() => {}),
    });
    return await copying.finally(end);
  } finally {
    await connection.close();
    source.close();
  }
}

/** What the machine has noted of the one journal that it uses. */
export function notesOf({ dataFolder }: SharedPlace): readonly Note[] {
  const folder = join(dataFolder, 'shared');
  const [id = ''] = existsSync(folder) ? readdirSync(folder) : [];
  return notesIn(ownFolder(dataFolder, { id })).read();
}

import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Home } from '../../../testing/home.ts';
import { journalOf } from '../../look.ts';
import { folderOf, partOf, prepared, putBack } from './files.ts';
import { type Injury, inPlace } from './hurt.ts';

/** Opened from a copy, because opening a journal may move its log. */
export async function copied(
  home: Home,
  work: (database: DatabaseSyncInstance) => Promise<void> | void,
): Promise<void> {
  const folder = join(home.path, 'copying');
  cpSync(folderOf(home), folder, { recursive: true });
  const database = new DatabaseSync(join(folder, 'journal.db'));
  try {
    await work(database);
  } finally {
    database.close();
    rmSync(folder, { recursive: true });
  }
}

/** A copy of a journal, made in SQLite’s own ways. */
async function copyOf(home: Home, how: '.backup' | 'VACUUM INTO', to: string): Promise<void> {
  rmSync(to, { force: true });
  await copied(home, async (database) => {
    if (how === '.backup') await backup(database, to);
    else database.exec(`VACUUM INTO '${to}'`);
  });
}

const bothWays = (['.backup', 'VACUUM INTO'] as const).flatMap((how): Injury[] => [
  inPlace(`an older ${how} copy put back`, async ({ home, before }) => {
    rmSync(partOf(home, '-wal'), { force: true });
    await copyOf(before.home, how, journalOf(home));
  }),
  inPlace(`an older ${how} copy put under the newer log`, async ({ home, before }) => {
    await copyOf(before.home, how, journalOf(home));
  }),
  inPlace(
    `a ${how} copy of now put back`,
    async ({ home }) => {
      const copy = `${journalOf(home)}.copy`;
      await copyOf(home, how, copy);
      for (const gone of ['', '-wal', '-shm']) rmSync(`${journalOf(home)}${gone}`, { force: true });
      cpSync(copy, journalOf(home));
      rmSync(copy);
    },
    { isHarmless: true },
  ),
  {
    name: `a ${how} copy of now, alone on another machine`,
    hurt: async ({ home, another }) => {
      const other = prepared(another());
      await copyOf(home, how, journalOf(other));
      return { home: other, others: [home] };
    },
  },
]);

export const backups: readonly Injury[] = [
  inPlace(
    'an older journal.db put back, with its own log',
    ({ home, before }) => putBack(before.home, home, ['', '-wal']),
    { isCommon: true },
  ),
  inPlace(
    'an older journal.db put back under the newer log',
    ({ home, before }) => putBack(before.home, home, ['']),
    { isCommon: true },
  ),
  inPlace('an older journal.db put back, and no log', ({ home, before }) => {
    putBack(before.home, home, ['']);
    rmSync(partOf(home, '-wal'), { force: true });
  }),
  inPlace('an older log put back over the newer one', ({ home, before }) =>
    putBack(before.home, home, ['-wal']),
  ),
  inPlace('an older note put back', ({ home, before }) => putBack(before.home, home, ['.note']), {
    isHarmless: true,
  }),
  inPlace('a much older journal.db put back, with its own log', ({ home, before: { earlier } }) => {
    if (earlier === undefined) return false;
    putBack(earlier.home, home, ['', '-wal']);
    return true;
  }),
  inPlace('a much older journal.db put back under the newer log', ({ home, before: { earlier } }) => {
    if (earlier === undefined) return false;
    putBack(earlier.home, home, ['']);
    return true;
  }),
  ...bothWays,
];

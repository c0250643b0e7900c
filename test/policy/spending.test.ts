import { openFile } from '../../src/journal/sqlite/sqliteFile.ts';
import { newPath, opened } from '../../testing/journals.ts';
import { describeSpending } from './spendingModel.ts';

describeSpending(
  'in SQLite',
  {
    newPlace: async () => newPath(),
    open: async (path) => opened(path),
    declareDead: async (path, owner) => {
      const { database } = openFile(path);
      const sending = '(SELECT seq FROM intents WHERE owner = :owner)';
      const died = `UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = 1`;
      database.prepare(`${died} WHERE verdict IS NULL AND intent IN ${sending}`).run({ owner });
      database
        .prepare(`UPDATE intents SET state = 'unknown', owner = NULL WHERE owner = :owner`)
        .run({ owner });
      database.close();
    },
    // Whoever sends has it count.
    startCounting: async () => {},
  },
  Number(process.env.BOTCTL_RUNS ?? 100),
);

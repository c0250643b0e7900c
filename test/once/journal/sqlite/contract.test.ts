import { openFile } from '../../../../src/once/journal/file/opening.ts';
import { newPath, opened } from '../../../support/journals.ts';
import { describeContract } from '../contract/contract.ts';

describeContract('a journal in SQLite', {
  newPlace: async () => newPath(),
  open: async (path) => opened(path),
  declareDead: async (path, owner) => {
    const { database } = openFile(path);
    const sending = '(SELECT seq FROM entries WHERE owner = :owner)';
    const died = `UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = 1`;
    database.prepare(`${died} WHERE entry IN ${sending}`).run({ owner });
    database
      .prepare(`UPDATE entries SET state = 'unknown', owner = NULL WHERE owner = :owner`)
      .run({ owner });
    database.close();
  },
});

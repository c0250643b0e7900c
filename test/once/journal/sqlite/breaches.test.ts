import { openFile } from '../../../../src/once/journal/file/opening.ts';
import { newPath } from '../../../../testing/journals.ts';
import { describeBreaches } from '../contract/breaches.ts';

describeBreaches('a journal in a file', async () => {
  const { database } = openFile(newPath());
  return {
    run: async (sql) => database.exec(sql.replaceAll('@body', `x'7b7d'`)),
    close: async () => database.close(),
  };
});

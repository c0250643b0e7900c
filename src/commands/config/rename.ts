import { renameProfile } from '../../bot/editProfiles.ts';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../errors.ts';
import { profileRenamed, renamedInJournal } from '../../words/profileChanges.ts';
import { changeAndShow } from './changeAndShow.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const [name = '', newName = ''] = given.args;
  const exit = await changeAndShow(
    given,
    context,
    newName,
    (file) => renameProfile(file, name, newName),
    profileRenamed(name, newName),
  );
  context.display.notice(renamedInJournal(name), [['history', '--bot', name]]);
  return exit;
}

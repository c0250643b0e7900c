import { useProfile } from '../../bot/editProfiles.ts';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../errors.ts';
import { outranksInUse, profileInUse } from '../../words/profileChanges.ts';
import { changeAndShow } from './changeAndShow.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const [name = ''] = given.args;
  const exit = await changeAndShow(
    given,
    context,
    name,
    (file) => useProfile(file, name),
    profileInUse(name),
  );
  for (const variable of ['BOTCTL_TOKEN', 'BOTCTL_PROFILE']) {
    if (context.env[variable] !== undefined) context.display.warn(outranksInUse(variable));
  }
  return exit;
}

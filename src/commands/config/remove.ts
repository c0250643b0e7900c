import { changeProfiles } from '../../bot/changeProfiles.ts';
import { removeProfile } from '../../bot/editProfiles.ts';
import { findProfile } from '../../bot/findProfile.ts';
import { summaryOf } from '../../bot/profileSummary.ts';
import { readProfiles } from '../../bot/readProfiles.ts';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../errors.ts';
import { noneInUse, profileRemoved, removalDeclined, removalQuestion } from '../../words/profileChanges.ts';
import { profilesPathsOf } from './profilesPaths.ts';
import { profileJson } from './profileView.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const [name = ''] = given.args;
  const { env, display, interrupts } = context;
  const paths = profilesPathsOf(context);
  const file = readProfiles(paths);
  const summary = summaryOf(file, name, findProfile(file, name), env);
  if (display.interactive && !given.flag('yes')) {
    const hasStoredToken = summary.token.source === 'stored';
    const question = removalQuestion({ name, baseUrl: summary.baseUrl, hasStoredToken });
    if (!(await display.confirm(question))) throw removalDeclined(name);
  }
  await changeProfiles(paths, (before) => removeProfile(before, name), interrupts.first);
  await display.show({
    json: { schema: 'botctl/1', command: given.command, removed: profileJson(summary) },
    human: () => `${profileRemoved(name)}\n`,
    quiet: name,
  });
  if (summary.inUse) {
    const others = Object.keys(file.profiles).filter((other) => other !== name);
    display.notice(...noneInUse(others));
  }
  return 0;
}

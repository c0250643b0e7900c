import { changeProfiles } from '../../bot/changeProfiles.ts';
import { findProfile } from '../../bot/findProfile.ts';
import { summaryOf } from '../../bot/profileSummary.ts';
import type { ProfilesFile } from '../../bot/profilesFile.ts';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../errors.ts';
import { profilesPathsOf } from './profilesPaths.ts';
import { profileView } from './profileView.ts';

/** Makes one change and shows the profile as it stands then. */
export async function changeAndShow(
  given: Given,
  context: Context,
  name: string,
  change: (file: ProfilesFile) => ProfilesFile,
  headline: string,
): Promise<Exit> {
  const { env, display, interrupts } = context;
  const file = await changeProfiles(profilesPathsOf(context), change, interrupts.first);
  const summary = summaryOf(file, name, findProfile(file, name), env);
  await display.show(profileView(given.command, summary, headline));
  return 0;
}

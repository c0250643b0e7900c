import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../errors.ts';
import { findProfile } from '../../profile/findProfile.ts';
import type { ProfilesFile } from '../../profile/profilesFile.ts';
import { changeProfiles } from '../../profile/storeWriter.ts';
import { summaryOf } from '../../profile/summary.ts';
import { profilesPlace } from './place.ts';
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
  const file = await changeProfiles(profilesPlace(context), change, interrupts.first);
  const summary = summaryOf(file, name, findProfile(file, name), env);
  await display.show(profileView(given.command, summary, headline));
  return 0;
}

import { changeProfiles } from '../../bot/changeProfiles.ts';
import { findProfile } from '../../bot/findProfile.ts';
import { type ProfileSummary, summaryOf } from '../../bot/profileSummary.ts';
import type { ProfilesFile } from '../../bot/profilesFile.ts';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../errors.ts';
import { profilesPathsOf } from './profilesPaths.ts';
import { changedView, shownValue } from './profileView.ts';

/** What was done, in a line; the values of a key before and after it. */
type Headline =
  | string
  | { readonly key: string; readonly of: (now: string, before: string | undefined) => string };

/** Makes one change, and says in a line what it was. */
export async function changeAndShow(
  given: Given,
  context: Context,
  name: string,
  change: (file: ProfilesFile) => ProfilesFile,
  headline: Headline,
): Promise<Exit> {
  const { env, display, interrupts } = context;
  let before: ProfileSummary | undefined;
  const noted = (file: ProfilesFile): ProfilesFile => {
    const profile = file.profiles[name];
    before = profile && summaryOf(file, name, profile, env);
    return change(file);
  };
  const file = await changeProfiles(profilesPathsOf(context), noted, interrupts.first);
  const summary = summaryOf(file, name, findProfile(file, name), env);
  const line =
    typeof headline === 'string'
      ? headline
      : headline.of(shownValue(summary, headline.key) ?? '', before && shownValue(before, headline.key));
  await display.show(changedView(given.command, summary, line));
  return 0;
}

import { summariesOf } from '../../bot/profileSummary.ts';
import { readProfiles } from '../../bot/readProfiles.ts';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../errors.ts';
import { noProfilesYet } from '../../words/profileChanges.ts';
import { addingProfile } from '../../words/profiles.ts';
import { profilesPathsOf } from './profilesPaths.ts';
import { profileRow } from './profileView.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const { env, display } = context;
  const summaries = summariesOf(readProfiles(profilesPathsOf(context)), env);
  if (summaries.length === 0) display.notice(noProfilesYet, addingProfile);
  const nameWidth = Math.max(0, ...summaries.map(({ name }) => name.length));
  for (const summary of summaries) {
    if ((await display.show(profileRow(given.command, summary, nameWidth))) === 'closed') break;
  }
  return 0;
}

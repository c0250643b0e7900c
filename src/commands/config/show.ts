import { findProfile } from '../../bot/findProfile.ts';
import { summaryOf } from '../../bot/profileSummary.ts';
import { readProfiles } from '../../bot/readProfiles.ts';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../errors.ts';
import { noProfileToShow } from '../../words/profileChanges.ts';
import { profilesPathsOf } from './profilesPaths.ts';
import { profileView } from './profileView.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const { env, display } = context;
  const file = readProfiles(profilesPathsOf(context));
  const name = given.args[0] ?? given.text('profile') ?? env.BOTCTL_PROFILE ?? file['in-use'];
  if (name === undefined || name === '') throw noProfileToShow(name === '');
  await display.show(profileView(given.command, summaryOf(file, name, findProfile(file, name), env)));
  return 0;
}

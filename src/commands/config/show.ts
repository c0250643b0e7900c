import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { type Exit, Failure } from '../../errors.ts';
import { findProfile } from '../../profile/findProfile.ts';
import { readProfiles } from '../../profile/store.ts';
import { summaryOf } from '../../profile/summary.ts';
import { profilesPlace } from './place.ts';
import { profileView } from './profileView.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const { env, display } = context;
  const file = readProfiles(profilesPlace(context));
  const name = given.args[0] ?? given.text('profile') ?? env.BOTCTL_PROFILE ?? file['in-use'];
  if (name === undefined || name === '') {
    const why = name === '' ? 'The profile’s name is empty.' : 'No profile is in use and none is named.';
    throw new Failure('no-such-profile', why, {
      hint: 'botctl config list shows them; botctl config add NAME --base-url URL makes one.',
    });
  }
  await display.show(profileView(given.command, summaryOf(file, name, findProfile(file, name), env)));
  return 0;
}

import { changeProfiles } from '../../bot/changeProfiles.ts';
import { addProfile, checkFree } from '../../bot/editProfiles.ts';
import { findProfile } from '../../bot/findProfile.ts';
import { summaryOf } from '../../bot/profileSummary.ts';
import { readProfiles } from '../../bot/readProfiles.ts';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../errors.ts';
import { parseBaseUrl } from '../../intent/baseUrl.ts';
import { anotherInUse, noProfileUrl, profileAdded } from '../../words/profileChanges.ts';
import { profilesPathsOf } from './profilesPaths.ts';
import { profileView } from './profileView.ts';
import { givenSource } from './tokenOptions.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const [name = ''] = given.args;
  const { env, display, interrupts } = context;
  const paths = profilesPathsOf(context);
  checkFree(readProfiles(paths), name);
  const baseUrl = parseBaseUrl(requiredUrl(given), '--base-url');
  const settings = {
    timeout: given.text('timeout'),
    retries: given.text('retries'),
    'max-wait': given.text('max-wait'),
  };
  const source = await givenSource(name, given, context);
  const file = await changeProfiles(
    paths,
    (before) => addProfile(before, name, { baseUrl, source, settings, use: given.flag('use') }),
    interrupts.first,
  );
  const summary = summaryOf(file, name, findProfile(file, name), env);
  await display.show(profileView(given.command, summary, profileAdded(name)));
  if (!summary.inUse) display.notice(...anotherInUse(name));
  return 0;
}

/** What is stored must not depend on what happens to be in the environment today. */
function requiredUrl(given: Given): string {
  const url = given.text('base-url');
  if (url === undefined) throw noProfileUrl();
  return url;
}

import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { type Exit, Failure } from '../../errors.ts';
import { addProfile, checkFree } from '../../profile/edit.ts';
import { findProfile } from '../../profile/findProfile.ts';
import { parseNamedUrl } from '../../profile/namedUrl.ts';
import { newSource } from '../../profile/newSource.ts';
import { readProfiles } from '../../profile/store.ts';
import { changeProfiles } from '../../profile/storeWriter.ts';
import { summaryOf } from '../../profile/summary.ts';
import { profilesPlace } from './place.ts';
import { profileView } from './profileView.ts';
import { sourceOptions, sourceWorld } from './tokenOptions.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const [name = ''] = given.args;
  const { env, display, interrupts } = context;
  const place = profilesPlace(context);
  checkFree(readProfiles(place), name);
  const baseUrl = parseNamedUrl(requiredUrl(given), '--base-url');
  const settings = {
    timeout: given.text('timeout'),
    retries: given.text('retries'),
    'max-wait': given.text('max-wait'),
  };
  const source = await newSource(sourceOptions(given), sourceWorld(name, context));
  const file = await changeProfiles(
    place,
    (before) => addProfile(before, name, { baseUrl, source, settings, use: given.flag('use') }),
    interrupts.first,
  );
  const summary = summaryOf(file, name, findProfile(file, name), env);
  await display.show(profileView(given.command, summary, `Added profile ${name}.`));
  if (!summary.inUse)
    display.notice(`Another profile is in use. To put this one in use: botctl config use ${name}`);
  return 0;
}

/** What is stored must not depend on what happens to be in the environment today. */
function requiredUrl(given: Given): string {
  const url = given.text('base-url');
  if (url !== undefined) return url;
  throw new Failure('usage', 'A profile needs --base-url; nothing was changed.', {
    hint: 'Give it, as in --base-url https://bots.example.com. BOTCTL_BASE_URL is not stored in a profile.',
  });
}

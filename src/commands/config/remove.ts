import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { type Exit, Failure } from '../../errors.ts';
import { removeProfile } from '../../profile/edit.ts';
import { findProfile } from '../../profile/findProfile.ts';
import { readProfiles } from '../../profile/store.ts';
import { changeProfiles } from '../../profile/storeWriter.ts';
import { summaryOf } from '../../profile/summary.ts';
import { profilesPlace } from './place.ts';
import { profileJson } from './profileView.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const [name = ''] = given.args;
  const { env, display, interrupts } = context;
  const place = profilesPlace(context);
  const file = readProfiles(place);
  const summary = summaryOf(file, name, findProfile(file, name), env);
  if (display.interactive && !given.flag('yes')) {
    const loss = summary.token.source === 'stored' ? ' and the token stored in it' : '';
    if (!(await display.confirm(`Remove profile ${name} (${summary.baseUrl})${loss}?`))) throw declined(name);
  }
  await changeProfiles(place, (before) => removeProfile(before, name), interrupts.first);
  await display.show({
    json: { schema: 'botctl/1', command: given.command, removed: profileJson(summary) },
    human: () => `Removed profile ${name}.\n`,
    quiet: name,
  });
  if (summary.inUse) display.notice('It was in use: none is now. botctl config use NAME chooses another.');
  return 0;
}

function declined(name: string): Failure {
  return new Failure('declined', `Profile ${name} was not removed.`);
}

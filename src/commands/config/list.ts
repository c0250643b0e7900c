import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../errors.ts';
import { readProfiles } from '../../profile/store.ts';
import { summariesOf } from '../../profile/summary.ts';
import { profilesPlace } from './place.ts';
import { profileRow } from './profileView.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const { env, display } = context;
  const summaries = summariesOf(readProfiles(profilesPlace(context)), env);
  if (summaries.length === 0)
    display.notice('No profile yet. botctl config add NAME --base-url URL makes one.');
  const nameWidth = Math.max(0, ...summaries.map(({ name }) => name.length));
  for (const summary of summaries) {
    if ((await display.show(profileRow(given.command, summary, nameWidth))) === 'closed') break;
  }
  return 0;
}

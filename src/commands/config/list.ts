import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../errors.ts';
import { readProfiles, storePlace } from '../../profile/store.ts';
import { summariesOf } from '../../profile/summary.ts';
import { profileRow } from './profileView.ts';

export async function run(given: Given, { env, display }: Context): Promise<Exit> {
  const summaries = summariesOf(readProfiles(storePlace(env)), env);
  if (summaries.length === 0)
    display.notice('No profile yet. botctl config add NAME --base-url URL makes one.');
  const nameWidth = Math.max(0, ...summaries.map(({ name }) => name.length));
  for (const summary of summaries) {
    if ((await display.show(profileRow(given.command, summary, nameWidth))) === 'closed') break;
  }
  return 0;
}

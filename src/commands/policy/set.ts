import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { safeLine } from '../../display/safeText.ts';
import type { Exit } from '../../errors.ts';
import { onlySharedHasPolicy } from '../../words/journalPolicy.ts';
import { policySet } from '../../words/policyShow.ts';
import { withServer } from '../journal/sharedServer.ts';
import { journalLocation, whoDecides } from '../journalPath.ts';
import { givenPolicy } from './givenPolicy.ts';

/** Gives a shared journal its policy, which holds whoever sends through it. */
export async function run(given: Given, context: Context): Promise<Exit> {
  const location = await journalLocation(given, context);
  if (location.is === 'file') throw onlySharedHasPolicy(location.path);
  const { text } = await givenPolicy(given);
  const { setPolicy } = await import('../../journal/postgres/setPolicy.ts');
  await withServer(location.address, given, context, async (shared) => {
    const { place } = shared;
    const number = await setPolicy(shared, text, whoDecides());
    await context.display.show({
      json: { schema: 'botctl/1', command: given.command, journal: place, number },
      human: () => `${policySet(safeLine(place), number)}\n`,
      quiet: String(number),
    });
  });
  return 0;
}

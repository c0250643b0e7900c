import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { safeLine } from '../../display/safeText.ts';
import type { Exit } from '../../errors.ts';
import { backedUp, backingUp, serverBacksUp } from '../../words/backup.ts';
import { journalFile, journalLocation, shownLocation } from '../journalPath.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const { display } = context;
  const [named = ''] = given.args;
  const location = await journalLocation(given, context);
  if (location.is === 'shared') throw serverBacksUp(await shownLocation(location));
  const target = journalFile(named, 'FILE', context.env);
  const { backUp } = await import('../../journal/sqlite/backUp.ts');
  const { intents, attempts } = await display.waiting(backingUp, backUp(location.path, target));
  await display.show({
    json: {
      schema: 'botctl/1',
      command: given.command,
      journal: location.path,
      backup: target,
      intents,
      attempts,
    },
    human: () => `${backedUp(safeLine(target), intents, attempts)}\n`,
    quiet: target,
  });
  return 0;
}

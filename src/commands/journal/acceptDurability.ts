import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { safeLine } from '../../display/safeText.ts';
import type { Exit } from '../../errors.ts';
import {
  acceptedBefore,
  askToAcceptDurability,
  durabilityAccepted,
  fileIsDurable,
  mayLose,
  nobodyAcceptsDurability,
  nothingToAccept,
  wouldForget,
} from '../../words/acceptedDurability.ts';
import { journalLocation, whoDecides } from '../journalPath.ts';
import { confirmed } from './confirmed.ts';
import { withServer } from './sharedServer.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const location = await journalLocation(given, context);
  if (location.is === 'file') throw fileIsDurable(location.path);
  const rules = await import('../../journal/postgres/acceptDurability.ts');
  await withServer(location.address, given, context, async (shared) => {
    const { place, server } = shared;
    const off = rules.settingsOff(server);
    const isAccepted = await rules.isDurabilityAccepted(shared);
    if (!isAccepted && off.length > 0) {
      const lost = mayLose(place, off);
      const nobody = () => nobodyAcceptsDurability(lost);
      const question = { warning: wouldForget(lost), question: askToAcceptDurability, nobody };
      await confirmed(question, given, context);
      await rules.acceptDurability(shared, whoDecides());
    }
    const says = isAccepted ? acceptedBefore : off.length === 0 ? nothingToAccept : durabilityAccepted;
    await context.display.show({
      json: {
        schema: 'botctl/1',
        command: given.command,
        journal: place,
        off,
        accepted: isAccepted || off.length > 0,
      },
      human: () => `${says(safeLine(place), off)}\n`,
      quiet: off.join(' '),
    });
  });
  return 0;
}

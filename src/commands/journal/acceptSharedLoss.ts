import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { View } from '../../display/display.ts';
import { safeLine } from '../../display/safeText.ts';
import type { Exit } from '../../errors.ts';
import type { Address } from '../../journal/postgres/address.ts';
import type { SharedLoss } from '../../journal/postgres/facts.ts';
import type { Note } from '../../journal/postgres/note.ts';
import { lossAccepted } from '../../words/acceptedLoss.ts';
import { hasLost, missingNote, nothingMissing, sharedLoss } from '../../words/sharedJournal.ts';
import { isoExact } from '../../words/time.ts';
import { whoDecides } from '../journalPath.ts';
import { withServer } from './sharedServer.ts';

type Confirm = (lost: string) => Promise<void>;

export async function acceptSharedLoss(
  address: Address,
  given: Given,
  context: Context,
  confirm: Confirm,
): Promise<Exit> {
  const rules = await import('../../journal/postgres/acceptSharedLoss.ts');
  await withServer(address, given, context, async (shared) => {
    const { place } = shared;
    const found = await rules.findSharedLoss(shared);
    if (found === undefined) {
      await context.display.show({
        json: { schema: 'botctl/1', command: given.command, journal: place, accepted: false, missing: [] },
        human: () => `${nothingMissing(safeLine(place))}\n`,
      });
      return;
    }
    await confirm(hasLost(place, found.loss));
    await rules.acceptSharedLoss(shared, found, whoDecides());
    await context.display.show(acceptedView(given.command, place, found.loss));
  });
  return 0;
}

function acceptedView(command: string, place: string, loss: SharedLoss): View {
  const missing = loss.is === 'records' ? loss.missing : [];
  return {
    json: {
      schema: 'botctl/1',
      command,
      journal: place,
      accepted: true,
      missing: missing.map(missingJson),
    },
    human: () =>
      [
        lossAccepted(safeLine(place)),
        `  ${sharedLoss(loss)}`,
        ...missing.map((note) => `  ${missingNote(note)}`),
      ]
        .map((line) => `${line}\n`)
        .join(''),
    quiet: String(missing.length),
  };
}

function missingJson({ what, id, number }: Note): Readonly<Record<string, string | number>> {
  if (what === 'policy') return { policy: number };
  return { intent: id, [what]: what === 'attempt' ? number : isoExact(number) };
}

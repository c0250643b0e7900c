import { findSharedLoss } from './acceptSharedLoss.ts';
import { refusalToSend } from './checks.ts';
import { CopyTarget } from './copyTarget.ts';
import { sharedFailure } from './facts.ts';
import { askJournal } from './hello.ts';
import { Lease } from './lease.ts';

type Shared = Parameters<typeof findSharedLoss>[0];

/** A shared journal, ready to take in what another one knows: refused where nothing could be sent by it. */
export async function openTarget(shared: Shared) {
  const { line, schema, place, server } = shared;
  const lost = await findSharedLoss(shared);
  if (lost !== undefined) throw sharedFailure('lost', { place, loss: lost.loss });
  const journal = await askJournal(line, schema);
  const refused = refusalToSend(server, journal, place);
  if (refused !== undefined) throw refused;
  const lease = new Lease(journal.leaseMs, schema, place);
  return {
    target: new CopyTarget({ line, schema, place, lease }),
    journalId: journal.id,
    salt: journal.salt ?? new Uint8Array(),
    end: async (): Promise<void> => {
      if (!line.isBroken) await line.query(lease.endOn(line)).catch(() => undefined);
    },
  };
}

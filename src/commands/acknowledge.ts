import { signatureIn } from '../chain/ownSignatures.ts';
import { isAgainst, standingOf } from '../chain/standing.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { outcomeView } from '../display/outcomeView.ts';
import type { Exit } from '../errors.ts';
import type { Intent, Journal, Reads } from '../journal/journal.ts';
import { nothingToAcknowledge } from '../words/chainOptions.ts';
import { intentById } from './intentById.ts';
import { whoDecides } from './journalPath.ts';
import { markReported } from './markReported.ts';
import { storedReport } from './storedReport.ts';

/** A person has dealt with what the chain says against these: they are told no more as if nobody had. */
export async function acknowledge(
  reason: string,
  given: Given,
  context: Context,
  journal: Journal,
): Promise<Exit> {
  for (const beginning of given.args) {
    const { id } = await intentById(beginning, journal);
    const atMs = journal.clock.now();
    const who = whoDecides();
    const intent = await journal.commit(async (tx) => {
      const found = await tx.get(id);
      if (found === undefined || !(await isContradicted(found, tx))) throw nothingToAcknowledge(id);
      const nothing = { signature: undefined, genesis: undefined, instruction: undefined };
      await tx.observe(id, {
        ...nothing,
        verdict: 'acknowledged',
        who,
        atMs,
        facts: JSON.stringify({ reason }),
      });
      return found;
    });
    context.doing.hasChanged = true;
    const written = await context.display.show(
      outcomeView(await storedReport(intent, given.command, journal.reads)),
    );
    if (written === 'written') await markReported(intent, journal, context);
  }
  return 0;
}

/** The chain contradicts it, or shows a payment of another time, or proved it by another signature than the service gave. */
async function isContradicted(intent: Intent, tx: Reads): Promise<boolean> {
  const { view } = standingOf(await tx.observationsOf(intent.id));
  if (isAgainst(view)) return true;
  const attempt = await tx.decisiveAttempt(intent.id);
  const replied = attempt === undefined ? undefined : signatureIn(attempt);
  return intent.state === 'accepted' && view?.verdict === 'proven' && replied !== view.signature;
}

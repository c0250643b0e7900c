import { approvalOn } from '../../../once/engine/approval.ts';
import { declineProposal } from '../../../once/engine/resume.ts';
import type { Run } from '../../parse/command.ts';
import { askToDecline } from '../../say/decisions.ts';
import { confirmOverruling, decideEach, reasonOf } from '../deciding.ts';
import { whoDecides } from '../openJournal.ts';

export const run: Run = async (given, context) => {
  const reason = reasonOf(given);
  const overrule = given.flag('overrule');
  return decideEach(given, context, async (intent, journal, decides) => {
    const approved = approvalOn(await journal.reads.decisionsOf(intent.id), intent.fingerprint);
    if (overrule && intent.state === 'open' && approved !== undefined)
      await confirmOverruling(intent, approved, askToDecline, given, context);
    decides();
    const decision = { kind: 'declined', who: whoDecides(), atMs: journal.clock.now(), reason } as const;
    return declineProposal(intent.id, { ...decision, signature: undefined }, journal, overrule);
  });
};

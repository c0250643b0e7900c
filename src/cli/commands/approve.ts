import { approvalOn } from '../../once/engine/approval.ts';
import { declineProposal, needsApprovalNow } from '../../once/engine/resume.ts';
import type { Decision, Intent, Journal } from '../../once/journal/journal.ts';
import type { Context, Run } from '../parse/command.ts';
import type { ApproveArgs, DeclineArgs } from '../parse/sendingSpecs.ts';
import { nobodyApproves } from '../say/decisions.ts';
import { labelled, remark } from '../show/card.ts';
import type { LabelCanvas, Question } from '../show/display.ts';
import { decisionLines, drawIntent } from '../show/report.ts';
import {
  type Beside,
  balanceForQuestion,
  confirmDecision,
  confirmName,
  decideEach,
  reasonOf,
  refuseAbbreviated,
  reversing,
} from './deciding.ts';
import { settingsOf, whoDecides } from './openJournal.ts';
import { intentsOf, sendStored } from './sendStored.ts';

export const approve: Run<ApproveArgs> = async (given, context) => {
  settingsOf(given);
  return sendStored(
    {
      select: (journal) => intentsOf(given.args, journal),
      decide: async (intent, journal, beside) => {
        if (await needsApprovalNow(intent, journal.reads))
          return confirmApproval(intent, beside, given, journal, context);
        await confirmName(intent, given, context);
        return undefined;
      },
    },
    given,
    context,
  );
};

/** Shows all of the proposal, and who made it, before it is approved. */
async function confirmApproval(
  intent: Intent,
  beside: Beside,
  given: ApproveArgs,
  journal: Journal,
  context: Context,
): Promise<Decision | undefined> {
  const { display } = context;
  if (given.flag('yes')) refuseAbbreviated(intent, given);
  const question = async (): Promise<Question> => {
    const decisions = await journal.reads.decisionsOf(intent.id);
    const held = await balanceForQuestion(beside, display);
    return (canvas) => drawProposal(intent, decisions, held, [waitsForYouRemark(intent)], canvas);
  };
  if (!given.flag('yes')) {
    if (display.terminal() === 'none') throw nobodyApproves(intent.id);
    if (!(await display.confirm(await question()))) return undefined;
  }
  return {
    kind: 'approved',
    who: whoDecides(),
    atMs: journal.clock.now(),
    reason: 'botctl approve',
    signature: undefined,
  };
}

function drawProposal(
  intent: Intent,
  decisions: readonly Decision[],
  balance: string | undefined,
  remarks: readonly string[],
  canvas: LabelCanvas,
): string {
  const lines = labelled(decisionLines(decisions), canvas);
  return `${drawIntent(intent, canvas, balance)}${lines}${remark(remarks.join(' '), canvas)}Approve and send it?`;
}

export const decline: Run<DeclineArgs> = async (given, context) => {
  const reason = reasonOf(given);
  return decideEach(given, context, async (shown, journal, asks, decides) => {
    const { intent } = shown;
    const approved = approvalOn(await journal.reads.decisionsOf(intent.id), intent.fingerprint);
    if (asks || approved !== undefined)
      await confirmDecision(() => reversing(intent, approved, 'Decline it now?'), given, context);
    decides();
    const decision = { kind: 'declined', who: whoDecides(), atMs: journal.clock.now(), reason } as const;
    return declineProposal(shown, { ...decision, signature: undefined }, journal);
  });
};

function waitsForYouRemark({ id, tainted }: Intent): string {
  const doubt = tainted ? ' An earlier request may have succeeded; approving repeats it, unchanged.' : '';
  return `Transfer ${id} is waiting for your approval.${doubt}`;
}

import { approvalOn } from '../../../once/engine/approval.ts';
import { declineProposal, lastDecision, needsApprovalNow } from '../../../once/engine/resume.ts';
import type { Decision, Intent, Journal } from '../../../once/journal/journal.ts';
import type { Context, ParsedArgs, Run } from '../../parse/command.ts';
import { askToApprove, askToDecline, nobodyApproves, waitsForYouRemark } from '../../say/decisions.ts';
import { decisionLines, drawIntent, labelled, plainCanvas, remark } from '../../show/report.ts';
import { balanceForQuestion, confirmOverruling, decideEach, reasonOf } from '../deciding.ts';
import { settingsOf, whoDecides } from '../openJournal.ts';
import { type BalanceBeside, intentsById, sendStored } from '../sendStored.ts';

export const approve: Run = async (given, context) => {
  settingsOf(given);
  const overrules = given.flag('overrule');
  return sendStored(
    {
      select: (journal) => intentsById(given.args, journal),
      decide: async (intent, journal, balance) =>
        (await needsApprovalNow(intent, journal.reads, overrules))
          ? confirmApproval(intent, balance, given, journal, context)
          : undefined,
      overrules,
    },
    given,
    context,
  );
};

/** Shows all of the proposal, and who made it, before it is approved. */
async function confirmApproval(
  intent: Intent,
  balance: BalanceBeside,
  given: ParsedArgs,
  journal: Journal,
  context: Context,
): Promise<Decision | undefined> {
  const { display } = context;
  if (intent.resolvedAs === 'declined') {
    const earlier = await lastDecision(intent.id, journal.reads);
    await confirmOverruling(intent, earlier, askToApprove, given, context, balance);
  } else if (!given.flag('yes')) {
    if (display.terminal() === 'none') throw nobodyApproves(intent.id);
    const decisions = await journal.reads.decisionsOf(intent.id);
    const held = await balanceForQuestion(balance, display);
    if (!(await display.confirm((columns) => drawProposal(intent, decisions, held, columns))))
      return undefined;
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
  columns: number,
): string {
  const canvas = plainCanvas(columns);
  const { name, rowId } = intent;
  const lines = labelled([['Name', name], ['Row', rowId], ...decisionLines(decisions, 'utc')], canvas);
  return `${drawIntent(intent, canvas, balance)}${lines}${remark(waitsForYouRemark(intent), canvas)}${askToApprove}`;
}

export const decline: Run = async (given, context) => {
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

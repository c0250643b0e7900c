import { lastDecision, needsApprovalNow } from '../../../once/engine/resume.ts';
import type { Decision, Intent, Journal } from '../../../once/journal/journal.ts';
import type { Context, ParsedArgs, Run } from '../../parse/command.ts';
import { askToApprove, nobodyApproves, waitsForYouRemark } from '../../say/decisions.ts';
import { decisionLines, drawIntent, labelled, plainCanvas, remark } from '../../show/report.ts';
import { confirmOverruling } from '../deciding.ts';
import { settingsOf, whoDecides } from '../openJournal.ts';
import { intentsById, sendStored } from '../sendStored.ts';

export const run: Run = async (given, context) => {
  settingsOf(given);
  const overrules = given.flag('overrule');
  return sendStored(
    {
      select: (journal) => intentsById(given.args, journal),
      decide: async (intent, journal) =>
        (await needsApprovalNow(intent, journal.reads, overrules))
          ? confirmApproval(intent, given, journal, context)
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
  given: ParsedArgs,
  journal: Journal,
  context: Context,
): Promise<Decision | undefined> {
  const { display } = context;
  if (intent.resolvedAs === 'declined') {
    const earlier = await lastDecision(intent.id, journal.reads);
    await confirmOverruling(intent, earlier, askToApprove, given, context);
  } else if (!given.flag('yes')) {
    if (display.terminal() === 'none') throw nobodyApproves(intent.id);
    const decisions = await journal.reads.decisionsOf(intent.id);
    if (!(await display.confirm((columns) => drawProposal(intent, decisions, columns)))) return undefined;
  }
  return {
    kind: 'approved',
    who: whoDecides(),
    atMs: journal.clock.now(),
    reason: 'botctl approve',
    signature: undefined,
  };
}

function drawProposal(intent: Intent, decisions: readonly Decision[], columns: number): string {
  const canvas = plainCanvas(columns);
  const { name, rowId } = intent;
  const lines = labelled([['Name', name], ['Row', rowId], ...decisionLines(decisions, 'utc')], canvas);
  return `${drawIntent(intent, canvas)}${lines}${remark(waitsForYouRemark(intent), canvas)}${askToApprove}`;
}

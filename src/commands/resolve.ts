import type { Given } from '../cli/given.ts';
import type { Run } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import { plainCanvas, remark } from '../display/drawing.ts';
import { drawIntent, outcomeView } from '../display/outcomeView.ts';
import { lastDecision, resolveIntent, reverses } from '../engine/resolve.ts';
import { type Exit, exitOf } from '../errors.ts';
import { isSignature } from '../intent/signature.ts';
import type { Decision, Intent, Journal } from '../journal/journal.ts';
import { again } from '../words/again.ts';
import { isStillToFillIn } from '../words/decisionCommands.ts';
import { inWords } from '../words/inWords.ts';
import {
  askToReverse,
  earlierDecision,
  nobodyOverrules,
  noReason,
  notASignature,
  notReversed,
  reasonToFillIn,
  signatureOfNothing,
  whichDecision,
} from '../words/resolving.ts';
import { problemOf } from '../words/told.ts';
import { combineExits } from './combineExits.ts';
import { intentById } from './intentById.ts';
import { openJournalOf, whoDecides } from './journalPath.ts';
import { lookAtSignature } from './lookAtSignature.ts';
import { markReported } from './markReported.ts';
import { storedReport } from './storedReport.ts';

export const run: Run = async (given, context) => {
  const wanted = parse(given);
  const journal = await openJournalOf(given, context, 'send');
  const decision: Decision = { ...wanted, atMs: journal.clock.now() };
  try {
    const exits: Exit[] = [];
    for (const beginning of given.args)
      exits.push(await resolveOne(beginning, decision, given, context, journal));
    return combineExits(exits);
  } finally {
    await journal.close();
  }
};

function parse(given: Given): Omit<Decision, 'atMs'> {
  const happened = given.flag('happened');
  if (happened === given.flag('did-not-happen')) {
    throw whichDecision();
  }
  const reason = given.text('reason')?.trim() ?? '';
  if (reason === '') throw noReason();
  if (isStillToFillIn(reason)) throw reasonToFillIn(reason);
  const signature = given.text('signature');
  if (signature !== undefined && !happened) throw signatureOfNothing();
  if (signature !== undefined && !isSignature(signature)) throw notASignature(signature);
  return {
    kind: happened ? 'happened' : 'did-not-happen',
    who: whoDecides(),
    reason,
    signature,
  };
}

async function resolveOne(
  beginning: string,
  decision: Decision,
  given: Given,
  context: Context,
  journal: Journal,
): Promise<Exit> {
  const { display } = context;
  try {
    const found = await intentById(beginning, journal);
    const overrule = given.flag('overrule');
    if (overrule && reverses(decision, found))
      await confirmReversal(found, decision, given, context, journal);
    const look = await lookAtSignature(found, decision, given, context, journal);
    const intent: Intent = await resolveIntent(found.id, decision, journal, overrule);
    await look?.keep();
    const written = await display.show(outcomeView(await storedReport(intent, given.command, journal.reads)));
    if (written === 'written' && decision.kind === 'happened') await markReported(intent, journal, context);
    return 0;
  } catch (thrown) {
    const failure = await inWords(thrown);
    if (failure.code === 'bug' || failure.code === 'stdout-not-writable') throw failure;
    const problem = problemOf(failure, context.doing);
    await display.fail(problem, { schema: 'botctl/1', command: given.command, error: problem });
    return exitOf(failure.code);
  }
}

/** What was decided may have been acted upon: turning it round is asked about, or said twice. */
async function confirmReversal(
  intent: Intent,
  decision: Decision,
  given: Given,
  { display }: Context,
  journal: Journal,
): Promise<void> {
  if (given.flag('yes')) return;
  if (!display.interactive) throw nobodyOverrules(again(given, [], { name: 'yes', value: true }));
  const canvas = plainCanvas(display.columns);
  const { who = '', reason = '', kind = '' } = (await lastDecision(intent.id, journal.reads)) ?? {};
  const earlier = remark(earlierDecision(who, kind, reason), canvas);
  const question = `${drawIntent(intent, canvas)}${earlier}${askToReverse(decision.kind === 'happened')}`;
  if (!(await display.confirm(question))) throw notReversed();
}

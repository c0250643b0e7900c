import type { Given } from '../cli/given.ts';
import type { Run } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import { plainCanvas, remark } from '../display/drawing.ts';
import { drawIntent } from '../display/outcomeView.ts';
import { concluded } from '../engine/outcome.ts';
import { resume } from '../engine/resume.ts';
import { asFailure, type Exit, exitOf, type Failure } from '../errors.ts';
import type { Decision, Intent, Journal, State } from '../journal/journal.ts';
import { isApprovalReason } from '../words/decisionCommands.ts';
import { inWords } from '../words/inWords.ts';
import {
  approvedByItself,
  askToSend,
  heldWithoutAll,
  interruptedBefore,
  isHeldRemark,
  nobodyDecides,
  nothingToResume,
  staysAsItWas,
  whichToResume,
} from '../words/resuming.ts';
import { problemOf } from '../words/told.ts';
import { BotsOfIntents } from './botsOfIntents.ts';
import { combineExits } from './combineExits.ts';
import { intentById } from './intentById.ts';
import { openJournalOf, whoDecides } from './journalPath.ts';
import { policiesOf } from './policies.ts';
import { heldEngine } from './session.ts';
import { settingsOf } from './settingsOf.ts';
import { storedReport } from './storedReport.ts';
import { reportJsonOrError, tell } from './telling.ts';

export const run: Run = async (given, context) => {
  settingsOf(given);
  refuseMixedUp(given);
  const journal = await openJournalOf(given, context, 'send');
  const bots = new BotsOfIntents(given, context, journal);
  try {
    const intents = given.flag('all')
      ? await resumable(given, journal)
      : await intentsById(given.args, journal);
    if (intents.length === 0)
      context.display.notice(...nothingToResume((await journal.reads.overview()).intents));
    const exits: Exit[] = [];
    for (const intent of intents) {
      if (context.interrupts.first.aborted) {
        exits.push(await reportSkipped(intent, interruptedBefore(intent.id), journal, given, context));
        break;
      }
      try {
        exits.push(await resumeOne(intent, bots, journal, given, context));
      } catch (thrown) {
        const failure = asFailure(thrown);
        // A fault of this machine ends it all; after anything else, and where one row is damaged or only
        // transfers cannot be made, the next intent may do better.
        const ofOneIntent = failure.code === 'journal-damaged' || failure.code === 'sandbox-unavailable';
        if (exitOf(failure.code) === 1 && !ofOneIntent) throw failure;
        exits.push(await reportSkipped(intent, failure, journal, given, context));
        if (failure.code === 'interrupted') break;
      }
    }
    return combineExits(exits);
  } finally {
    await journal.close();
    await bots.close();
  }
};

function refuseMixedUp(given: Given): void {
  const all = given.flag('all');
  if (all === given.args.length > 0) throw whichToResume(all);
  if (given.flag('held') && !all) throw heldWithoutAll();
}

/** What may have happened, oldest first. `open` waits for its own command: nothing of it has left. */
async function resumable(given: Given, { reads, commit, clock }: Journal): Promise<Intent[]> {
  const states: State[] = given.flag('held') ? ['sending', 'unknown', 'held'] : ['sending', 'unknown'];
  const selected: Intent[] = [];
  for await (const intent of reads.select({ states, limit: Number.MAX_SAFE_INTEGER })) {
    const { id, state } = intent;
    if (state === 'sending') await commit((tx) => tx.recordDeath(id, clock.now()));
    if (state !== 'sending' || (await reads.get(id))?.state !== 'sending') selected.push(intent);
  }
  return selected.reverse();
}

async function intentsById(beginnings: readonly string[], journal: Journal): Promise<Intent[]> {
  const intents: Intent[] = [];
  for (const beginning of beginnings) intents.push(await intentById(beginning, journal));
  return intents;
}

function isOver({ state }: Intent): boolean {
  return state === 'accepted' || state === 'rejected' || state === 'resolved';
}

/** One word for all of them is that of nobody who has seen each. */
function waitsForApproval({ state, why }: Intent): boolean {
  return state === 'held' && isApprovalReason(why);
}

async function resumeOne(
  intent: Intent,
  bots: BotsOfIntents,
  journal: Journal,
  given: Given,
  context: Context,
): Promise<Exit> {
  // What is over is told by the journal alone: nobody need speak for it.
  if (isOver(intent))
    return tell(await concluded(intent, journal.reads, 'from-journal'), given, journal, context);
  if (given.flag('all') && waitsForApproval(intent)) throw approvedByItself(intent.id);
  if (intent.state === 'held' && !given.flag('yes') && !context.display.interactive)
    throw nobodyDecides(intent);
  const sendAgain =
    intent.state === 'held' ? await confirmSendAgain(intent, given, journal, context) : undefined;
  const connected = await bots.of(intent);
  const policies = await policiesOf(connected.bot, context);
  const engine = await heldEngine(connected, policies, journal, given, context);
  const outcome = await resume(intent.id, engine, sendAgain);
  return tell(outcome, given, journal, context);
}

async function reportSkipped(
  intent: Intent,
  failure: Failure,
  journal: Journal,
  given: Given,
  { display, doing }: Context,
): Promise<Exit> {
  const exit = exitOfSkipped(intent, failure);
  const problem = problemOf(staysAsItWas(await inWords(failure), intent), doing);
  const report = await storedReport(intent, given.command, journal.reads);
  await display.fail(problem, await reportJsonOrError({ ...report, problem }, display));
  return exit;
}

/** What may have happened is that first, whatever kept it from being sent now. */
function exitOfSkipped({ state }: Intent, { code }: Failure): Exit {
  if (state === 'held') return exitOf('held');
  return state === 'unknown' || state === 'sending' ? exitOf('unknown') : exitOf(code);
}

/** Sending a held intent again is an operator's decision, and is kept like one. */
async function confirmSendAgain(
  intent: Intent,
  given: Given,
  journal: Journal,
  { display }: Context,
): Promise<Decision | undefined> {
  const canvas = plainCanvas(display.columns);
  const held = isHeldRemark(intent);
  const question = `${drawIntent(intent, canvas)}${remark(held, canvas)}${askToSend(intent)}`;
  if (!given.flag('yes')) {
    if (!display.interactive || !(await display.confirm(question))) return undefined;
  }
  return {
    kind: 'send-again',
    who: whoDecides(),
    atMs: journal.clock.now(),
    reason: 'botctl resume',
    signature: undefined,
  };
}

import { BatchPace } from '../../../batch/pace.ts';
import { judgeUnsettled, type Look, settle } from '../../../once/chain/settle.ts';
import { isSignature } from '../../../once/chain/standing.ts';
import { lastDecision, resolveIntent, reverses } from '../../../once/engine/resume.ts';
import { type Exit, exitOf, Failure } from '../../../once/failures.ts';
import type { Decision, Intent, Journal } from '../../../once/journal/journal.ts';
import type { Context, ParsedArgs, Run } from '../../parse/command.ts';
import { isStillToFillIn, paysSomethingElse, signatureUnproven } from '../../say/chain.ts';
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
} from '../../say/decisions.ts';
import { inWords } from '../../say/inWords.ts';
import { again } from '../../say/open.ts';
import { problemOf } from '../../say/told.ts';
import { drawIntent, outcomeView, plainCanvas, remark } from '../../show/report.ts';
import { ChainsOfIntents } from '../chain.ts';
import { openJournalOf, whoDecides } from '../openJournal.ts';
import { combineExits, intentById, markReported, storedReport } from '../stored.ts';

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

function parse(given: ParsedArgs): Omit<Decision, 'atMs'> {
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
  given: ParsedArgs,
  context: Context,
  journal: Journal,
): Promise<Exit> {
  const { display } = context;
  let mayBeDecided = false;
  try {
    const found = await intentById(beginning, journal);
    const overrule = given.flag('overrule');
    if (overrule && reverses(decision, found))
      await confirmReversal(found, decision, given, context, journal);
    const look = await lookAtSignature(found, decision, given, context, journal);
    mayBeDecided = true;
    const intent: Intent = await resolveIntent(found.id, decision, journal, overrule);
    await look?.keep();
    const written = await display.show(outcomeView(await storedReport(intent, given.command, journal.reads)));
    if (written === 'written' && decision.kind === 'happened') await markReported(intent, journal, context);
    return 0;
  } catch (thrown) {
    const failure = await inWords(thrown);
    if (failure.code === 'bug' || failure.code === 'stdout-not-writable') throw failure;
    // The commit refuses before it decides. After any other fault, the decision may have been stored.
    const begun = mayBeDecided && failure.code !== 'not-allowed-now';
    const problem = problemOf(failure, { does: context.doing.does, begun });
    await display.fail(problem, { schema: 'botctl/1', command: given.command, error: problem });
    return exitOf(failure.code);
  }
}

/** Someone may have acted on the earlier decision, so reversing it needs a confirmation or --yes. */
async function confirmReversal(
  intent: Intent,
  decision: Decision,
  given: ParsedArgs,
  { display }: Context,
  journal: Journal,
): Promise<void> {
  if (given.flag('yes')) return;
  if (display.terminal() === 'none') throw nobodyOverrules(again(given, [], { name: 'yes', value: true }));
  const { who = '', reason = '', kind = '' } = (await lastDecision(intent.id, journal.reads)) ?? {};
  const question = (columns: number): string => {
    const canvas = plainCanvas(columns);
    const earlier = remark(earlierDecision(who, kind, reason), canvas);
    return `${drawIntent(intent, canvas)}${earlier}${askToReverse(decision.kind === 'happened')}`;
  };
  if (!(await display.confirm(question))) throw notReversed();
}

/** What the operator's signature shows, stored after the decision. */
type Looked = { keep(): Promise<void> };

/**
 * Looks up the signature that an operator names, if a node can show it. Refuses one that paid something else or belongs
 * to another intent.
 */
async function lookAtSignature(
  intent: Intent,
  { kind, signature }: Decision,
  given: ParsedArgs,
  context: Context,
  journal: Journal,
): Promise<Looked | undefined> {
  if (kind !== 'happened' || signature === undefined || intent.kind !== 'transfer') return undefined;
  const chains = new ChainsOfIntents(given, context, new BatchPace(context.clock));
  try {
    const look = await lookFor(intent, signature, chains);
    if (look === undefined) return undefined;
    const view = await judgeUnsettled(look, intent.id, journal);
    if (view.verdict === 'contradicted') throw paysSomethingElse(intent, view);
    if (view.verdict !== 'proven') context.display.warn(signatureUnproven(view));
    return {
      keep: async () => {
        await settle(look, intent.id, journal, 'nothing');
      },
    };
  } finally {
    await chains.close();
  }
}

async function lookFor(
  intent: Intent,
  signature: string,
  chains: ChainsOfIntents,
): Promise<Look | undefined> {
  try {
    const { nodes, cluster, paymentOf } = await chains.of(intent);
    const payment = paymentOf(intent);
    if (payment === undefined) return undefined;
    const statuses = await nodes.statusesOf([signature]);
    const sighting = await nodes.sight(signature, statuses, 'confirmed');
    return { signature, sighting, payment, cluster, hosts: nodes.hosts };
  } catch (thrown) {
    // No node is configured, so the operator's word is all there is.
    if (thrown instanceof Failure && thrown.code === 'no-rpc-url') return undefined;
    throw thrown;
  }
}

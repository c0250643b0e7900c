import type { Given } from '../cli/given.ts';
import type { Run } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import { outcomeView } from '../display/outcomeView.ts';
import { decideOutcome } from '../engine/decide.ts';
import { asFailure, type Exit, exitOf, Failure, problemOf } from '../errors.ts';
import type { Decision, Intent, Journal } from '../journal/journal.ts';
import { intentById } from './intentById.ts';
import { openJournalOf, whoDecides } from './journalPlace.ts';
import { exitOfSeveral } from './several.ts';
import { storedReport } from './storedReport.ts';
import { keepThatItWasTold } from './telling.ts';

export const run: Run = async (given, context) => {
  const decision = parse(given, context);
  const journal = await openJournalOf(given, context);
  try {
    const exits: Exit[] = [];
    for (const beginning of given.args)
      exits.push(await resolveOne(beginning, decision, given, context, journal));
    return exitOfSeveral(exits);
  } finally {
    journal.close();
  }
};

function usage(message: string, hint: string): Failure {
  return new Failure('usage', `${message} Nothing was decided.`, { hint });
}

function parse(given: Given, { clock }: Context): Decision {
  const happened = given.flag('happened');
  if (happened === given.flag('did-not-happen')) {
    throw usage('A decision is either --happened or --did-not-happen.', 'Give exactly one of them.');
  }
  const reason = given.text('reason')?.trim() ?? '';
  if (reason === '') throw usage('A decision needs its reason.', 'Add --reason "what you saw, and where".');
  const signature = given.text('signature');
  if (signature !== undefined && !happened) {
    throw usage('--signature goes with --happened only.', 'What did not happen has none.');
  }
  return {
    kind: happened ? 'happened' : 'did-not-happen',
    who: whoDecides(),
    atMs: clock.now(),
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
    const found = intentById(beginning, journal);
    const intent: Intent = decideOutcome(found.id, decision, journal);
    const written = await display.show(outcomeView(storedReport(intent, given.command, journal)));
    if (written === 'written' && decision.kind === 'happened') keepThatItWasTold(intent, journal, context);
    return 0;
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure.code === 'bug' || failure.code === 'stdout-not-writable') throw failure;
    const problem = problemOf(failure);
    await display.fail(problem, { schema: 'botctl/1', command: given.command, error: problem });
    return exitOf(failure.code);
  }
}

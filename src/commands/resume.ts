import type { Given } from '../cli/given.ts';
import type { Run } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import { plainCanvas, remark } from '../display/drawing.ts';
import { drawIntent } from '../display/outcomeView.ts';
import { resume } from '../engine/resume.ts';
import { asFailure, type Exit, exitOf, Failure, problemOf, retryOf } from '../errors.ts';
import type { Decision, Intent, Journal, State } from '../journal/journal.ts';
import { intentById } from './intentById.ts';
import { openJournalOf, whoDecides } from './journalPlace.ts';
import { doingOf, settingsOf, type Voice } from './session.ts';
import { exitOfSeveral } from './several.ts';
import { storedReport } from './storedReport.ts';
import { tell, wholeOf } from './telling.ts';
import { Voices } from './voices.ts';

export const run: Run = async (given, context) => {
  settingsOf(given);
  refuseMixedUp(given);
  const journal = await openJournalOf(given, context);
  const voices = new Voices(given, context);
  try {
    const intents = given.flag('all')
      ? unsettled(given, context, journal)
      : given.args.map((one) => intentById(one, journal));
    if (intents.length === 0) context.display.notice('There is nothing to resume.');
    const exits: Exit[] = [];
    for (const intent of intents) {
      if (context.interrupts.first.aborted) {
        exits.push(await sayLeft(intent, interrupted(intent), journal, given, context));
        break;
      }
      try {
        exits.push(await resumeOne(intent, voices, journal, given, context));
      } catch (thrown) {
        const failure = asFailure(thrown);
        // A fault of this machine ends it all; after anything else, and where one row is damaged, the next
        // intent may do better.
        if (exitOf(failure.code) === 1 && failure.code !== 'journal-damaged') throw failure;
        exits.push(await sayLeft(intent, failure, journal, given, context));
        if (failure.code === 'interrupted') break;
      }
    }
    return exitOfSeveral(exits);
  } finally {
    journal.close();
    await voices.close();
  }
};

function refuseMixedUp(given: Given): void {
  const all = given.flag('all');
  if (all === given.args.length > 0) {
    throw new Failure(
      'usage',
      `Give ${all ? 'either the intents to resume or --all, not both' : 'the intents to resume, or --all'}; nothing was sent.`,
      {
        hint: 'botctl history --state unknown lists what may have happened.',
      },
    );
  }
  if (given.flag('held') && !all) {
    throw new Failure('usage', '--held goes with --all; nothing was sent.', {
      hint: 'A single held intent needs only its ID.',
    });
  }
}

function interrupted(next: Intent): Failure {
  return new Failure('interrupted', `Interrupted before intent ${next.id}; nothing of it was sent now.`, {
    hint: 'Run the same command again to go on.',
  });
}

/** What may have happened, oldest first. `open` waits for its own command: nothing of it has left. */
function unsettled(given: Given, { clock }: Context, journal: Journal): Intent[] {
  const states: State[] = given.flag('held') ? ['sending', 'unknown', 'held'] : ['sending', 'unknown'];
  const selected = [...journal.select({ states, limit: Number.MAX_SAFE_INTEGER })];
  return selected
    .filter(({ id, state }) => {
      if (state !== 'sending') return true;
      journal.recordDeath(id, clock.now());
      return journal.get(id)?.state !== 'sending';
    })
    .reverse();
}

async function resumeOne(
  intent: Intent,
  voices: Voices,
  journal: Journal,
  given: Given,
  context: Context,
): Promise<Exit> {
  const sendAgain = intent.state === 'held' ? await operatorsWord(intent, given, context) : undefined;
  const voice: Voice = await voices.of(intent);
  const ended = await resume(intent.id, doingOf(voice, journal, given, context), sendAgain);
  return tell(ended, given.command, journal, context);
}

async function sayLeft(
  intent: Intent,
  failure: Failure,
  journal: Journal,
  given: Given,
  { display }: Context,
): Promise<Exit> {
  const exit = exitOfLeft(intent, failure);
  const problem = { ...problemOf(failure), retry: retryOf(exit) ?? 'never' };
  const report = storedReport(intent, given.command, journal);
  await display.fail(
    { ...problem, message: `${problem.message} Intent ${intent.id} stays ${intent.state}.` },
    wholeOf({ ...report, problem }, display),
  );
  return exit;
}

/** What may have happened is that first, whatever kept it from being sent now. */
function exitOfLeft({ state }: Intent, { code }: Failure): Exit {
  if (state === 'held') return exitOf('held');
  return state === 'unknown' || state === 'sending' ? exitOf('unknown') : exitOf(code);
}

/** Sending a held intent again is an operator's decision, and is kept like one. */
async function operatorsWord(
  intent: Intent,
  given: Given,
  { display, clock }: Context,
): Promise<Decision | undefined> {
  const canvas = plainCanvas(display.columns);
  const held = `Intent ${intent.id} is held: it may have happened. Its key is ${intent.key}.`;
  const question = `${drawIntent(intent, canvas)}${remark(held, canvas)}Send it again with the same key?`;
  if (!given.flag('yes')) {
    if (!display.interactive || !(await display.confirm(question))) return undefined;
  }
  return {
    kind: 'send-again',
    who: whoDecides(),
    atMs: clock.now(),
    reason: 'botctl resume',
    signature: undefined,
  };
}

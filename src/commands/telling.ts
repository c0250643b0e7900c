import type { Context } from '../context.ts';
import { outcomeView } from '../display/outcomeView.ts';
import { essence, type Report, reportJson } from '../display/report.ts';
import { conclude } from '../engine/conclusion.ts';
import type { Ended } from '../engine/doing.ts';
import { replayNotice } from '../engine/notices.ts';
import { asFailure, type Exit, exitOf, Failure, type Problem, problemOf } from '../errors.ts';
import type { Intent, Journal } from '../journal/journal.ts';
import { signatureOf, storedReport } from './storedReport.ts';

/** Tells how it ended: the outcome on stdout, or the failure; and keeps that it was told. */
export async function tell(
  ended: Ended,
  command: string,
  journal: Journal,
  { display, clock }: Context,
  earlierWarnings: readonly string[] = [],
): Promise<Exit> {
  const { exit, problem, warnings } = conclude(ended, clock.now());
  for (const warning of warnings) display.warn(warning);
  if (ended.is === 'concluded') {
    const notice = replayNotice(ended);
    if (notice !== undefined) display.notice(notice);
  }
  const report = reportOf(ended, command, journal, [...earlierWarnings, ...warnings]);
  if (problem !== undefined) {
    const whole = report && wholeOf({ ...report, problem }, display);
    // What the journal could not take, its caller must have.
    if (ended.is === 'not-recorded' && report && display.face === 'human')
      await showUnrecorded(report, display);
    await display.fail(problem, whole ?? { schema: 'botctl/1', command, error: problem });
    return exit;
  }
  if (report === undefined) return exit;
  return show(report, exit, journal, { display, clock });
}

async function show(report: Report, exit: Exit, journal: Journal, context: Told): Promise<Exit> {
  const { intent } = report;
  const { display } = context;
  try {
    const written = await display.show(outcomeView(report));
    // What nobody could read was not reported: the next run must replay it, not do it anew.
    if (written === 'written') keepThatItWasTold(intent, journal, context);
    return exit;
  } catch (thrown) {
    const error = problemWith(intent, thrown);
    if (asFailure(thrown).code === 'stdout-not-writable') {
      display.warn(error.message);
      display.notice('Run the same command again to see its outcome: nothing is sent twice.');
    } else await display.fail(error, { schema: 'botctl/1', command: report.command, error });
    return exitOf(asFailure(thrown).code);
  }
}

/** What keeps an intent from being shown, and where it stands all the same. */
function problemWith({ kind, state, id, key }: Intent, thrown: unknown): Problem {
  const { code, message, details } = asFailure(thrown);
  return problemOf(
    new Failure(code, `${message} The ${kind} is ${state} (intent ${id}, key ${key}).`, details),
  );
}

/** All that is known of an intent. What cannot be read of it never takes the place of its own problem. */
export function wholeOf(report: Report, display: Context['display']): Record<string, unknown> {
  const { command, intent, problem } = report;
  try {
    return reportJson(report);
  } catch (thrown) {
    if (problem !== undefined) display.warn(asFailure(thrown).message);
    return { schema: 'botctl/1', command, error: problem ?? problemWith(intent, thrown) };
  }
}

/** Where stdout takes it no more than the journal did, stderr is what is left. */
async function showUnrecorded(report: Report, display: Context['display']): Promise<void> {
  try {
    await display.show(outcomeView(report));
  } catch (thrown) {
    const result = essence(report);
    display.warn(`${asFailure(thrown).message}${result === undefined ? '' : ` The reply was: ${result}`}`);
  }
}

type Told = Pick<Context, 'display' | 'clock'>;

/** Notes that a caller has seen the outcome; that it cannot be noted changes nothing of the outcome. */
export function keepThatItWasTold(
  { id }: Pick<Intent, 'id'>,
  journal: Journal,
  { display, clock }: Told,
): void {
  try {
    journal.markReported(id, clock.now());
  } catch (thrown) {
    // The outcome stands and was told. Only a later run may show it once more where it could do it anew.
    display.step(`not noted as reported: ${asFailure(thrown).message}`);
  }
}

/** What is told of an end; nothing where the intent that it names is another's. */
export function reportOf(
  ended: Ended,
  command: string,
  journal: Journal,
  warnings: readonly string[],
): Report | undefined {
  switch (ended.is) {
    // The intent in the way is another one: showing its state would answer a question nobody asked.
    case 'refused':
      return undefined;
    case 'still-sending':
      return { ...storedReport(ended.intent, command, journal), warnings };
    case 'not-recorded':
      return {
        command,
        intent: { ...ended.intent, state: 'unknown' },
        attempt: ended.attempt,
        replayed: false,
        warnings,
      };
    case 'concluded': {
      const { intent, attempt, replayed } = ended;
      return {
        command,
        intent,
        attempt,
        replayed: replayed !== false,
        warnings,
        signature: signatureOf(intent, journal),
      };
    }
  }
}

import type { ChainView } from '../../chain/verdict.ts';
import type { Until } from '../../chain/verify.ts';
import { endingOf, type Outcome } from '../../once/engine/outcome.ts';
import { asFailure, type Exit, exitOf, Failure } from '../../once/failures.ts';
import type { Entry, Journal } from '../../once/journal/journal.ts';
import { neverTwice } from '../../once/says.ts';
import type { App } from '../app.ts';
import type { Args } from '../parse/args.ts';
import { chainWarnings } from '../say/chain.ts';
import { conflictNote, explain, replayNotice } from '../say/explain.ts';
import { type Problem, problemOf } from '../say/told.ts';
import { type Fields, jsonOf } from '../show/card.ts';
import { equalJson, idOrSignature, outcomeView, type Report } from '../show/report.ts';
import {
  chainProblem,
  chainStandingOf,
  decisionsShown,
  markReported,
  signatureOf,
  storedReport,
} from './stored.ts';

/** How the wait for the chain ended. */
export type ChainEnd = { readonly view: ChainView; readonly until: Until };

/** What was known of it before its outcome. */
type Known = {
  readonly warnings?: readonly string[];
  readonly chainEnd?: ChainEnd | undefined;
  /** Its bot names a node. */
  readonly hasNode?: boolean;
};

/** Reports the outcome on stdout or the failure on stderr, and records that it was reported. */
export async function tell(
  outcome: Outcome,
  app: App<Args<'yes'>>,
  journal: Journal,
  { warnings: earlierWarnings = [], chainEnd, hasNode = false }: Known = {},
): Promise<Exit> {
  const { display } = app;
  const ending = endingOf(outcome);
  const explanation = explain(ending, journal.clock.now(), { hasNode });
  // A look that is not on record is newer than what is.
  const chain =
    chainEnd?.view ??
    (outcome.is === 'concluded' ? await chainStandingOf(outcome.entry, journal.reads) : undefined);
  const against =
    outcome.is === 'concluded'
      ? chainProblem(outcome.entry, outcome.attempt, chain, chainEnd?.until)
      : undefined;
  const exit = against === undefined ? explanation.exit : exitOf(against.code);
  const warnings = [
    ...explanation.warnings,
    ...(outcome.is === 'concluded' ? chainWarnings(outcome.entry, chain) : []),
  ];
  const problem = against ?? explanation.problem;
  for (const warning of warnings) display.warn(warning);
  if (outcome.is === 'concluded') {
    const notice = replayNotice(outcome);
    if (notice !== undefined) display.notice(notice);
    const words = conflictNote(ending);
    if (words !== undefined) display.notice(words);
  }
  const { command } = app.args;
  const told = await reportOf(outcome, command, journal, [...earlierWarnings, ...warnings]);
  const report = told && {
    ...told,
    chain,
  };
  if (problem !== undefined) {
    const whole = report && (await reportJsonOrError({ ...report, problem }, display));
    // The caller must get what the journal could not store.
    if (outcome.is === 'not-recorded' && report && display.face === 'human')
      await showUnrecorded(report, display);
    const equal = outcome.is === 'not-sent' && outcome.because === 'paid-already' ? outcome.equal : undefined;
    await display.fail(problem, whole ?? errorJson(command, problem, equalJson(equal)));
    return exit;
  }
  if (report === undefined) return exit;
  return show(report, exit, journal, { display });
}

async function show(report: Report, exit: Exit, journal: Journal, app: Pick<App, 'display'>): Promise<Exit> {
  const { entry } = report;
  const { display } = app;
  try {
    const view = outcomeView(report);
    if (display.quiet && display.face === 'human' && view.quiet === undefined && report.attempt?.duplicate)
      display.notice(
        'The service already had this message (409) and did not give its id, so --quiet prints nothing.',
      );
    const written = await display.show(view);
    // If nobody could read the outcome it is not marked: the next run must replay it, not do it again.
    if (written === 'written') await markReported(entry, journal, app);
    return exit;
  } catch (thrown) {
    const told = asFailure(thrown);
    if (told.code === 'stdout-not-writable') {
      // The outcome first: what could not be printed is only its report.
      display.warn(`${standing(entry)} ${told.message}`);
      display.notice(`Run the same command again to see its outcome: ${neverTwice}.`);
      return exitOf(told.code);
    }
    const error = problemOf(standsAllTheSame(told, entry));
    await display.fail(error, errorJson(report.command, error));
    return exitOf(told.code);
  }
}

/** A failure, where there is nothing else to show. */
export function errorJson(
  command: string,
  error: Problem | undefined,
  more: Fields = {},
): Record<string, unknown> {
  return jsonOf(command, [['', undefined, { ...more, error }]]);
}

/** All that is known of an entry. Fields that cannot be read never replace its own problem. */
export async function reportJsonOrError(
  report: Report,
  display: App['display'],
): Promise<Record<string, unknown>> {
  const { command, entry, problem } = report;
  try {
    return outcomeView(report).json;
  } catch (thrown) {
    const told = asFailure(thrown);
    if (problem !== undefined) display.warn(told.message);
    return errorJson(command, problem ?? problemOf(standsAllTheSame(told, entry)));
  }
}

/** If stdout fails as the journal did, stderr is left. */
async function showUnrecorded(report: Report, display: App['display']): Promise<void> {
  try {
    await display.show(outcomeView(report));
  } catch (thrown) {
    const { message } = asFailure(thrown);
    const reply = idOrSignature(report);
    display.warn(reply === undefined ? message : `${message} The reply was: ${reply}`);
  }
}

/** The report of an outcome; undefined if the outcome names another entry. */
export async function reportOf(
  outcome: Outcome,
  command: string,
  { reads }: Journal,
  warnings: readonly string[],
): Promise<Report | undefined> {
  switch (outcome.is) {
    // The other entry's state is not what the user asked for.
    case 'not-sent':
      return undefined;
    case 'still-sending':
      return { ...(await storedReport(outcome.entry, command, reads)), warnings };
    case 'not-recorded':
      return {
        command,
        entry: { ...outcome.entry, state: 'unknown' },
        attempt: outcome.attempt,
        replayed: false,
        warnings,
      };
    case 'concluded': {
      const { entry, attempt, replayed } = outcome;
      return {
        command,
        entry,
        attempt,
        replayed,
        warnings,
        signature: await signatureOf(entry, reads),
        ...(await decisionsShown(entry, command, reads)),
      };
    }
  }
}

/** What keeps an entry from being shown, and its state nonetheless. */
function standsAllTheSame({ code, message, details }: Failure, entry: Entry): Failure {
  return new Failure(code, message, { ...details, earlier: standing(entry) });
}

function standing({ kind, state, id }: Entry): string {
  return `The ${kind} is ${state} (ID ${id}).`;
}

import { chainViewOf } from '../../chain/paidAgain.ts';
import type { ChainView } from '../../chain/verdict.ts';
import type { Until } from '../../chain/verify.ts';
import { type Outcome, outcomeToTell } from '../../once/engine/outcome.ts';
import { asFailure, type Exit, exitOf, Failure } from '../../once/failures.ts';
import type { Entry, Journal, Reads } from '../../once/journal/journal.ts';
import { neverTwice } from '../../once/sentence.ts';
import type { App } from '../app.ts';
import { type Fields, jsonOf, jsonView } from '../show/card.ts';
import type { Display, View } from '../show/display.ts';
import { idOrSignature } from '../show/reply.ts';
import { equalJson, outcomeView, type Report } from '../show/report.ts';
import { conflictNote, type Explained, explain, replayNotice } from '../wording/explain.ts';
import { type Problem, problemOf } from '../wording/problem.ts';
import { decisionsShown, markReported, signatureOf, storedReport, withChain } from './stored.ts';

/** How the wait for the chain ended. */
export type ChainEnd = { readonly view: ChainView; readonly until: Until };

/** What is known beside the outcome. */
type KnownBeside = {
  readonly chainEnd?: ChainEnd | undefined;
  /** Its bot names a Solana node. */
  readonly hasNode?: boolean;
};

/** Reports an outcome, and notes in the journal that it was reported. */
export async function tell(
  outcome: Outcome,
  { args: { command }, display }: App,
  journal: Journal,
  { chainEnd, hasNode = false }: KnownBeside = {},
): Promise<Exit> {
  const ending = outcomeToTell(outcome);
  const explained = explain(ending, journal.clock.now(), { hasNode });
  const toTell = await reportOf(outcome, explained, command, journal.reads);
  if (toTell === undefined) {
    const equal = outcome.is === 'not-sent' && outcome.because === 'paid-already' ? outcome.equal : undefined;
    return explained.problem === undefined
      ? 0
      : tellProblem(command, explained.problem, display, equalJson(equal));
  }
  if (outcome.is !== 'concluded') {
    // The chain's earlier answer is not about this attempt.
    const report: Report = { ...toTell, chain: undefined };
    // The journal could not store the reply, so the caller must get it.
    if (outcome.is === 'not-recorded' && display.face === 'human') await showUnrecorded(report, display);
    return tellOne(report, display);
  }
  // A look of this command is newer than the stored one.
  const chain = chainEnd?.view ?? (await chainViewOf(outcome.entry, journal.reads));
  const notices = [replayNotice(outcome), conflictNote(ending)].filter((words) => words !== undefined);
  const report: Report = { ...withChain(toTell, chain, chainEnd?.until), notices };
  return tellOne(report, display, () => showAndNote(report, journal, display));
}

/** One entry: its result on stdout, or its problem on stderr. */
export async function tellOne(
  report: Report,
  display: Display,
  show = async (): Promise<Exit> => {
    await display.show(outcomeView(report));
    return 0;
  },
): Promise<Exit> {
  const { problem, warnings, notices = [] } = report;
  for (const warning of warnings) display.warn(warning);
  for (const notice of notices) display.notice(notice);
  if (problem === undefined) return show();
  await display.fail(problem, jsonOfReport(report, display));
  return exitOf(problem.code);
}

/** One of many: always an object in JSON, and for a person a line only if there is a problem or a warning. */
export async function tellRow(report: Report, display: Display, which: Fields = {}): Promise<void> {
  const { problem, warnings, entry } = report;
  if (display.face === 'json') await display.show(jsonView({ ...jsonOfReport(report, display), ...which }));
  else if (problem !== undefined) display.warn(problem.message, problem.next);
  else for (const warning of warnings) display.warn(`${warning} (ID ${entry.id})`);
}

/** The end of many: their states and, if there is a problem, the reason. */
export async function tellEnd(view: View, failure: Failure | undefined, display: Display): Promise<Exit> {
  if (failure === undefined || display.face === 'human') await display.show(view);
  if (failure === undefined) return 0;
  const problem = problemOf(failure);
  await display.fail(problem, { ...view.json, error: problem });
  return exitOf(problem.code);
}

/** A problem without an entry to show. */
export async function tellProblem(
  command: string,
  problem: Problem,
  display: Display,
  more: Fields = {},
): Promise<Exit> {
  await display.fail(problem, errorJson(command, problem, more));
  return exitOf(problem.code);
}

async function showAndNote(report: Report, journal: Journal, display: Display): Promise<Exit> {
  const { entry, command } = report;
  try {
    const view = outcomeView(report);
    if (display.quiet && display.face === 'human' && view.quiet === undefined && report.attempt?.duplicate)
      display.notice(
        'The service already had this message (409) and did not give its id, so --quiet prints nothing.',
      );
    const written = await display.show(view);
    // An outcome that nobody could read is not marked: the next run must report it, not do it again.
    if (written === 'written') await markReported(entry, journal, display);
    return 0;
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure.code !== 'stdout-not-writable')
      return tellProblem(command, problemOf(standsAllTheSame(failure, entry)), display);
    // Say the outcome first: only its report could not be printed.
    display.warn(`${stateSentence(entry)} ${failure.message}`);
    display.notice(`Run the same command again to see its outcome: ${neverTwice}.`);
    return exitOf(failure.code);
  }
}

/** The JSON of a problem without anything else to show. */
export function errorJson(
  command: string,
  error: Problem | undefined,
  more: Fields = {},
): Record<string, unknown> {
  return jsonOf(command, [['', undefined, { ...more, error }]]);
}

/** The JSON of a report. Unreadable fields never replace the entry's own problem. */
export function jsonOfReport(report: Report, display: Pick<Display, 'warn'>): Record<string, unknown> {
  const { command, entry, problem } = report;
  try {
    return outcomeView(report).json;
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (problem !== undefined) display.warn(failure.message);
    return errorJson(command, problem ?? problemOf(standsAllTheSame(failure, entry)));
  }
}

/** If stdout fails too, the reply goes to stderr. */
async function showUnrecorded(report: Report, display: Display): Promise<void> {
  try {
    await display.show(outcomeView(report));
  } catch (thrown) {
    const { message } = asFailure(thrown);
    const reply = idOrSignature(report);
    display.warn(reply === undefined ? message : `${message} The reply was: ${reply}`);
  }
}

/** The report of an outcome; undefined if it is `not-sent`. */
export async function reportOf(
  outcome: Outcome,
  explained: Explained,
  command: string,
  reads: Reads,
): Promise<Report | undefined> {
  switch (outcome.is) {
    // If it names an entry, that is another one, whose state the user did not ask for.
    case 'not-sent':
      return undefined;
    case 'still-sending':
      return { ...(await storedReport(outcome.entry, command, reads)), ...explained };
    case 'not-recorded': {
      const entry = { ...outcome.entry, state: 'unknown' } as const;
      return { ...explained, command, entry, attempt: outcome.attempt, replayed: false };
    }
    case 'concluded': {
      const { entry, attempt, replayed } = outcome;
      const signature = await signatureOf(entry, reads);
      const decisions = await decisionsShown(entry, command, reads);
      return { ...explained, command, entry, attempt, replayed, signature, ...decisions };
    }
  }
}

/** The failure to show an entry, with the entry's state added. */
function standsAllTheSame({ code, message, details }: Failure, entry: Entry): Failure {
  return new Failure(code, message, { ...details, earlier: stateSentence(entry) });
}

function stateSentence({ kind, state, id }: Entry): string {
  return `The ${kind} is ${state} (ID ${id}).`;
}

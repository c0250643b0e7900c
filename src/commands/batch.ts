import { existsSync } from 'node:fs';
import { readRows, sourceOf } from '../batch/input.ts';
import { BatchPace } from '../batch/pace.ts';
import { ReportFile, reportFormatOf, reportText } from '../batch/reportFile.ts';
import { consecutiveIds } from '../batch/rowIds.ts';
import { reportRows } from '../batch/rowReport.ts';
import { noCounts, type RunEnd, run as runRows } from '../batch/run.ts';
import { sharedCommit } from '../batch/sharedCommit.ts';
import { Sheet } from '../batch/sheet.ts';
import { StopRules } from '../batch/stopRules.ts';
import { type BatchAsked, type Survey, survey } from '../batch/survey.ts';
import type { Given } from '../cli/given.ts';
import type { Run } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import { planView } from '../display/batchView.ts';
import { safeLine } from '../display/safeText.ts';
import type { Doing } from '../engine/doing.ts';
import { type Exit, Failure } from '../errors.ts';
import type { Kind } from '../intent/wanted.ts';
import { gaugeOf, tellEnd } from './batchEnd.ts';
import { batchOptions } from './batchOptions.ts';
import { batchPlan, listBadRows, refuseInvalid, tellPlan } from './batchSurvey.ts';
import { RowTeller } from './batchTelling.ts';
import { type BatchWorld, reportWorld } from './batchWorld.ts';
import { speakingOf } from './dryRun.ts';
import { journalPath, openJournalOf } from './journalPlace.ts';
import { openSession, settingsOf } from './session.ts';

export const sendBatch: Run = (given, context) => batch('message', given, context);
export const transferBatch: Run = (given, context) => batch('transfer', given, context);

async function batch(kind: Kind, given: Given, context: Context): Promise<Exit> {
  const options = batchOptions(given, context.clock.now());
  settingsOf(given);
  const asked: BatchAsked = {
    kind,
    name: options.name,
    allowOffCurve: kind === 'transfer' && given.flag('allow-off-curve'),
  };
  const sheet = new Sheet();
  const report = options.report === undefined ? undefined : await ReportFile.begin(options.report);
  const shared = { given, context, options, asked, sheet, report };
  try {
    return given.flag('dry-run') ? await look(shared) : await doIt(shared);
  } finally {
    await report?.close();
    sheet.close();
  }
}

type Shared = Omit<BatchWorld, 'speaking' | 'journal'>;

/** Checks and shows everything; makes nothing, not even a journal. */
async function look(shared: Shared): Promise<Exit> {
  const { given, context } = shared;
  const speaking = await speakingOf(given, context);
  const journal = existsSync(journalPath(given, context)) ? await openJournalOf(given, context) : undefined;
  try {
    const world: BatchWorld = { ...shared, speaking, journal };
    const surveyed = await surveyAll(world);
    await finishReport(world);
    if (surveyed.tally.standings.invalid > 0 && !shared.options.skipInvalid)
      return refuseInvalid(surveyed, world);
    await context.display.show(planView(batchPlan(surveyed, world)));
    return 0;
  } finally {
    journal?.close();
  }
}

async function doIt(shared: Shared): Promise<Exit> {
  const { given, context, options } = shared;
  const session = await openSession(given, context, true);
  try {
    const { doing } = session;
    const world: BatchWorld = { ...shared, speaking: doing.speaking, journal: doing.journal };
    const surveyed = await surveyAll(world);
    if (surveyed.tally.standings.invalid > 0 && !options.skipInvalid) {
      await finishReport(world);
      return refuseInvalid(surveyed, world);
    }
    await tellPlan(surveyed, world);
    await session.readyToSend();
    const end = await runAll(surveyed, doing, world);
    const reported = await finishReport(world);
    return await tellEnd(surveyed, end, reported, world);
  } finally {
    await session.close();
  }
}

async function surveyAll(world: BatchWorld): Promise<Survey> {
  const { asked, options, context, sheet, speaking, journal } = world;
  const { clock, interrupts, display } = context;
  const input = { path: options.path, stdin: context.stdin, interrupted: context.interrupts.first };
  const surveyed = await display.waiting(
    `Checking ${sourceOf(input)}`,
    survey(readRows(input, asked.kind), asked, {
      sheet,
      speaking,
      journal,
      now: () => clock.now(),
      interrupted: interrupts.first,
    }),
  );
  if (surveyed.rows === 0) {
    throw new Failure('bad-file', `${sourceOf(input)} holds no rows. Nothing was sent.`, {
      hint: 'Is it the right file?',
    });
  }
  listBadRows(surveyed, display);
  return surveyed;
}

async function runAll(surveyed: Survey, doing: Doing, world: BatchWorld): Promise<RunEnd> {
  const { asked, options, context, sheet } = world;
  const { display, clock } = context;
  const pace = new BatchPace(clock, options.ratePerS);
  const { concurrency, maxFailures } = options;
  const rules = new StopRules({ kind: asked.kind, concurrency, maxFailures });
  const counts = noCounts();
  const teller = new RowTeller(world);
  await teller.tellBefore();
  const stopMeter = display.meter(gaugeOf(surveyed, counts, pace, clock));
  try {
    const shared: Doing = {
      ...doing,
      pace,
      commit: sharedCommit(doing.journal),
      chance: { ...doing.chance, uuid: consecutiveIds(doing.chance.uuid) },
      observer: { ...doing.observer, during: (_why, work) => work },
    };
    const told = (end: Parameters<RowTeller['tell']>[0]): Promise<void> => teller.tell(end);
    return await runRows({ asked, sheet, doing: shared, pace, rules, concurrency, told }, counts);
  } finally {
    stopMeter();
  }
}

/** The path of the report, once it is in its place. */
async function finishReport(world: BatchWorld): Promise<string | undefined> {
  const { options, asked, context, report } = world;
  if (report === undefined || options.report === undefined) return undefined;
  const text = reportText(reportFormatOf(options.report), asked.kind, safeLine);
  const whole = await report.finish(text, reportRows(reportWorld(world)), context.interrupts.second);
  if (whole) return options.report;
  context.display.warn(`Interrupted again: the report ${options.report} was not written.`);
  return undefined;
}

import { createHash } from 'node:crypto';
import type { BatchOrder } from '../../../batch/checkRow.ts';
import { BatchPace, InFlightLimit, lanesFor, sharedCommit, worthWaitingMs } from '../../../batch/pace.ts';
import { inputName, readRows } from '../../../batch/readRows.ts';
import { ReportFile, reportRows, UnverifiedRows } from '../../../batch/report.ts';
import { noCounts, runRows } from '../../../batch/runRows.ts';
import { consecutiveIds, Sheet } from '../../../batch/sheet.ts';
import { type ExplainedEnd, type RowEnd, StopRules } from '../../../batch/stopRules.ts';
import { type Survey, survey } from '../../../batch/survey.ts';
import { allRows, type Ranges, sharedRanges } from '../../../batch/workList.ts';
import { envBot, sandboxBot } from '../../../once/connection.ts';
import type { ChainPoint, EngineContext } from '../../../once/engine/context.ts';
import { type Exit, exitOf, type Failure } from '../../../once/failures.ts';
import { anyAddress } from '../../../once/intent/address.ts';
import { formatAmount } from '../../../once/intent/amount.ts';
import type { Kind } from '../../../once/intent/wanted.ts';
import type { Journal, Runner, SharedBatch, Shares } from '../../../once/journal/journal.ts';
import type { Context, ParsedArgs, Run } from '../../parse/command.ts';
import { begunByAnother, notPaidAgain } from '../../say/batch.ts';
import { rowSentences } from '../../say/intent.ts';
import { again } from '../../say/open.ts';
import { policyWords, processName } from '../../say/outcomes.ts';
import { listed, type Suggestion } from '../../say/phrases.ts';
import { isItTheRightFile, ownShareDone, reportGivenUp } from '../../say/rows.ts';
import { told } from '../../say/told.ts';
import { allowedRecipients, type WaitOptions, waitOptions } from '../inputs.ts';
import { botOfCommand } from '../openBot.ts';
import { isJournalThere, openJournalOf, settingsOf } from '../openJournal.ts';
import { policiesForDryRun } from '../policies.ts';
import { openSession, whileInFlight } from '../session.ts';
import {
  type FinishedRun,
  gaugeOf,
  type OthersEnd,
  type OthersNow,
  othersAtEnd,
  tellEnd,
  toDo,
} from './end.ts';
import {
  type Batch,
  batchOptions,
  reportFormatOf,
  reportText,
  rowReportInputs,
  templateOf,
} from './options.ts';
import { judgeRepeats, reportPaidAlready, tellDryRun, tellRepeats } from './repeats.ts';
import type { BatchArgs, BatchSendArgs, BatchTransferArgs } from './spec.ts';
import { leftToSend, listBadRows, RowTeller, reportInvalid, reportRefused, tellPlan } from './telling.ts';
import type { BatchWait } from './wait.ts';

export const sendBatch: Run<BatchSendArgs> = (given, context) => doBatch('message', given, context);
export const transferBatch: Run<BatchTransferArgs> = (given, context) =>
  doBatch('transfer', given, context, waitOptions(given));

async function doBatch(kind: Kind, given: BatchArgs, context: Context, wait?: WaitOptions): Promise<Exit> {
  const options = batchOptions(given, context.clock.now());
  settingsOf(given);
  const order: BatchOrder = {
    kind,
    name: options.name,
    recipients: kind === 'transfer' ? allowedRecipients(given) : anyAddress,
    paysRepeats: options.repeats === 'pay',
  };
  const sheet = new Sheet();
  const report = options.report === undefined ? undefined : await ReportFile.begin(options.report);
  const unopened = { given, context, options, order, sheet, report, notes: { emptyRows: 0 } };
  try {
    if (!given.flag('dry-run')) return await runBatch(unopened, wait);
    return await (given.text('once') === undefined ? checkFile(unopened) : dryRun(unopened));
  } finally {
    await report?.close();
    sheet.close();
  }
}

type UnopenedBatch = Omit<Batch, 'bot' | 'journal'>;

/** Without a name nothing can be looked up: the file is checked by itself. */
async function checkFile(unopened: UnopenedBatch): Promise<Exit> {
  const { batchToCheck, tellCheck } = await import('./check.ts');
  const batch = await batchToCheck(unopened);
  const { surveyed } = await surveyAll(batch);
  return tellCheck(surveyed, batch, unopened.report);
}

/** Checks and shows everything but creates nothing, not even a journal. */
async function dryRun(unopened: UnopenedBatch): Promise<Exit> {
  const { given, context } = unopened;
  const bot = await botOfCommand(given, context);
  const journal = (await isJournalThere(given, context))
    ? await openJournalOf(given, context, 'look')
    : undefined;
  try {
    const { policies } = await policiesForDryRun(bot, journal, context);
    const batch: Batch = { ...unopened, order: { ...unopened.order, policies }, bot, journal };
    const { surveyed, shared } = await surveyAll(batch);
    await refuseOtherFile(shared, batch);
    await finishReport(batch, surveyed);
    if (surveyed.refused.refusal !== undefined) return reportRefused(surveyed.refused, surveyed, batch);
    if (surveyed.tally.standings.invalid > 0 && !unopened.options.skipInvalid)
      return reportInvalid(surveyed, batch);
    const judged = await judgeRepeats(surveyed, batch);
    if (judged === 'refused') return await reportPaidAlready(surveyed, batch);
    await tellRepeats(batch);
    const exit = await tellDryRun(surveyed, batch);
    return exit === 0 ? exitAhead(surveyed) : exit;
  } finally {
    await journal?.close();
  }
}

/** How the run would end, as things stand: rows that a person must decide about come before rows to be fixed. */
function exitAhead({ tally, heldAhead }: Survey): Exit {
  const { held, conflict, invalid } = tally.standings;
  if (held + heldAhead > 0) return exitOf('some-held');
  return conflict + invalid > 0 ? exitOf('some-to-fix') : 0;
}

async function runBatch(unopened: UnopenedBatch, wait: WaitOptions | undefined): Promise<Exit> {
  const { given, context, options, order } = unopened;
  const failWithEarlier = async (thrown: unknown): Promise<never> => {
    const { withEarlierRows } = await import('../earlierRun.ts');
    throw await withEarlierRows(thrown, unopened.order, given, context);
  };
  const session = await openSession(given, context, true).catch(failWithEarlier);
  let waiting: BatchWait | undefined;
  try {
    const journal = session.engine.journal;
    const engine = { ...session.engine, journal };
    const held = { ...order, policies: engine.policies };
    const batch: Batch = { ...unopened, order: held, bot: engine.bot, journal };
    if (wait !== undefined) waiting = await openBatchWait(wait, batch);
    const { surveyed, shared } = await surveyAll(batch);
    await refuseOtherFile(shared, batch);
    if (surveyed.tally.standings.invalid > 0 && !options.skipInvalid) {
      await finishReport(batch, surveyed);
      return reportInvalid(surveyed, batch);
    }
    if (surveyed.refused.refusal !== undefined) {
      await finishReport(batch, surveyed);
      return reportRefused(surveyed.refused, surveyed, batch);
    }
    if (leftToSend(surveyed) > 0) session.connection.ensurePossible(order.kind);
    const judged = await judgeRepeats(surveyed, batch).catch(failWithEarlier);
    if (judged === 'refused') {
      await finishReport(batch, surveyed);
      return await reportPaidAlready(surveyed, batch);
    }
    if (judged !== 'asked') await tellPlan(surveyed, batch).catch(failWithEarlier);
    const others: OthersNow = { given: 0, waitedFor: [] };
    const ranges = await rangesOf(shared, surveyed, others, batch);
    if (leftToSend(surveyed) > 0 || surveyed.tally.standings.skipped !== undefined)
      await keepBatch(surveyed, batch, engine.journal);
    await waiting?.ready();
    await session.connection.ready();
    const chainBefore = (): ChainPoint | undefined => waiting?.before();
    const run = await runAll(surveyed, { ranges, others }, { ...engine, chainBefore }, batch);
    const end: FinishedRun = { ...run, others: await othersAtEnd(run, surveyed, shared, batch) };
    const reported = await finishReport(batch, surveyed, end.others);
    return await tellEnd(surveyed, { ...end, chain: await waiting?.end(journal) }, reported, batch);
  } finally {
    await waiting?.close();
    await session.close();
  }
}

/** For `batch status`. To lose it in a power failure is safe. */
async function keepBatch(surveyed: Survey, batch: Batch, journal: Journal): Promise<void> {
  const { bot, order, sheet } = batch;
  // With those of which nothing is left: what is beyond the file is counted under the spelling that the file gives.
  const totals = [...surveyed.tally.totals].map(([asset, { all }]) => ({ asset, amount: formatAmount(all) }));
  const skips = surveyed.tally.standings.skipped !== undefined;
  const skipped = skips ? sheet.countSkipped() : 0;
  const skippedInDoubt = skips ? surveyed.repeats.inDoubt : 0;
  const scope = { baseUrl: bot.baseUrl, kind: order.kind, name: order.name };
  const { rows, beyond } = surveyed;
  const input = { ...scope, rows, skipped, skippedInDoubt, totals, beyond };
  await journal.commit((tx) => tx.keepBatch(input), { unsynced: true });
}

async function openBatchWait(options: WaitOptions, batch: Batch): Promise<BatchWait> {
  const { BatchWait } = await import('./wait.ts');
  return BatchWait.open(options, batch);
}

function withProfile(name: string, given: ParsedArgs): Suggestion | undefined {
  return [envBot, sandboxBot].includes(name)
    ? undefined
    : again(given, ['profile'], { name: 'profile', value: name });
}

type Surveyed = { readonly surveyed: Survey; readonly shared: SharedBatch | undefined };

async function surveyAll(batch: Batch): Promise<Surveyed> {
  const { given, order, options, context, sheet, bot, journal } = batch;
  const { clock, interrupts, display } = context;
  const hash = journal?.shares && createHash('sha256');
  const template = await templateOf(batch);
  if (template !== undefined) hash?.update(template.text);
  if (Object.keys(options.mending).length > 0) hash?.update(JSON.stringify(options.mending));
  const input = {
    path: options.path,
    stdin: context.stdin,
    interrupted: context.interrupts.first,
    notes: batch.notes,
    ...(hash && { onBytes: (bytes: Buffer) => void hash.update(bytes) }),
  };
  const { mending } = options;
  const reading = { template: template?.parsed, isStrict: given.flag('strict'), mending };
  const surveyed = await display.waiting(
    `Checking ${inputName(input)}`,
    survey(readRows(input, order.kind, reading), order, {
      sheet,
      bot,
      journal,
      now: () => clock.now(),
      interrupted: interrupts.first,
      inWords: rowSentences,
      refusalInWords: (refusal) => policyWords(refusal).message,
      isSent: (title) => template?.parsed.names(title) === true,
      repeatInWords: notPaidAgain,
    }),
  );
  if (surveyed.rows === 0)
    throw told('bad-file')`${inputName(input)} has no rows
      ${isItTheRightFile}`;
  if (surveyed.begunBy !== undefined)
    throw begunByAnother(order.name, surveyed.begunBy, bot.name, withProfile(surveyed.begunBy, given));
  await batch.report?.refuseOther(rowReportInputs(batch), input);
  listBadRows(surveyed, batch.given, display);
  if (hash === undefined) return { surveyed, shared: undefined };
  const { kind, name } = order;
  const file = { digest: hash.digest('hex'), rows: surveyed.rows };
  return { surveyed, shared: { baseUrl: bot.baseUrl, kind, name, ...file } };
}

type Sharing = { readonly ranges: Ranges; readonly others: OthersNow };

async function runAll(
  surveyed: Survey,
  { ranges, others }: Sharing,
  engine: EngineContext,
  batch: Batch,
): Promise<Omit<FinishedRun, 'others'>> {
  const { order, options, context, sheet } = batch;
  const { display, clock } = context;
  const pace = new BatchPace(clock, options.ratePerS);
  const { concurrency, maxFailures } = options;
  const rules = new StopRules({ kind: order.kind, concurrency, maxFailures });
  const inFlightLimit = new InFlightLimit(concurrency, rules.signal);
  const counts = noCounts();
  const teller = new RowTeller(batch);
  await teller.tellBefore();
  const stopMeter = display.meter(gaugeOf(surveyed, counts, pace, others, clock));
  try {
    const shared: EngineContext = {
      ...engine,
      pace,
      commit: sharedCommit(engine.journal, () => worthWaitingMs(inFlightLimit, engine.journal.isShared)),
      chance: { ...engine.chance, uuid: consecutiveIds(engine.chance.uuid) },
      observer: { ...engine.observer, during: (_waiting, work) => work },
    };
    const unverified = new UnverifiedRows();
    const explain = (end: RowEnd): ExplainedEnd | Promise<ExplainedEnd> => {
      unverified.note(end.ending.outcome);
      return teller.explain(end, engine.clock.now());
    };
    const onWaiting = (runners: readonly Runner[]): void => {
      others.waitedFor = runners;
      if (!display.quiet) display.notice(ownShareDone(runners));
    };
    const lanes = lanesFor(order.kind, concurrency, options.ratePerS);
    const working = { pace, rules, inFlightLimit, lanes };
    const run = { order, sheet, engine: shared, ...working, ranges, onWaiting, explain };
    const end = await whileInFlight(runRows(run, counts), context.interrupts.first, () =>
      display.notice(
        'Interrupted: no new row is started. Waiting up to 5 s for the replies to the rows already sent. Interrupt again to leave at once; then their outcome is unknown.',
      ),
    );
    return { ...end, unverified };
  } finally {
    stopMeter();
  }
}

/** The path of the finished report. */
async function finishReport(
  batch: Batch,
  { columns }: Pick<Survey, 'columns'>,
  others?: OthersEnd,
): Promise<string | undefined> {
  const { options, order, context, report } = batch;
  if (report === undefined || options.report === undefined) return undefined;
  if (others?.is === 'untold') {
    context.display.warn(
      `The journal cannot be read, so the rows of other processes are not known: the report ${options.report} was not written.`,
    );
    return undefined;
  }
  const format = reportFormatOf(options.report);
  const text = reportText(format, order.kind, columns, batch.notes.delimiter);
  const whole = await report.finish(text, reportRows(rowReportInputs(batch)), context.interrupts.second);
  if (whole) return options.report;
  context.display.warn(reportGivenUp(options.report));
  return undefined;
}

/** Runs before any question: two files under one name are two batches, which is most likely a mistake. */
async function refuseOtherFile(shared: SharedBatch | undefined, batch: Batch): Promise<void> {
  const { journal, options } = batch;
  if (shared === undefined || journal?.shares === undefined || options.changedFile) return;
  if (await journal.shares.isOtherFile(shared)) throw notThatFile(shared, batch);
}

function notThatFile({ name }: SharedBatch, { given, options }: Batch): Failure {
  return told('other-file', { next: [again(given, [], { name: 'changed-file', value: true })] })`
    ${inputName(options)} is not the file of the batch ${name}: its SHA-256 differs
    Give every machine the same file. If you changed it on purpose, say so when the other processes have ended:`;
}

/** Where this runner gets its rows: all of them, or its share of them. */
async function rangesOf(
  shared: SharedBatch | undefined,
  surveyed: Survey,
  others: OthersNow,
  batch: Batch,
): Promise<Ranges> {
  const { journal, options } = batch;
  const { rows } = surveyed;
  if (shared === undefined || journal?.shares === undefined || toDo(surveyed) === 0) return allRows();
  const joined = await journal.shares.join(shared, options.changedFile);
  switch (joined.is) {
    case 'other-file':
      throw notThatFile(shared, batch);
    case 'at-work':
      throw told('batch-at-work')`
        The batch ${shared.name} cannot change its file now: ${listed(joined.runners.map(processName))} ${joined.runners.length === 1 ? 'is' : 'are'} at work on it
        Wait until the others have ended, then run the same command again. A killed one counts as ended after half a minute.`;
    case 'joined':
      return sharedRanges(counted(journal.shares, rows, others), {
        round: joined.round,
        rows,
        concurrency: options.concurrency,
      });
  }
}

/** The same shares, counting how many rows other runners took. */
function counted(shares: Shares, rows: number, others: OthersNow): Pick<Shares, 'take'> {
  let own = 0;
  return {
    take: async (...asked) => {
      const taken = await shares.take(...asked);
      if (taken.is === 'nothing') return taken;
      const { first, last } = taken.range;
      own += last - first + 1;
      others.given = Math.max(0, rows - taken.left - own);
      others.waitedFor = [];
      return taken;
    },
  };
}

import { type BatchOrder, Recipients } from '../../../batch/checkRow.ts';
import { rowSentences } from '../../../batch/facts.ts';
import { BatchPace, InFlight, sharedCommit, worthWaitingMs } from '../../../batch/pace.ts';
import { inputName, readRows } from '../../../batch/readRows.ts';
import { ReportFile, reportRows, UnverifiedRows } from '../../../batch/report.ts';
import { noCounts, runRows } from '../../../batch/runRows.ts';
import { consecutiveIds, Sheet } from '../../../batch/sheet.ts';
import { type ExplainedEnd, type RowEnd, StopRules } from '../../../batch/stopRules.ts';
import { type Survey, survey } from '../../../batch/survey.ts';
import type { Until } from '../../../chain/verify.ts';
import { envBot, sandboxBot } from '../../../once/connection.ts';
import type { EngineContext } from '../../../once/engine/context.ts';
import { asFailure, type Exit, exitOf, type Failure, told } from '../../../once/failures.ts';
import type { Kind } from '../../../once/intent/wanted.ts';
import type { Journal, Runner } from '../../../once/journal/journal.ts';
import { isItTheRightFile, type Suggestion } from '../../../once/says.ts';
import { policyFailure } from '../../../policy/facts.ts';
import type { Context, ParsedArgs, Run } from '../../parse/command.ts';
import type { BatchArgs, BatchSendArgs, BatchTransferArgs } from '../../parse/sendingSpecs.ts';
import { conflictWords } from '../../say/batch.ts';
import { again } from '../../say/open.ts';
import { equalWords } from '../../say/outcomes.ts';
import { codeOfRows, needsOf, ownShareDone } from '../../say/rows.ts';
import { allowedRecipients, waitOf } from '../inputs.ts';
import { botOfCommand } from '../openBot.ts';
import { isJournalThere, openJournalOf, settingsOf } from '../openJournal.ts';
import { policiesOf } from '../policies.ts';
import { openSession, whileInFlight } from '../session.ts';
import { type FinishedRun, type OtherRows, othersAtEnd, progressOf, tellEnd } from './end.ts';
import {
  type Batch,
  batchOptions,
  reportFormatOf,
  reportText,
  rowReportInputs,
  templateOf,
} from './options.ts';
import { judgeRepeats, reportPaidAlready, tellEqualRows } from './repeats.ts';
import {
  leftToSend,
  listBadRows,
  RowTeller,
  rowsRefused,
  tellDryRun,
  tellPlan,
  tellRefused,
} from './telling.ts';
import type { BatchWait, RowsOnChain } from './wait.ts';

export const sendBatch: Run<BatchSendArgs> = (given, context) => doBatch('message', given, context);
export const transferBatch: Run<BatchTransferArgs> = (given, context) =>
  doBatch('transfer', given, context, waitOf(given));

async function doBatch(kind: Kind, given: BatchArgs, context: Context, wait?: Until): Promise<Exit> {
  const options = batchOptions(given, kind, context.clock.now());
  settingsOf(given);
  const order: BatchOrder = {
    kind,
    name: options.name,
    recipients: kind === 'transfer' ? allowedRecipients(given) : 'any',
    paysRepeats: options.repeats === 'pay',
    proposes: options.proposes,
  };
  const sheet = new Sheet();
  const report = options.report === undefined ? undefined : await ReportFile.begin(options.report);
  const unopened = { given, context, options, order, sheet, report };
  try {
    return await (given.flag('dry-run') ? dryRun(unopened) : runBatch(unopened, wait));
  } finally {
    await report?.close();
  }
}

type UnopenedBatch = Omit<Batch, 'bot' | 'journal'>;

/** Checks and shows everything but creates nothing, not even a journal. */
async function dryRun(unopened: UnopenedBatch): Promise<Exit> {
  const { given, context } = unopened;
  const bot = await botOfCommand(given, context);
  const journal = (await isJournalThere(given, context))
    ? await openJournalOf(given, context, 'look')
    : undefined;
  try {
    const policies = await policiesOf(bot, context);
    const batch: Batch = { ...unopened, order: { ...unopened.order, policies }, bot, journal };
    const surveyed = await surveyAll(batch);
    await finishReport(batch, surveyed);
    const refused = rowsRefused(surveyed, batch);
    if (refused !== undefined) return await tellRefused(refused, surveyed, batch);
    const judged = await judgeRepeats(surveyed, batch);
    if (judged === 'refused') return await reportPaidAlready(surveyed, batch);
    await tellEqualRows(batch);
    await tellDryRun(surveyed, batch);
    return exitAhead(surveyed);
  } finally {
    await journal?.close();
  }
}

/** How the run would end, as things stand. It sends what is left. */
function exitAhead({ tally: { standings } }: Survey): Exit {
  const needs = needsOf(standings);
  needs.delete('same-command');
  const code = codeOfRows(needs);
  return code === undefined ? 0 : exitOf(code);
}

async function runBatch(unopened: UnopenedBatch, wait: Until | undefined): Promise<Exit> {
  const { given, context, order, options } = unopened;
  const session = await openSession(given, context, true);
  let waiting: BatchWait | undefined;
  try {
    const journal = session.engine.journal;
    const engine = { ...session.engine, journal, proposes: options.proposes };
    const held = { ...order, policies: session.policies };
    const batch: Batch = { ...unopened, order: held, bot: engine.bot, journal };
    if (wait !== undefined) waiting = await openBatchWait(wait, batch);
    const surveyed = await surveyAll(batch);
    const refused = rowsRefused(surveyed, batch);
    if (refused !== undefined) {
      await finishReport(batch, surveyed);
      return await tellRefused(refused, surveyed, batch);
    }
    if (leftToSend(surveyed) > 0) session.connection.ensurePossible(order.kind);
    const judged = await judgeRepeats(surveyed, batch);
    if (judged === 'refused') {
      await finishReport(batch, surveyed);
      return await reportPaidAlready(surveyed, batch);
    }
    if (!judged.isAsked) await tellPlan(surveyed, batch);
    const hasMore = leftToSend(surveyed) + surveyed.waitsAhead > 0;
    if (hasMore) await keepBatch(surveyed, batch, engine.journal);
    await waiting?.ready();
    await session.connection.ready();
    const run = await runAll(surveyed, engine, batch, judged.repeats);
    const end: FinishedRun = { ...run, others: await othersAtEnd(run, surveyed, batch, journal) };
    const reported = await finishReport(batch, surveyed, end.others);
    const sent = run.counts.accepted + surveyed.tally.standings.done;
    const chain = waiting && (await waiting.end(journal).catch((thrown) => notSeen(thrown, sent, context)));
    return await tellEnd(surveyed, { ...end, chain }, reported, batch);
  } finally {
    await waiting?.close();
    await session.close();
  }
}

/** Puts the file on record, for `batch status` and for other runners. To lose it in a power failure is safe. */
async function keepBatch(surveyed: Survey, batch: Batch, journal: Journal): Promise<void> {
  const { bot, order } = batch;
  const input = {
    ...{ baseUrl: bot.baseUrl, kind: order.kind, name: order.name },
    rows: surveyed.rows,
    invalid: surveyed.tally.standings.invalid,
  };
  await journal.commit((tx) => tx.keepBatch(input));
}

/** The rows were sent and recorded. A journal that is lost meanwhile leaves open only what the chain says. */
async function notSeen(thrown: unknown, undecided: number, { display }: Context): Promise<RowsOnChain> {
  const failure = asFailure(thrown);
  if (!failure.code.startsWith('journal-')) throw thrown;
  display.warn(failure.message);
  return { proven: 0, contradicted: 0, paidAgain: 0, unsure: 0, undecided };
}

async function openBatchWait(until: Until, batch: Batch): Promise<BatchWait> {
  const { BatchWait } = await import('./wait.ts');
  return BatchWait.open(until, batch);
}

function withProfile(name: string, given: ParsedArgs): Suggestion | undefined {
  return [envBot, sandboxBot].includes(name)
    ? undefined
    : again(given, ['profile'], { name: 'profile', value: name });
}

async function surveyAll(batch: Batch): Promise<Survey> {
  const { given, order, options, context, sheet, bot, journal } = batch;
  const { clock, interrupts, display } = context;
  const template = await templateOf(batch);
  const input = {
    path: options.path,
    stdin: context.stdin,
    interrupted: interrupts.first,
  };
  const recipients = new Recipients(order.recipients, bot.own);
  const reading = { ...order, recipients, template, mending: options.mending, inWords: rowSentences };
  const surveyed = await display.waiting(
    `Checking ${inputName(input)}`,
    readRows(input, reading).then((file) =>
      survey(file, order, {
        sheet,
        bot,
        journal,
        recipients,
        now: () => clock.now(),
        interrupted: interrupts.first,
        inWords: rowSentences,
        refusalInWords: (refusal) => policyFailure(refusal.rule, refusal).message,
        conflictInWords: conflictWords,
        equalInWords: equalWords,
      }),
    ),
  );
  if (surveyed.rows === 0)
    throw told('bad-file')`${inputName(input)} has no rows
      ${isItTheRightFile}`;
  if (surveyed.begunBy !== undefined)
    throw begunByAnother(order.name, surveyed.begunBy, bot.name, withProfile(surveyed.begunBy, given));
  await batch.report?.refuseOther(rowReportInputs(batch), input);
  listBadRows(surveyed, batch.given, display);
  return surveyed;
}

async function runAll(
  surveyed: Survey,
  engine: EngineContext,
  batch: Batch,
  repeats: 'pay' | 'skip' | undefined,
): Promise<Omit<FinishedRun, 'others'>> {
  const { order, options, context, sheet } = batch;
  const { display, clock } = context;
  const pace = new BatchPace(clock, options.ratePerS);
  const { concurrency, maxFailures } = options;
  const rules = new StopRules({ kind: order.kind, concurrency, maxFailures });
  const inFlight = new InFlight(concurrency);
  const counts = noCounts();
  const teller = new RowTeller(batch);
  await teller.tellBefore();
  const stopMeter = display.meter(() => progressOf(surveyed, counts));
  try {
    const commit = sharedCommit(engine.journal, () => worthWaitingMs(inFlight, engine.journal.isShared));
    const shared: EngineContext = {
      ...engine,
      pace,
      commit,
      chance: { ...engine.chance, uuid: consecutiveIds(engine.chance.uuid) },
      observer: { ...engine.observer, during: (_waiting, work) => work },
    };
    const unverified = new UnverifiedRows();
    const explain = (end: RowEnd): ExplainedEnd | Promise<ExplainedEnd> => {
      unverified.note(end.ending.outcome);
      return teller.explain(end, engine.clock.now());
    };
    const onWaiting = (runners: readonly Runner[]): void => {
      if (runners.length > 0 && !display.quiet) display.notice(ownShareDone(runners));
    };
    const working = { pace, rules, inFlight, repeats };
    const run = { order, sheet, engine: shared, ...working, rows: surveyed.rows, onWaiting, explain };
    const end = await whileInFlight(runRows(run, counts), context.interrupts.first, () =>
      display.notice(
        'Interrupted: no new row is started. Waiting up to 5 s for the replies to the rows already sent. Interrupt again to leave at once; then their outcome is unknown.',
      ),
    );
    return { ...end, unverified };
  } finally {
    stopMeter();
    teller.tellAfter();
  }
}

/** The path of the finished report. */
async function finishReport(
  batch: Batch,
  { columns, delimiter }: Survey,
  others?: OtherRows,
): Promise<string | undefined> {
  const { options, order, context, report } = batch;
  if (report === undefined || options.report === undefined) return undefined;
  if (others?.failure !== undefined) {
    context.display.warn(
      `The journal cannot be read, so the rows of other processes are not known: the report ${options.report} was not written.`,
    );
    return undefined;
  }
  const format = reportFormatOf(options.report);
  const text = reportText(format, order.kind, columns, delimiter);
  const whole = await report.finish(text, reportRows(rowReportInputs(batch)), context.interrupts.second);
  if (whole) return options.report;
  context.display.warn(`Interrupted again: the report ${options.report} was not written.`);
  return undefined;
}

/** Its rows would all be in conflict, and new ones paid from another wallet. */
function begunByAnother(name: string, owner: string, bot: string, run: Suggestion | undefined): Failure {
  if (run === undefined)
    return told('other-bot')`${name} was begun by ${owner}, and this is ${bot}
      Give it the token that began it, without a profile.`;
  return told('other-bot', { next: [run] })`${name} was begun by ${owner}, and this is ${bot}
    Did you mean --profile ${owner}?`;
}

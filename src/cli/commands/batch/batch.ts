import { Recipients } from '../../../batch/checkRow.ts';
import { rowSentences } from '../../../batch/failures.ts';
import {
  type BatchOrder,
  type BatchPlan,
  leftToSend,
  lookAgain,
  planBatch,
  rowsToDo,
} from '../../../batch/plan.ts';
import { inputName, readRows } from '../../../batch/read.ts';
import { ReportFile, reportRows } from '../../../batch/report.ts';
import { runBatch } from '../../../batch/run.ts';
import type { Stop } from '../../../batch/stopRules.ts';
import type { Until } from '../../../chain/verify.ts';
import { envBot, sandboxBot } from '../../../once/connection.ts';
import type { EngineContext } from '../../../once/engine/context.ts';
import type { Kind, Wanted } from '../../../once/entry/wanted.ts';
import { asFailure, type Exit, type Failure, told } from '../../../once/failures.ts';
import type { Entry, Journal } from '../../../once/journal/journal.ts';
import { isItTheRightFile, type Suggestion } from '../../../once/says.ts';
import type { Context, ParsedArgs, Run } from '../../parse/command.ts';
import type { BatchArgs, BatchSendArgs, BatchTransferArgs } from '../../parse/sendingSpecs.ts';
import { takenBy } from '../../say/entry.ts';
import { again } from '../../say/open.ts';
import { equalWords } from '../../say/outcomes.ts';
import { waitingForOthers } from '../../say/rows.ts';
import { allowedRecipients, waitOf } from '../inputs.ts';
import { botOfCommand } from '../openBot.ts';
import { isJournalThere, openJournalOf, settingsOf } from '../openJournal.ts';
import { policiesOf } from '../policies.ts';
import { openSession, whileInFlight } from '../session.ts';
import { agreeOn, tellEqualRows } from './agree.ts';
import {
  type Batch,
  batchOptions,
  reportFormatOf,
  reportText,
  rowReportInputs,
  templateOf,
} from './options.ts';
import { listBadRows, refusedAhead, tellDryRun, tellRefused } from './showPlan.ts';
import { progressOf, RowTeller, tellEnd } from './tell.ts';
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
  const report = options.report === undefined ? undefined : await ReportFile.begin(options.report);
  const unopened = { given, context, options, order, report };
  try {
    return await (given.flag('dry-run') ? dryRun(unopened) : run(unopened, wait));
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
    const plan = await readAndPlan(batch);
    await finishReport(plan, batch);
    const agreed = refusedAhead(plan, batch) ?? (await agreeOn(plan, batch));
    if ('told' in agreed) return await tellRefused(agreed, plan, batch);
    await tellEqualRows(plan, batch);
    return await tellDryRun(plan, batch, agreed.balance);
  } finally {
    await journal?.close();
  }
}

async function run(unopened: UnopenedBatch, wait: Until | undefined): Promise<Exit> {
  const { given, context, order, options } = unopened;
  const session = await openSession(given, context, true);
  let waiting: BatchWait | undefined;
  try {
    const { journal } = session.engine;
    const engine = { ...session.engine, proposes: options.proposes };
    const held = { ...order, policies: session.policies };
    const batch: Batch = { ...unopened, order: held, bot: engine.bot, journal };
    if (wait !== undefined) waiting = await openBatchWait(wait, batch);
    const plan = await readAndPlan(batch);
    const refused = refusedAhead(plan, batch);
    if (refused === undefined && leftToSend(plan) > 0) session.connection.ensurePossible(order.kind);
    const agreed = refused ?? (await agreeOn(plan, batch));
    if ('told' in agreed) {
      await finishReport(plan, batch);
      return await tellRefused(agreed, plan, batch);
    }
    if (leftToSend(plan) + plan.waitsAhead > 0) await keepBatch(plan, batch, journal);
    await waiting?.ready(plan);
    await session.connection.ready();
    const teller = new RowTeller(plan, batch);
    const stop = await runRows(plan, engine, batch, agreed.repeats, teller);
    const unread = await lookAtOthers(plan, batch);
    const report = await finishReport(plan, batch, unread);
    const { repeated } = teller;
    const chain =
      waiting &&
      (await waiting.end(plan, journal).catch((thrown) => notSeen(thrown, plan, repeated, context)));
    return await tellEnd(plan, { stop, unread, report, chain, repeated }, batch);
  } finally {
    await waiting?.close();
    await session.close();
  }
}

async function readAndPlan(batch: Batch): Promise<BatchPlan> {
  const { given, order, options, context, bot, journal } = batch;
  const { clock, interrupts, display } = context;
  const template = await templateOf(batch);
  const input = { path: options.path, stdin: context.stdin, interrupted: interrupts.first };
  const recipients = new Recipients(order.recipients, bot.own);
  const reading = { ...order, recipients, template, mending: options.mending, inWords: rowSentences };
  const planning = {
    ...{ bot, journal, recipients, interrupted: interrupts.first, now: () => clock.now() },
    inWords: rowSentences,
    refusalInWords: (refusal: Failure) => refusal.message,
    conflictInWords: (found: Entry, wanted: Wanted) => `the id ${takenBy(found, wanted)}`,
    equalInWords: equalWords,
  };
  const plan = await display.waiting(
    `Checking ${inputName(input)}`,
    readRows(input, reading).then((file) => planBatch(file, order, planning)),
  );
  if (plan.rows.length === 0)
    throw told('bad-file')`${inputName(input)} has no rows
      ${isItTheRightFile}`;
  if (plan.begunBy !== undefined)
    throw begunByAnother(order.name, plan.begunBy, bot.name, withProfile(plan.begunBy, given));
  listBadRows(plan, given, display);
  return plan;
}

/** Puts the file on record, for `batch status` and for other runners. To lose it in a power failure is safe. */
async function keepBatch(
  { rows, standings }: BatchPlan,
  { bot, order }: Batch,
  journal: Journal,
): Promise<void> {
  const { kind, name } = order;
  const input = { baseUrl: bot.baseUrl, kind, name, rows: rows.length, invalid: standings.invalid };
  await journal.commit((tx) => tx.keepBatch(input));
}

async function runRows(
  plan: BatchPlan,
  engine: EngineContext,
  { order, options, context }: Batch,
  repeats: 'pay' | 'skip' | undefined,
  teller: RowTeller,
): Promise<Stop | undefined> {
  const { display } = context;
  const { concurrency, ratePerS, maxFailures } = options;
  let isToldOfOthers = false;
  await teller.tellBefore();
  const stopMeter = display.meter(() => progressOf(plan));
  try {
    const running = runBatch(plan, {
      ...{ order, concurrency, ratePerS, maxFailures, repeats },
      engine: { ...engine, observer: { ...engine.observer, during: (_waiting, work) => work } },
      onEnd: (row, ending) => teller.tell(row, ending, engine.clock.now()),
      onWaiting: (rows) => {
        if (!isToldOfOthers && !display.quiet) display.notice(waitingForOthers(rows));
        isToldOfOthers = true;
      },
    });
    return await whileInFlight(running, context.interrupts.first, () =>
      display.notice(
        'Interrupted: no new row is started. Waiting up to 5 s for the replies to the rows already sent. Interrupt again to leave at once; then their outcome is unknown.',
      ),
    );
  } finally {
    stopMeter();
    teller.tellAfter();
  }
}

/** Asks the journal about the rows to which a stop left no time, and returns why it did not say. */
async function lookAtOthers(plan: BatchPlan, { bot, journal }: Batch): Promise<Failure | undefined> {
  const left = rowsToDo(plan).filter(({ outcome }) => outcome === undefined);
  try {
    await lookAgain(left, { bot, journal });
    return undefined;
  } catch (thrown) {
    // This run's own results must be reported all the same.
    for (const row of left) row.outcome ??= 'untold';
    return asFailure(thrown);
  }
}

/** The path of the finished report. */
async function finishReport(
  plan: BatchPlan,
  batch: Batch,
  unread?: Failure | undefined,
): Promise<string | undefined> {
  const { options, context, report } = batch;
  if (report === undefined || options.report === undefined) return undefined;
  if (unread !== undefined) {
    context.display.warn(
      `The journal cannot be read, so the rows of other processes are not known: the report ${options.report} was not written.`,
    );
    return undefined;
  }
  const text = reportText(reportFormatOf(options.report), plan);
  const rows = reportRows(rowReportInputs(plan.rows, batch));
  if (await report.finish(text, rows, context.interrupts.second)) return options.report;
  context.display.warn(`Interrupted again: the report ${options.report} was not written.`);
  return undefined;
}

async function openBatchWait(until: Until, batch: Batch): Promise<BatchWait> {
  const { BatchWait } = await import('./wait.ts');
  return BatchWait.open(until, batch);
}

/** The rows were sent and recorded. A journal that is lost meanwhile leaves open only what the chain says. */
async function notSeen(
  thrown: unknown,
  { rows }: BatchPlan,
  unsure: number,
  { display }: Context,
): Promise<RowsOnChain> {
  const failure = asFailure(thrown);
  if (!failure.code.startsWith('journal-')) throw thrown;
  display.warn(failure.message);
  const undecided = rows.filter(({ standing, outcome }) => standing === 'done' || outcome === 'accepted');
  return { proven: 0, contradicted: 0, paidAgain: 0, unsure, undecided: undecided.length };
}

function withProfile(name: string, given: ParsedArgs): Suggestion | undefined {
  return [envBot, sandboxBot].includes(name)
    ? undefined
    : again(given, ['profile', 'token-file', 'base-url'], { name: 'profile', value: name });
}

/** Some of its rows would be in conflict, and the others paid from another wallet. */
function begunByAnother(name: string, owner: string, bot: string, run: Suggestion | undefined): Failure {
  if (run === undefined)
    return told('other-bot')`${name} was begun by ${owner}, and this is ${bot}
      Give it the token that began it, without a profile.`;
  return told('other-bot', { next: [run] })`${name} was begun by ${owner}, and this is ${bot}
    Did you mean --profile ${owner}?`;
}

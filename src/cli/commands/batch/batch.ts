import { Recipients } from '../../../batch/checkRow.ts';
import { rowSentences } from '../../../batch/failures.ts';
import {
  type BatchOrder,
  type BatchPlan,
  lookAgain,
  planBatch,
  rowsLeft,
  rowsToDo,
  rowsToPropose,
} from '../../../batch/plan.ts';
import { inputName, readRows } from '../../../batch/read.ts';
import { ReportFile, reportRows } from '../../../batch/report.ts';
import { runBatch } from '../../../batch/run.ts';
import type { Until } from '../../../chain/verify.ts';
import { envBot, sandboxBot } from '../../../once/connection.ts';
import type { Kind, Wanted } from '../../../once/entry/wanted.ts';
import { asFailure, type Exit, type Failure, failureWith } from '../../../once/failures.ts';
import type { Entry, Journal } from '../../../once/journal/journal.ts';
import { isItTheRightFile, type Suggestion } from '../../../once/sentence.ts';
import type { App } from '../../app.ts';
import { isThere } from '../../open/journal.ts';
import type { Args } from '../../parse/args.ts';
import type { Run } from '../../parse/command.ts';
import { type Engine, openEngine, whileInFlight } from '../../run/engine.ts';
import { allowedRecipients, waitOf } from '../../run/inputs.ts';
import { takenBy } from '../../wording/entry.ts';
import { again } from '../../wording/open.ts';
import { equalWords } from '../../wording/outcomes.ts';
import { waitingForOthers } from '../../wording/rows.ts';
import { agreeOn, tellEqualRows } from './agree.ts';
import type { BatchArgs, BatchSendArgs, BatchTransferArgs } from './batch.spec.ts';
import {
  type Batch,
  batchOptions,
  reportFormatOf,
  reportText,
  rowReportInputs,
  templateOf,
} from './options.ts';
import { listBadRows, refusedAhead, tellDryRun, tellRefused } from './showPlan.ts';
import { endBatch, type FinishedRun, progressOf, RowTeller } from './tell.ts';
import type { BatchWait, RowsOnChain } from './wait.ts';

export const sendBatch: Run<BatchSendArgs> = (app) => doBatch('message', app);
export const transferBatch: Run<BatchTransferArgs> = (app) => doBatch('transfer', app, waitOf(app.args));

async function doBatch(kind: Kind, app: App<BatchArgs>, wait?: Until): Promise<Exit> {
  const options = batchOptions(app.args, kind, app.clock.now());
  app.settings();
  const order: BatchOrder = {
    kind,
    name: options.name,
    recipients: kind === 'transfer' ? allowedRecipients(app.args) : 'any',
    paysRepeats: options.repeats === 'pay',
    proposes: options.proposes,
  };
  const report = options.report === undefined ? undefined : app.owns(await ReportFile.begin(options.report));
  const unopened = { app, options, order, report };
  return app.args.flag('dry-run') ? dryRun(unopened) : run(unopened, wait);
}

type UnopenedBatch = Omit<Batch, 'bot' | 'journal'>;

/** Checks and shows everything. It writes the report, but creates no journal. */
async function dryRun(unopened: UnopenedBatch): Promise<Exit> {
  const { app } = unopened;
  const bot = await app.bot();
  const journal = isThere(await app.where()) ? await app.journal('look') : undefined;
  const policies = await app.policies();
  const batch: Batch = { ...unopened, order: { ...unopened.order, policies }, bot, journal };
  const plan = await readAndPlan(batch);
  await finishReport(plan, batch);
  refuseOtherBot(plan, batch);
  const agreed = refusedAhead(plan, batch) ?? (await agreeOn(plan, batch));
  if ('failure' in agreed) return tellRefused(agreed, plan, batch);
  await tellEqualRows(plan, batch);
  return tellDryRun(plan, batch, agreed.balance);
}

async function run(unopened: UnopenedBatch, wait: Until | undefined): Promise<Exit> {
  const { app, order } = unopened;
  const engine = await openEngine(app, true);
  const held = { ...order, policies: await app.policies() };
  const batch: Batch = { ...unopened, order: held, bot: engine.bot, journal: engine.journal };
  const plan = await readAndPlan(batch);
  const { tell, unread } = await runPlan(plan, batch, engine, wait).catch(rethrownLater);
  return tell(await finishReport(plan, batch, unread));
}

/** How a run ended. It is shown after the report has been written. */
type Ended = {
  readonly tell: (report: string | undefined) => Promise<Exit>;
  readonly unread?: Failure | undefined;
};

const rethrownLater = (thrown: unknown): Ended => ({ tell: () => Promise.reject(thrown) });

async function runPlan(
  plan: BatchPlan,
  batch: Batch,
  engine: Engine,
  wait: Until | undefined,
): Promise<Ended> {
  const { connection, journal } = engine;
  refuseOtherBot(plan, batch);
  const refused = refusedAhead(plan, batch);
  if (refused === undefined && rowsLeft(plan) > 0) connection.ensurePossible(batch.order.kind);
  const waiting = refused === undefined && wait !== undefined ? await openBatchWait(wait, batch) : undefined;
  const agreed = refused ?? (await agreeOn(plan, batch));
  if ('failure' in agreed) return { tell: () => tellRefused(agreed, plan, batch) };
  if (rowsLeft(plan) + rowsToPropose(plan).length > 0) await keepBatch(plan, batch, journal);
  await waiting?.ready(plan);
  await connection.ready();
  const { stop, repeated } = await runRows(plan, engine, batch, agreed.repeats);
  const unread = await lookAtOthers(plan, batch);
  const chain = await waiting
    ?.end(plan, journal)
    .catch((thrown) => notSeen(thrown, plan, repeated, batch.app));
  return { tell: (report) => endBatch(plan, { stop, unread, report, chain, repeated }, batch), unread };
}

async function readAndPlan(batch: Batch): Promise<BatchPlan> {
  const { app, order, options, bot, journal } = batch;
  const { clock, interrupts, display } = app;
  const template = await templateOf(batch);
  const input = { path: options.path, stdin: app.stdin, interrupted: interrupts.first };
  const recipients = new Recipients(order.recipients, bot.own);
  const reading = { ...order, recipients, template, mending: options.mending, inWords: rowSentences };
  const planning = {
    ...{ bot, journal, recipients, interrupted: interrupts.first, now: () => clock.now() },
    inWords: rowSentences,
    refusalInWords: (refusal: Failure) => refusal.message,
    conflictInWords: (taken: Entry, wanted: Wanted) => `the id ${takenBy(taken, wanted)}`,
    equalInWords: equalWords,
  };
  const plan = await display.waiting(
    `Checking ${inputName(input)}`,
    readRows(input, reading).then((file) => planBatch(file, order, planning)),
  );
  if (plan.rows.length === 0)
    throw failureWith('bad-file')`${inputName(input)} has no rows
      ${isItTheRightFile}`;
  listBadRows(plan, app.args, display);
  return plan;
}

function refuseOtherBot({ begunBy }: BatchPlan, { order, bot, app }: Batch): void {
  if (begunBy !== undefined)
    throw begunByAnother(order.name, begunBy, bot.name, withProfile(begunBy, app.args));
}

/** Records how many rows the file has, for `batch status`. */
async function keepBatch(
  { rows, counts }: BatchPlan,
  { bot, order }: Batch,
  journal: Journal,
): Promise<void> {
  const { kind, name } = order;
  const input = { baseUrl: bot.baseUrl, kind, name, rows: rows.length, invalid: counts.invalid };
  await journal.commit((tx) => tx.keepBatch(input));
}

async function runRows(
  plan: BatchPlan,
  engine: Engine,
  batch: Batch,
  repeats: 'pay' | 'skip' | undefined,
): Promise<Pick<FinishedRun, 'stop' | 'repeated'>> {
  const { order, options, app } = batch;
  const { display } = app;
  const { concurrency, ratePerS, maxFailures } = options;
  const teller = new RowTeller(plan, batch);
  let isToldOfOthers = false;
  await teller.tellBefore();
  const begunMs = app.clock.now();
  const stopMeter = display.meter(() => progressOf(plan, app.clock.now() - begunMs));
  try {
    const running = runBatch(plan, {
      ...{ order, concurrency, ratePerS, maxFailures, repeats },
      engine: {
        ...engine,
        proposes: options.proposes,
        observer: { ...engine.observer, during: (_waiting, work) => work },
      },
      onEnd: (row, ending) => teller.tell(row, ending, engine.clock.now()),
      onWaiting: (rows) => {
        if (!isToldOfOthers && !display.quiet) display.notice(waitingForOthers(rows));
        isToldOfOthers = true;
      },
    });
    const stop = await whileInFlight(running, app.interrupts.first, () =>
      display.notice(
        'Interrupted: no new row is started. Waiting up to 5 s for the replies to the rows already sent. Interrupt again to leave at once; then their outcome is unknown.',
      ),
    );
    return { stop, repeated: teller.repeated };
  } finally {
    stopMeter();
    teller.tellAfter();
  }
}

/** Asks the journal about rows that this run did not end. Returns the failure if it cannot say. */
async function lookAtOthers(plan: BatchPlan, { bot, journal }: Batch): Promise<Failure | undefined> {
  const left = rowsToDo(plan).filter(({ outcome }) => outcome === undefined);
  try {
    await lookAgain(left, { bot, journal });
    return undefined;
  } catch (thrown) {
    // This run's own results must still be reported.
    for (const row of left) row.outcome ??= 'unread';
    return asFailure(thrown);
  }
}

/** Writes the report from the journal after the run, and returns its path. */
async function finishReport(
  plan: BatchPlan,
  batch: Batch,
  unread?: Failure | undefined,
): Promise<string | undefined> {
  const { options, app, report } = batch;
  if (report === undefined || options.report === undefined) return undefined;
  const text = reportText(reportFormatOf(options.report), plan);
  const rows = reportRows(rowReportInputs(plan.rows, batch));
  let why = 'Interrupted again';
  try {
    if (unread !== undefined) throw unread;
    if (await report.finish(text, rows, app.interrupts.second)) return options.report;
  } catch (thrown) {
    const { code } = asFailure(thrown);
    if (!code.startsWith('journal-')) throw thrown;
    why = 'The journal cannot be read';
  }
  app.display.warn(`${why}: the report ${options.report} was not written.`);
  return undefined;
}

async function openBatchWait(until: Until, batch: Batch): Promise<BatchWait> {
  const { BatchWait } = await import('./wait.ts');
  return BatchWait.open(until, batch);
}

/** The rows were sent and recorded. If the journal is lost during the wait, only the chain's answer is missing. */
async function notSeen(
  thrown: unknown,
  { rows }: BatchPlan,
  unsure: number,
  { display }: App,
): Promise<RowsOnChain> {
  const failure = asFailure(thrown);
  if (!failure.code.startsWith('journal-')) throw thrown;
  display.warn(failure.message);
  const undecided = rows.filter(({ ahead, outcome }) => ahead === 'done' || outcome === 'done');
  return { proven: 0, contradicted: 0, paidAgain: 0, unsure, undecided: undecided.length };
}

function withProfile(name: string, args: Args): Suggestion | undefined {
  return [envBot, sandboxBot].includes(name)
    ? undefined
    : again(args, ['profile', 'token-file', 'base-url'], { name: 'profile', value: name });
}

/** Only the bot that began a batch continues it. With another, rows would conflict or be paid from another wallet. */
function begunByAnother(name: string, owner: string, bot: string, run: Suggestion | undefined): Failure {
  if (run === undefined)
    return failureWith('other-bot')`${name} was begun by ${owner}, and this is ${bot}
      Run it with the token that began it, without a profile.`;
  return failureWith('other-bot', { next: [run] })`${name} was begun by ${owner}, and this is ${bot}
    Did you mean --profile ${owner}?`;
}

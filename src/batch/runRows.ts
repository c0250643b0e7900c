import { setMaxListeners } from 'node:events';
import type { Bot } from '../once/connection.ts';
import { isProposal } from '../once/engine/approval.ts';
import { type Claim, claim } from '../once/engine/claim.ts';
import type { EngineContext } from '../once/engine/context.ts';
import { carryOut } from '../once/engine/execute.ts';
import { endingOf, type Outcome } from '../once/engine/outcome.ts';
import { settleAsPaid } from '../once/engine/paidAs.ts';
import { identify, makePlan, type Plan } from '../once/engine/plan.ts';
import { isDone as isPaid, meaningOf } from '../once/engine/planKinds.ts';
import { type FailureCode, type Retry, retryOf } from '../once/failures.ts';
import { spellingsOfPayment } from '../once/intent/spellings.ts';
import type { Journal, Runner } from '../once/journal/journal.ts';
import { type BatchOrder, orderOf, requestOfRow } from './checkRow.ts';
import type { BatchPace, InFlight } from './pace.ts';
import { isOver, type RowOutcome, type Sheet, type SheetRow } from './sheet.ts';
import type { ExplainedEnd, RowEnd, Stop, StopRules } from './stopRules.ts';
import { type RowsOfOthers, type Turn, WorkList } from './workList.ts';

export type Counts = Record<RowOutcome, number>;

type RunInputs = {
  readonly order: BatchOrder;
  readonly sheet: Sheet;
  readonly engine: EngineContext;
  readonly pace: BatchPace;
  readonly rules: StopRules;
  readonly inFlight: InFlight;
  /** What becomes of rows that are equal to another payment, as the options or a person say. */
  readonly repeats: 'pay' | 'skip' | undefined;
  readonly rows: number;
  readonly onWaiting: (others: readonly Runner[]) => void;
  /** Called once for each row as it ends. The row's lane sends nothing more until the result has been told. */
  readonly explain: (end: RowEnd) => ExplainedEnd | Promise<ExplainedEnd>;
};

export type RunEnd = {
  readonly counts: Counts;
  /** Rows that another process completed meanwhile. */
  readonly doneElsewhere: number;
  readonly stop: Stop | undefined;
  /** What must happen before the other rows can be done. */
  readonly needs: ReadonlySet<Retry>;
};

/** Processes the rows that are not done, a few at a time, until all have ended or a rule says stop. */
export async function runRows(inputs: RunInputs, counts: Counts = noCounts()): Promise<RunEnd> {
  const { order, sheet, rows, engine, rules, inFlight, onWaiting } = inputs;
  const { first, second } = engine.interrupts;
  // Each lane adds a listener, and Node warns about a leak if there are many.
  setMaxListeners(0, first, second, rules.signal);
  const onInterrupt = (): void => rules.interrupt();
  if (first.aborted) onInterrupt();
  first.addEventListener('abort', onInterrupt, { once: true });
  const { clock, chance, limits } = engine;
  const { maxWaitMs } = limits;
  const { journal, bot } = engine;
  const work = {
    sheet,
    rows,
    concurrency: inFlight.places,
    clock,
    chance,
    maxWaitMs,
    stopped: rules.signal,
    left: (some: readonly SheetRow[]) => leftOf(some, { order, sheet, bot, journal }, run),
    onWaiting: (others: RowsOfOthers) => void runnersOf(others, journal).then(onWaiting, () => {}),
  };
  const run: Run = {
    ...inputs,
    // A row that another process is sending is put back, so that no lane is blocked by it.
    engine: { ...engine, limits: { ...limits, ownerWaitMs: 0 } },
    list: new WorkList(work),
    alike: new Set(sheet.paidTwice()),
    counts,
    needs: new Set(),
    doneElsewhere: 0,
  };
  await Promise.all(Array.from({ length: inFlight.places }, () => workThrough(run)));
  first.removeEventListener('abort', onInterrupt);
  const others = run.list.leftTo.size === 0 ? [] : await runnersOf(run.list.leftTo, journal).catch(() => []);
  if (others.length > 0) rules.leaveTo(others);
  const { needs, doneElsewhere } = run;
  return { counts, doneElsewhere, stop: rules.stopAtEnd, needs };
}

/** Those that run somewhere else. */
async function runnersOf(owners: RowsOfOthers, { reads }: Journal): Promise<Runner[]> {
  const runners: Runner[] = [];
  for (const [owner, rows] of owners) {
    const process = await reads.processOf(owner);
    if (process !== undefined) runners.push({ ...process, rows });
  }
  return runners;
}

type Run = RunInputs & {
  readonly list: WorkList;
  /** Payments that more than one row makes. */
  readonly alike: ReadonlySet<string | undefined>;
  readonly counts: Counts;
  readonly needs: Set<Retry>;
  doneElsewhere: number;
};

/** Once a policy has refused a row because of its asset, it refuses the asset's other rows too. */
function isOfRefusedAsset(row: SheetRow, rules: StopRules): boolean {
  if (!rules.refusesAnything) return false;
  const request = requestOfRow(row);
  return request !== undefined && 'asset' in request && rules.isRefused(request.asset);
}

export function noCounts(): Counts {
  return {
    accepted: 0,
    resolved: 0,
    unknown: 0,
    waiting: 0,
    held: 0,
    declined: 0,
    rejected: 0,
    open: 0,
    sending: 0,
    'not-sent': 0,
    'paid-already': 0,
    'not-begun': 0,
  };
}

/** One lane: takes a row from its claim to its end, then takes the next one. */
async function workThrough(run: Run): Promise<void> {
  const { rules } = run;
  let next: Promise<Begun | undefined> | undefined;
  for (;;) {
    const current = next ?? begin(run);
    next = undefined;
    try {
      const begun = await current;
      if (begun === undefined) return;
      await finish(begun, run, () => {
        // Called again if the commit finds that the reply was another row's. The next row is already claimed then.
        next ??= begin(run);
        // An error is reported when `next` is awaited.
        next.catch(() => {});
      });
    } catch (thrown) {
      rules.fail(thrown);
    }
  }
}

type Begun = { readonly turn: Turn; readonly step: Claim | Outcome };

/** Claims the next row, or says why it will not be sent. Returns undefined if no rows are left, which ends the lane. */
async function begin(run: Run): Promise<Begun | undefined> {
  const { pace, rules, list } = run;
  await pace.turn(rules.signal);
  while (rules.stop === undefined) {
    const turn = await list.next();
    if (turn === undefined) break;
    if (!isOfRefusedAsset(turn.row, rules)) return { turn, step: await claimRow(turn.row, run) };
  }
  return undefined;
}

async function claimRow(row: SheetRow, run: Run): Promise<Claim | Outcome> {
  const { order: batch, engine, alike, repeats } = run;
  const order = orderOf(row, batch);
  const identity = identify(order, engine.bot, engine.journal, row.request);
  const known = row.equal;
  if (known !== undefined && repeats === 'skip') return settleAsPaid(identity, known, engine);
  // If no other row makes this payment, another file has made it under this name since the survey.
  const [payment] = spellingsOfPayment(identity.payment, engine.bot.spellings);
  const besides = alike.has(payment) ? batch.name : '';
  // What the survey did not see, nobody was asked about.
  const isMeant = known !== undefined || batch.paysRepeats === true;
  const asking: EngineContext = { ...engine, repeats: isMeant ? 'pay' : { besides } };
  const step = await claim(order, asking, undefined, identity);
  if (repeats !== 'skip' || step.is !== 'not-sent' || step.because !== 'paid-already') return step;
  return isPaid(step.equal) ? settleAsPaid(identity, step.equal, engine) : step;
}

/** Sends a claimed row and records how it ended. An accepted row frees its place before it is recorded. */
async function finish({ turn, step }: Begun, run: Run, beginNext: () => void): Promise<void> {
  if (step.is !== 'claim') return endRow(turn, step, false, run);
  const leave = run.inFlight.enter();
  try {
    const outcome = await carryOut(step, run.engine, () => {
      leave();
      beginNext();
    });
    await endRow(turn, outcome, !(outcome.is === 'concluded' && outcome.replayed), run);
  } finally {
    leave();
  }
}

async function endRow(turn: Turn, outcome: Outcome, isSent: boolean, run: Run): Promise<void> {
  const { list, sheet, explain } = run;
  const { row } = turn;
  if (outcome.is === 'still-sending' && list.putBack(turn, outcome.intent.owner)) {
    sheet.recordIntent(row.ordinal, ownIntent(outcome));
    return;
  }
  const end: RowEnd = { row, ending: endingOf(outcome), sent: isSent };
  note(end, run);
  const explained = explain(end);
  // An await is only needed for rows with a problem.
  const { problem, tell } = explained instanceof Promise ? await explained : explained;
  sheet.recordEnd(row.ordinal, rowOutcomeOf(outcome), ownIntent(outcome), problem);
  if (!isSent && isDone(rowOutcomeOf(outcome))) list.meet(turn);
  await tell();
}

/** Updates the counts and rules before the row's end is put into words, so that no pointless row begins meanwhile. */
function note(end: RowEnd, run: Run): void {
  const { counts, needs, rules } = run;
  const { outcome, code } = end.ending;
  const cameTo = rowOutcomeOf(outcome);
  counts[cameTo] += 1;
  if (!end.sent && isDone(cameTo)) run.doneElsewhere += 1;
  if (code !== undefined) needs.add(needOf(cameTo, code));
  rules.note(end);
}

function needOf(cameTo: RowOutcome, code: FailureCode): Retry {
  // The same command always sends open rows, even if something must be fixed first.
  if (cameTo === 'open') return 'same-command';
  return cameTo === 'declined' ? 'after-fix' : retryOf(code);
}

function isDone(cameTo: RowOutcome): boolean {
  return cameTo === 'accepted' || cameTo === 'resolved';
}

function rowOutcomeOf(outcome: Outcome): RowOutcome {
  switch (outcome.is) {
    case 'concluded':
      return isProposal(outcome.intent) ? 'waiting' : outcome.intent.state;
    case 'still-sending':
      return 'sending';
    case 'not-sent':
      return outcome.because === 'paid-already' ? 'paid-already' : 'not-sent';
    case 'not-recorded':
      return 'unknown';
  }
}

/** The row's own intent. The intent that blocks a refused row is not its own. */
function ownIntent(outcome: Outcome): string | undefined {
  return outcome.is === 'not-sent' ? undefined : outcome.intent.id;
}

type LookInputs = {
  readonly order: BatchOrder;
  readonly sheet: Sheet;
  readonly bot: Bot;
  readonly journal: Journal;
};

/** How rows stand that this process has not ended; others may have, since the survey. Updates the sheet. */
export async function lookAgain(inputs: LookInputs): Promise<Map<RowOutcome, number>> {
  const counts = new Map<RowOutcome, number>();
  for (const page of inputs.sheet.pages()) {
    const rows = page.filter(({ standing, outcome }) => !isOver(standing) && outcome === undefined);
    for (const { row, outcome, plan } of await looksAt(rows, inputs)) {
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      if (outcome !== 'not-begun')
        inputs.sheet.recordEnd(row.ordinal, outcome, foundIntent(outcome, plan), undefined);
    }
  }
  return counts;
}

/** The rows that others have not done. Notes those that they have. */
async function leftOf(rows: readonly SheetRow[], inputs: LookInputs, run: Run): Promise<readonly SheetRow[]> {
  const looks = await looksAt(rows, inputs);
  for (const { row, outcome, plan } of looks) {
    if (!isDone(outcome)) continue;
    run.counts[outcome] += 1;
    run.doneElsewhere += 1;
    inputs.sheet.recordEnd(row.ordinal, outcome, foundIntent(outcome, plan), undefined);
  }
  return looks.flatMap(({ row, outcome }) => (isDone(outcome) ? [] : row));
}

type Look = { readonly row: SheetRow; readonly outcome: RowOutcome; readonly plan: Plan };

/** Queries that start together share one look-up. */
function looksAt(rows: readonly SheetRow[], inputs: LookInputs): Promise<Look[]> {
  return Promise.all(
    rows.map(async (row) => {
      const plan = await planOf(row, inputs);
      return { row, plan, outcome: outcomeOf(plan) };
    }),
  );
}

function planOf(row: SheetRow, { order, bot, journal }: LookInputs): Promise<Plan> {
  const { clock, reads } = journal;
  return makePlan(identify(orderOf(row, order), bot, journal), { journal, bot, clock }, reads);
}

function outcomeOf({ is, found }: Plan): RowOutcome {
  const standing = meaningOf({ is }).row;
  if (standing === 'conflict') return 'not-sent';
  if (found === undefined) return 'not-begun';
  if (standing === 'elsewhere') return 'sending';
  if (isProposal(found)) return 'waiting';
  // A row whose owner died is unknown. A row that an operator resolved as not having happened is open again.
  if (found.state === 'sending') return 'unknown';
  return found.state === 'resolved' && standing !== 'done' ? 'open' : found.state;
}

function foundIntent(outcome: RowOutcome, { found }: Plan): string | undefined {
  return outcome === 'not-sent' ? undefined : found?.id;
}

import type { Bot } from '../once/connection.ts';
import { closedFor, equalAhead } from '../once/engine/answers.ts';
import { allowed, type PolicyAnswer } from '../once/engine/context.ts';
import { type Course, decide, type Undecided } from '../once/engine/decide.ts';
import { paidAs } from '../once/engine/paidAs.ts';
import { type Identity, identify, makePlan, type Plan, planOfNewJournal } from '../once/engine/plan.ts';
import { meaningOf } from '../once/engine/planKinds.ts';
import { RowsOfName } from '../once/engine/rowsOfName.ts';
import type { AllowedRecipients } from '../once/entry/address.ts';
import { addAmounts, type MinorUnits, minorUnits } from '../once/entry/amount.ts';
import { underEachName } from '../once/entry/assetNames.ts';
import { keyFor, type Naming } from '../once/entry/naming.ts';
import { type UnknownAsset, unknownAsset } from '../once/entry/unusual.ts';
import { canonicalOf, type Kind, type TransferRequest, type Wanted } from '../once/entry/wanted.ts';
import type { Failure } from '../once/failures.ts';
import type { Entry, EqualPayment, Journal } from '../once/journal/journal.ts';
import type { Policies } from '../policy/policy.ts';
import { spendOf, spendWithin, sumsForAll } from '../policy/spend.ts';
import { namedByBody, namedById, type Recipients } from './checkRow.ts';
import { type EarlierBatch, EarlierBatches } from './earlier.ts';
import { batchFailure, type RowComplaint } from './failures.ts';
import { addCount, type FileFacts, type InputRow, type ReadFile, type RowHead } from './read.ts';
import { Reasons } from './reasons.ts';
import { countRows, type RowAhead, type RowCounts, type RowState, stateByEntry } from './rowState.ts';

/** The settings for all rows of a batch. */
export type BatchOrder = {
  readonly kind: Kind;
  /** `--once`: the batch's name. */
  readonly name: string;
  readonly recipients: AllowedRecipients;
  /** The policies that its transfers must obey, if any apply. */
  readonly policies?: Policies | undefined;
  /** `--repeat`: pay rows even if they were paid under another name. */
  readonly paysRepeats?: boolean;
  /** `--propose`: every row waits for a person's approval. */
  readonly proposes?: boolean;
};

/** One row of the input, from its plan to its end. The checked rows are sent, even if the file changes meanwhile. */
export type Row = RowHead & {
  /** Its request and its name; absent if the row is not valid. */
  readonly identity: Identity | undefined;
  readonly ahead: RowAhead;
  /** An equal payment under another entry (the latest of several), and the ids of all. */
  equal: EqualPayment | undefined;
  equalIds: readonly string[];
  /** The other payment that settled this row; the row itself was never sent. */
  paidAs: EqualPayment | undefined;
  /** Its own entry, if the journal has one. */
  entry: string | undefined;
  /** Its state after this run, and in words why it is not done. */
  outcome: RowState | undefined;
  problem: string | undefined;
  /** Whether this run sent it. */
  sent: boolean;
};

/** A row whose payment another entry has made, or may have made. */
export type EqualRow = Row & { readonly equal: EqualPayment };

/**
 * Exact sums of one asset: of all valid rows, of rows that this run sends or waits for, of those that were never sent,
 * and of rows that this run paid.
 */
type AssetTotal = Record<'all' | 'left' | 'unpaid' | 'now', MinorUnits>;

/** Everything that is known about a batch before its first request. */
export type BatchPlan = FileFacts & {
  readonly rows: readonly Row[];
  readonly ofName: RowsOfName;
  readonly counts: RowCounts;
  /** Rows whose ids this bot has used for other requests. */
  readonly conflicts: Reasons;
  /** Whether the journal has the request of one of these rows under another row's id: the file was numbered again. */
  readonly isRenumbered: boolean;
  /** Another bot that has used ids of these rows. */
  readonly begunBy: string | undefined;
  /** Rows that a policy refuses, and the first refusal. */
  readonly refused: Reasons;
  readonly refusal: Failure | undefined;
  readonly warnings: readonly UnknownAsset[];
  /** The other batch that has paid the most of these rows. */
  readonly earlier: EarlierBatch | undefined;
  /** The failure if the journal is closed for sending. */
  readonly closed: Failure | undefined;
};

export type BotAndJournal = {
  readonly bot: Bot;
  /** Absent if no journal exists yet and none should be created. */
  readonly journal: Journal | undefined;
};

type PlanInputs = BotAndJournal & {
  readonly now: () => number;
  readonly interrupted: AbortSignal;
  readonly recipients: Recipients;
  readonly refusalInWords: (refusal: Failure) => string;
  /** Why a row is not sent under its id, which `entry` already has. */
  readonly conflictInWords: (entry: Entry, wanted: Wanted) => string;
  /** Why a row with an equal payment is not sent. */
  readonly equalInWords: (equal: EqualPayment, nowMs: number) => string;
  /** Called for each row whose recipient must not be paid. */
  readonly inWords: (complaints: readonly RowComplaint[]) => string;
};

// Look-ups of one page start together, so they do not wait for each other.
const pageRows = 256;

/** Looks up every row of a file in the journal, page by page. It sends and records nothing. */
export async function planBatch(
  { rows, ...file }: ReadFile,
  order: BatchOrder,
  inputs: PlanInputs,
): Promise<BatchPlan> {
  const planner = new BatchPlanner(order, inputs, file.bad);
  // Identify all rows first: the payment of another row of the input does not count as an equal payment.
  const identified = rows.map((row) => planner.identify(row));
  for (let at = 0; at < rows.length; at += pageRows) {
    if (inputs.interrupted.aborted) throw batchFailure('interrupted', {});
    await planner.take(identified.slice(at, at + pageRows));
  }
  const { journal } = inputs;
  const closed = journal && (await closedFor(journal.reads, journal));
  return { ...file, ...planner.plan(), closed };
}

const shownWarnings = 20;

class BatchPlanner {
  readonly #order: BatchOrder;
  readonly #inputs: PlanInputs;
  readonly #rows: Row[] = [];
  /** Includes the keys of invalid rows that have an id. */
  readonly #keys = new Set<string>();
  readonly #ofName: RowsOfName;
  readonly #bodies = new Map<string, number>();
  readonly #sums: ReturnType<typeof sumsForAll>;
  readonly #nowMs: number;
  readonly #bad: Reasons;
  readonly #conflicts = new Reasons();
  /** The requests on record under ids whose rows now want something else. */
  readonly #taken = new Set<string | undefined>();
  readonly #refused = new Reasons();
  readonly #warnings = new Map<string, UnknownAsset>();
  readonly #earlier: EarlierBatches;
  #refusal: Failure | undefined;
  #begunBy: string | undefined;

  constructor(order: BatchOrder, inputs: PlanInputs, bad: Reasons) {
    this.#order = order;
    this.#inputs = inputs;
    this.#bad = bad;
    this.#ofName = new RowsOfName(order.name, this.#keys);
    this.#sums = sumsForAll(inputs.journal?.reads);
    this.#nowMs = inputs.journal?.clock.now() ?? inputs.now();
    this.#earlier = new EarlierBatches(order.name, inputs.bot, this.#nowMs);
  }

  plan(): Omit<BatchPlan, keyof FileFacts | 'closed'> {
    return {
      rows: this.#rows,
      ofName: this.#ofName,
      counts: countRows(this.#rows.map(({ ahead }) => [ahead, 1])),
      conflicts: this.#conflicts,
      isRenumbered: this.#rows.some(
        ({ ahead, identity }) => ahead === 'taken' && this.#taken.has(identity?.fingerprint),
      ),
      begunBy: this.#begunBy,
      refused: this.#refused,
      refusal: this.#refusal,
      warnings: [...this.#warnings.values()],
      earlier: this.#earlier.most(),
    };
  }

  identify(row: InputRow): IdentifiedRow {
    const { journal, bot } = this.#inputs;
    const { name } = this.#order;
    const naming = row.id === undefined ? undefined : namedById(name, row.id);
    if ('problem' in row) {
      if (naming !== undefined) this.#keys.add(keyById(naming, this.#order, bot));
      return row;
    }
    const { wanted, columns } = row;
    const canonical = canonicalOf(wanted);
    const named = naming ?? namedByBody(name, canonical, addCount(this.#bodies, canonical));
    const identity = identify({ wanted, naming: named, columns }, bot, journal ?? unsalted, canonical);
    if (identity.key !== undefined) this.#keys.add(identity.key);
    return { ...row, identity };
  }

  async take(page: readonly IdentifiedRow[]): Promise<void> {
    const { journal } = this.#inputs;
    const paying = this.#order.kind === 'transfer' ? journal : undefined;
    if (paying !== undefined) await this.#ofName.readOn(paying.reads);
    const wanted = page.flatMap((row) => ('problem' in row ? [] : [row.identity.payment]));
    const [looks] = await Promise.all([
      Promise.all(page.map((row) => ('problem' in row ? row : this.#look(row)))),
      paying && this.#earlier.note(wanted, paying.reads),
    ]);
    // One after another, because what a row would spend counts for the rows after it.
    for (const look of looks)
      this.#rows.push('problem' in look ? invalid(look, look.problem) : await this.#judge(look));
  }

  async #look(row: ValidRow): Promise<Look> {
    const { journal, bot } = this.#inputs;
    const { identity } = row;
    const plan = await planOf(identity, { journal, bot });
    const as = await paidAsOf(plan, journal);
    if (journal === undefined) return { row, plan, equal: [], as };
    const besides = this.#order.paysRepeats === true ? 'all' : { rows: this.#ofName };
    const equal = await equalAhead(plan, identity, journal.reads, { bot, clock: journal.clock, besides });
    return { row, plan, equal, as };
  }

  async #judge({ row, plan, equal, as }: Look): Promise<Row> {
    const { recipients, inWords, equalInWords, now } = this.#inputs;
    const { wanted } = row;
    const to =
      wanted.kind === 'message' || plan.is === 'already-done' ? undefined : wanted.request.to_address;
    const complaint = to === undefined ? undefined : recipients.complaint(to);
    if (complaint !== undefined) {
      const problem = inWords([complaint]);
      this.#bad.note(row, problem);
      return invalid(row, problem);
    }
    this.#warnOf(wanted);
    if (plan.is === 'name-taken') {
      this.#noteConflict(row, plan.entry);
      return plannedRow(row, 'taken', undefined, as);
    }
    const course = await this.#courseOf(wanted, plan, equal);
    const isNew = plan.is === 'new-entry' || plan.is === 'send-same-key';
    const planned = plannedRow(row, aheadOf(course), isNew ? undefined : plan.entry.id, as);
    if (course.is === 'send') course.reserve?.();
    if (course.is === 'refuse') planned.problem = this.#noteRefusal(row, course.failure);
    if (course.is === 'paid-already') {
      planned.equal = course.equal;
      planned.equalIds = course.ids;
      planned.problem = equalInWords(course.equal, now());
    }
    return planned;
  }

  #noteRefusal(row: ValidRow, failure: Failure): string {
    const problem = this.#inputs.refusalInWords(failure);
    this.#refusal ??= failure;
    this.#refused.note(row, problem);
    return problem;
  }

  #noteConflict(row: ValidRow, entry: Entry): void {
    const { bot, conflictInWords } = this.#inputs;
    if (entry.fingerprint !== row.identity.fingerprint) this.#taken.add(entry.fingerprint);
    if (entry.bot === bot.name) this.#conflicts.note(row, conflictInWords(entry, row.wanted));
    else this.#begunBy ??= entry.bot;
  }

  /** What a run would do with the row. A closed journal does not matter here: it stops the whole batch. */
  async #courseOf(wanted: Wanted, plan: Undecided, equal: readonly Entry[]): Promise<Course> {
    const policy = meaningOf(plan).sends === 'nothing' ? allowed : await this.#policyOn(wanted, plan.entry);
    // The equal payment may have used up the limit of the day. The row may be left out; if not, its claim asks the
    // policy again.
    const isSpentByEqual = policy.is === 'refused' && policy.failure.kind === 'day' && equal.length > 0;
    const answers = { policy: isSpentByEqual ? allowed : policy, closed: undefined, equal, isNamed: true };
    return decide(plan, answers);
  }

  /** The policies' answer about a transfer that would be sent. */
  async #policyOn(wanted: Wanted, entry: Entry | undefined): Promise<PolicyAnswer> {
    const { policies = [], proposes = false } = this.#order;
    if (wanted.kind === 'message') return allowed;
    const { bot, journal } = this.#inputs;
    const spend = spendOf(wanted.request, bot);
    const asked = { spend, entry, proposes, isShared: journal?.isShared === true };
    return spendWithin(policies, asked, this.#sums, this.#nowMs);
  }

  #warnOf(wanted: Wanted): void {
    const unknown = unknownAsset(wanted, this.#inputs.bot.own);
    // Keep each warning once, even if it applies to many rows.
    if (unknown !== undefined && this.#warnings.size < shownWarnings)
      this.#warnings.set(unknown.asset, unknown);
  }
}

type ValidRow = RowHead & { readonly wanted: Wanted; readonly identity: Identity };
type IdentifiedRow = ValidRow | Extract<InputRow, { readonly problem: string }>;
type Look = {
  readonly row: ValidRow;
  readonly plan: Plan;
  readonly equal: readonly Entry[];
  readonly as: Row['paidAs'];
};

function plannedRow(
  { line, id, columns, written, identity }: RowHead & Pick<Row, 'identity'>,
  ahead: RowAhead,
  entry: string | undefined,
  as: Row['paidAs'],
): Row {
  return {
    line,
    id,
    columns,
    written,
    identity,
    ahead,
    entry,
    paidAs: as,
    equal: undefined,
    equalIds: [],
    outcome: undefined,
    problem: undefined,
    sent: false,
  };
}

function invalid({ line, id, columns, written }: RowHead, problem: string): Row {
  const row = plannedRow(
    { line, id, columns, written, identity: undefined },
    'invalid',
    undefined,
    undefined,
  );
  row.problem = problem;
  return row;
}

function keyById(naming: Naming, { kind }: BatchOrder, { baseUrl }: Bot): string {
  return keyFor(naming, { baseUrl, kind }, '', () => '');
}

/** The entry under a row's id (an invalid row may have one too), and whether it is the row's own. */
export async function foundFor(
  { id, identity }: Row,
  { order, ...known }: BotAndJournal & { readonly order: BatchOrder },
): Promise<Plan> {
  const { journal, bot } = known;
  if (identity !== undefined) return planOf(identity, known);
  if (id === undefined || journal === undefined) return planOfNewJournal;
  const key = keyById(namedById(order.name, id), order, bot);
  const entry = await journal.reads.findByKey({ baseUrl: bot.baseUrl, kind: order.kind }, key);
  return entry === undefined ? planOfNewJournal : { is: 'name-taken', entry };
}

/** A row is always named, so its key needs no salt. */
const unsalted = { hashOf: (): string => '' };

async function planOf(identity: Identity, { journal, bot }: BotAndJournal): Promise<Plan> {
  if (journal === undefined) return planOfNewJournal;
  return makePlan(identity, { journal, bot, clock: journal.clock }, journal.reads);
}

async function paidAsOf({ entry }: Plan, journal: Journal | undefined): Promise<Row['paidAs']> {
  return entry && journal && paidAs(entry, journal.reads);
}

function aheadOf(course: Course): RowAhead {
  switch (course.is) {
    case 'send':
    // Rows that would be refused, or that equal a payment, are shown before anything is sent.
    case 'refuse':
    case 'paid-already':
      return 'to-send';
    case 'propose':
      return 'waiting';
    case 'hold':
      return 'held';
    default:
      return stateByEntry(course.entry);
  }
}

/** A row's payment in the form in which equal payments are compared. */
export function paymentOfRow(
  { identity }: Pick<Row, 'identity'>,
  { assetNames }: Pick<Bot, 'assetNames'>,
): string | undefined {
  return underEachName(identity?.payment, assetNames)[0];
}

/** Looks up again the rows that this process has not ended: other processes may have ended them. */
export async function lookAgain(rows: readonly RowToDo[], known: BotAndJournal): Promise<void> {
  for (let at = 0; at < rows.length; at += pageRows)
    await Promise.all(
      rows.slice(at, at + pageRows).map(async (row) => {
        const plan = await planOf(row.identity, known);
        const { is, entry } = plan;
        if (entry === undefined) row.outcome = 'not-sent';
        else row.outcome = is === 'name-taken' ? 'taken' : stateByEntry(entry);
        if (entry === undefined || is === 'name-taken') return;
        row.entry = entry.id;
        row.paidAs = await paidAsOf(plan, known.journal);
      }),
    );
}

/** A valid row that was not done before. */
export type RowToDo = Row & { readonly identity: Identity };

export function rowsToDo({ rows }: Pick<BatchPlan, 'rows'>): RowToDo[] {
  return rows.filter((row): row is RowToDo => row.identity !== undefined && row.ahead !== 'done');
}

/** Whether the row must still be sent, or waited for. */
export function isLeft({ ahead }: Pick<Row, 'ahead'>): boolean {
  return ahead === 'to-send' || ahead === 'sending';
}

/** How many rows this run must send or wait for. */
export function rowsLeft({ counts }: Pick<BatchPlan, 'counts'>): number {
  return counts['to-send'] + counts.sending;
}

/** Rows that this run would propose: they do not wait for approval yet. */
export function rowsToPropose({ rows }: Pick<BatchPlan, 'rows'>): Row[] {
  return rows.filter(({ ahead, entry }) => ahead === 'waiting' && entry === undefined);
}

export function equalRows({ rows }: Pick<BatchPlan, 'rows'>): readonly EqualRow[] {
  return rows.filter((row): row is EqualRow => row.equal !== undefined);
}

/** The row's payment; undefined if the row is not valid, or sends a message. */
export function paidBy({ identity }: Pick<Row, 'identity'>): TransferRequest | undefined {
  const wanted = identity?.order.wanted;
  return wanted?.kind === 'transfer' ? wanted.request : undefined;
}

const nothing: MinorUnits = { units: 0n, decimals: 0 };

/** Sums by asset. A row with an equal payment counts as left or unpaid only if `besides`: it is paid as well. */
export function totalsOf({ rows }: Pick<BatchPlan, 'rows'>, besides = true): ReadonlyMap<string, AssetTotal> {
  const totals = new Map<string, AssetTotal>();
  for (const row of rows) {
    const request = paidBy(row);
    if (request === undefined) continue;
    const amount = minorUnits(request.amount);
    const total = totals.get(request.asset) ?? { all: nothing, left: nothing, unpaid: nothing, now: nothing };
    totals.set(request.asset, total);
    total.all = addAmounts(total.all, amount);
    if (isLeft(row) && (besides || row.equal === undefined)) total.left = addAmounts(total.left, amount);
    if (row.sent && row.outcome === 'done') total.now = addAmounts(total.now, amount);
    // A row in doubt has an entry, and its money may have left the wallet already.
    if (row.ahead === 'to-send' && row.entry === undefined && (besides || row.equal === undefined))
      total.unpaid = addAmounts(total.unpaid, amount);
  }
  return totals;
}

/** The number of recipients, and the number of those that are paid more than once. */
export function recipientsOf({ rows }: Pick<BatchPlan, 'rows'>): Record<'distinct' | 'repeated', number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const to = paidBy(row)?.to_address;
    if (to !== undefined) addCount(counts, to);
  }
  const repeated = [...counts.values()].filter((times) => times > 1);
  return { distinct: counts.size, repeated: repeated.length };
}

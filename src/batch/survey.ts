import type { Bot } from '../once/connection.ts';
import { equalAhead } from '../once/engine/beforeClaim.ts';
import { equalWithinMs, mayPay } from '../once/engine/equal.ts';
import { type Identity, identify, makePlan, type Plan, planOfNewJournal } from '../once/engine/plan.ts';
import { meaningOf } from '../once/engine/planKinds.ts';
import { spendOf } from '../once/engine/spend.ts';
import { addressComplaint } from '../once/intent/address.ts';
import { keyFor, type Order } from '../once/intent/naming.ts';
import { inOneSpelling, spellingsOfPayment } from '../once/intent/spellings.ts';
import { isUnknownAsset } from '../once/intent/unusual.ts';
import {
  canonicalOf,
  fingerprint,
  paymentOfTransfer,
  type Wanted,
  type Warning,
} from '../once/intent/wanted.ts';
import type { EqualPayment, Intent, Journal } from '../once/journal/journal.ts';
import { needsApproval, type Refusal } from '../once/policy/policy.ts';
import { anotherIn, type Beyond, beyondAtFirst, standingsOf } from './beyond.ts';
import {
  type BatchOrder,
  checkRow,
  isGoodId,
  namedByBody,
  namedById,
  PolicySurvey,
  type RawRow,
  type RowNaming,
  requestOfRow,
} from './checkRow.ts';
import { batchFailure, complainOfRow, type RowComplaint } from './facts.ts';
import { Reasons } from './reasons.ts';
import { type EqualRows, equalRows, noEqualRows, type Sheet, type Standing } from './sheet.ts';
import { Tally } from './tally.ts';

type SurveyInputs = {
  readonly sheet: Sheet;
  readonly bot: Bot;
  /** Absent if there is no journal yet and none should be created. */
  readonly journal: Journal | undefined;
  readonly now: () => number;
  readonly interrupted: AbortSignal;
  /** Whether a template puts this column into the text. */
  readonly isSent: (title: string) => boolean;
  readonly refusalInWords: (refusal: Refusal) => string;
  readonly conflictInWords: (found: Intent, wanted: Wanted, bot: string) => string;
  /** Why a row with an equal payment is not sent. */
  readonly equalInWords: (equal: EqualPayment, nowMs: number) => string;
  /** Called once for each row that is not valid. */
  readonly inWords: (complaints: readonly RowComplaint[]) => string;
};

/** Everything that is known about a batch before its first request. */
export type Survey = {
  readonly rows: number;
  readonly tally: Tally;
  /** Rows that the journal has under this name but that are missing from the input. */
  readonly lacking: number;
  /** Another bot, to which the name belongs. */
  readonly begunBy: string | undefined;
  readonly bad: Reasons;
  /** Amounts are written like 1,5, and none like 1.5: those that are valid are the whole ones, not all that is meant. */
  readonly hasCommas: boolean;
  /** Rows whose ids stand for something else. */
  readonly conflicts: Reasons;
  /** Whether some of them are taken by other requests of this bot. */
  readonly hasOtherBodies: boolean;
  /** Rows that a policy refuses, and the first refusal. */
  readonly refused: Reasons;
  readonly refusal: Refusal | undefined;
  readonly warnings: readonly Warning[];
  /** Columns that are kept with their rows, as the file calls them, and those of them that are not sent. */
  readonly columns: readonly string[];
  readonly unsent: readonly string[];
  /** Rows that would be held when their turn comes: too old to send again, or for a person to approve. */
  readonly heldAhead: number;
  /** Rows equal to a payment that is not the entry of a row of this input. */
  readonly equal: EqualRows;
};

const shownWarnings = 20;
/** No file of people has as many. */
const mostTitles = 1000;

/** Reads and checks the whole input, and looks up every row in the journal. Sends and records nothing. */
export async function survey(
  rows: AsyncIterable<RawRow>,
  order: BatchOrder,
  inputs: SurveyInputs,
): Promise<Survey> {
  const inJournal = await standingsOf(order, inputs);
  const surveyor = new Surveyor(order, inputs, beyondAtFirst(inJournal, inputs));
  let page: RawRow[] = [];
  for await (const row of rows) {
    if (inputs.interrupted.aborted) throw batchFailure('interrupted', {});
    page.push(row);
    if (page.length < askedTogether) continue;
    await surveyor.take(page);
    page = [];
  }
  await surveyor.take(page);
  return { ...(await surveyor.survey()), begunBy: anotherIn(inJournal, inputs) };
}

// Look-ups that start together do not wait for each other.
const askedTogether = 256;

/** Addresses that may be paid, kept in memory: a few megabytes. */
const mostRemembered = 20_000;

/** A row as it was read, before it is looked up in the journal. */
type Read = {
  readonly ordinal: number;
  readonly line: number;
  readonly id: string | undefined;
  readonly columns: string | undefined;
} & (
  | { readonly is: 'repeated'; readonly id: string; readonly complaints: readonly RowComplaint[] }
  | { readonly is: 'invalid'; readonly complaints: readonly RowComplaint[] }
  | { readonly is: 'row'; readonly wanted: Wanted; readonly naming: RowNaming }
);

type Seen = {
  readonly found: Intent | undefined;
  readonly planned: { readonly identity: Identity; readonly plan: Plan } | undefined;
  readonly equal?: Intent | undefined;
  /** What is known about its recipient. */
  readonly spending?: Awaited<ReturnType<PolicySurvey['ask']>> | undefined;
};

class Surveyor {
  readonly #order: BatchOrder;
  readonly #inputs: SurveyInputs;
  readonly #beyond: Beyond;
  readonly #tally: Tally;
  readonly #bad = new Reasons();
  readonly #conflicts = new Reasons();
  readonly #refused = new Reasons();
  readonly #warnings = new Map<string, Warning>();
  readonly #policy: PolicySurvey | undefined;
  #refusal: Refusal | undefined;
  readonly #passed = new Set<string>();
  /** The columns that are kept, as the file calls them. */
  readonly #titles = new Set<string>();
  #hasEqual = false;
  #hasOtherBodies = false;
  #hasCommas = false;
  #hasDots = false;
  #rows = 0;
  #heldAhead = 0;

  constructor(order: BatchOrder, inputs: SurveyInputs, beyond: Beyond) {
    this.#order = order;
    this.#inputs = inputs;
    this.#beyond = beyond;
    this.#tally = new Tally(inputs.sheet, inputs.bot.spellings);
    const { journal, now } = inputs;
    const { policies } = order;
    this.#policy =
      policies === undefined || order.kind === 'message'
        ? undefined
        : new PolicySurvey({
            policies,
            reads: journal?.reads,
            nowMs: journal?.clock.now() ?? now(),
          });
  }

  async survey(): Promise<Omit<Survey, 'begunBy'>> {
    const { sheet } = this.#inputs;
    await this.#compareWithOwn();
    return {
      rows: this.#rows,
      tally: this.#tally,
      lacking: this.#beyond.lacking,
      bad: this.#bad,
      hasCommas: this.#hasCommas && !this.#hasDots,
      conflicts: this.#conflicts,
      hasOtherBodies: this.#hasOtherBodies,
      refused: this.#refused,
      refusal: this.#refusal,
      warnings: [...this.#warnings.values()],
      columns: [...this.#titles],
      heldAhead: this.#heldAhead,
      unsent: [...this.#titles].filter((title) => !this.#inputs.isSent(title)),
      equal: this.#hasEqual ? equalRows(sheet) : noEqualRows,
    };
  }

  async take(page: readonly RawRow[]): Promise<void> {
    const read = page.map((row) => this.#read(row));
    const seen = await Promise.all(read.map((row) => this.#ask(row)));
    for (const [index, row] of read.entries()) this.#add(row, seen[index]);
  }

  #read(row: RawRow): Read {
    this.#rows += 1;
    const given = 'fields' in row ? row.fields.id : row.id;
    this.#hasDots ||= 'fields' in row && `${row.fields.amount}`.includes('.');
    const id = isGoodId(given) ? given : undefined;
    const read = { ordinal: this.#rows, line: row.line, id, columns: this.#keptOf(row) };
    const checked = 'complaints' in row ? row : checkRow(row, this.#order.kind, this.#order.policies);
    const complaints = 'complaints' in checked ? this.#withRecipient(row, checked.complaints) : [];
    if (id !== undefined && !this.#inputs.sheet.takeId(id, this.#rows))
      return { ...read, is: 'repeated', id, complaints };
    if ('complaints' in checked) return { ...read, is: 'invalid', complaints };
    const naming = this.#namingOf(checked.wanted, checked.id);
    return { ...read, is: 'row', id: checked.id, wanted: checked.wanted, naming };
  }

  /** Everything that is wrong with a row, so that it can be fixed in one go. */
  #withRecipient(row: RawRow, complaints: readonly RowComplaint[]): readonly RowComplaint[] {
    const to = 'fields' in row && this.#order.kind === 'transfer' ? row.fields.to_address : undefined;
    if (typeof to !== 'string' || complaints.some(({ field }) => field === 'to_address')) return complaints;
    const complaint = to.startsWith('@') ? undefined : this.#recipient(to);
    return complaint === undefined ? complaints : [...complaints, complaint];
  }

  #keptOf({ columns }: RawRow): string | undefined {
    if (columns === undefined) return undefined;
    for (const title of Object.keys(columns)) if (this.#titles.size < mostTitles) this.#titles.add(title);
    return JSON.stringify(columns);
  }

  async #ask(row: Read): Promise<Seen> {
    if (row.is === 'row') {
      const planned = await this.#look({ wanted: row.wanted, naming: row.naming });
      const [spending, equal] = await Promise.all([
        this.#askOfSpending(row.wanted, planned.plan),
        this.#askOfEqual(row.wanted, planned),
      ]);
      return { found: planned.plan.found, planned, spending, equal };
    }
    // An invalid row may be one that the journal knows. It is not missing from the input then.
    const found = row.is === 'invalid' && row.id !== undefined ? await this.#findById(row.id) : undefined;
    return { found, planned: undefined };
  }

  async #askOfSpending(wanted: Wanted, plan: Plan): Promise<Seen['spending']> {
    if (wanted.kind === 'message' || !isToBeSent(plan)) return undefined;
    return this.#policy?.ask(spendOf(wanted.request, this.#inputs.bot));
  }

  /** What other names paid, or none. A proposal is asked about when it is sent. */
  async #askOfEqual(
    wanted: Wanted,
    { identity, plan }: NonNullable<Seen['planned']>,
  ): Promise<Intent | undefined> {
    const { journal, bot } = this.#inputs;
    const { name, paysRepeats } = this.#order;
    if (journal === undefined || paysRepeats === true || this.#waits(wanted, plan)) return undefined;
    const { clock } = journal;
    return equalAhead(plan, identity, { journal, bot, clock, repeats: { besides: name } });
  }

  /** What this name paid by rows that are not in the input. All of the input must have been read. */
  async #compareWithOwn(): Promise<void> {
    const { journal, bot, sheet } = this.#inputs;
    const { kind, name, paysRepeats } = this.#order;
    if (journal === undefined || kind === 'message' || paysRepeats === true || this.#beyond.lacking === 0)
      return;
    const sinceMs = journal.clock.now() - equalWithinMs;
    const paid = new Map<string | undefined, Intent>();
    for await (const intent of journal.reads.select({ batch: name, kind, limit: Number.MAX_SAFE_INTEGER }))
      if (intent.baseUrl === bot.baseUrl && mayPay(intent, sinceMs) && !sheet.hasIntent(intent.id))
        paid.set(spellingsOfPayment(intent.payment, bot.spellings)[0], intent);
    if (paid.size === 0) return;
    for (const row of sheet.rows()) {
      const request = row.standing === 'new' ? requestOfRow(row) : undefined;
      if (request === undefined || !('to_address' in request)) continue;
      const equal = paid.get(paymentOfTransfer(inOneSpelling(request, bot.spellings)));
      if (equal !== undefined) this.#markEqual(row.ordinal, equal);
    }
  }

  #add(row: Read, seen: Seen | undefined): void {
    const found = seen?.found;
    if (found?.namedBy === 'row' && found.name === this.#order.name) this.#beyond.take(found);
    if (row.is === 'repeated') this.#markRepeated(row, row.id, row.complaints);
    else if (row.is === 'invalid') this.#addInvalid(row, row.complaints);
    else if (seen?.planned !== undefined) this.#plan(row, seen.planned, seen.spending, seen.equal);
  }

  /** Checks only rows that would be sent: rows already done cost nothing. */
  #holdToPolicy(
    row: Read & { is: 'row' },
    spending: Seen['spending'],
    found: Intent | undefined,
  ): string | undefined {
    const { wanted } = row;
    if (this.#policy === undefined || wanted.kind === 'message' || spending === undefined) return undefined;
    const spend = spendOf(wanted.request, this.#inputs.bot);
    const refusal = this.#policy.judge(spend, spending, found);
    if (refusal === undefined) return undefined;
    this.#refusal ??= refusal;
    const reason = this.#inputs.refusalInWords(refusal);
    this.#refused.note(row, reason);
    return reason;
  }

  /** Reports each warning once, however many rows it applies to. */
  #warn(warning: Warning): void {
    if (this.#warnings.size < shownWarnings) this.#warnings.set(JSON.stringify(warning), warning);
  }

  #plan(
    row: Read & { is: 'row' },
    { identity, plan }: NonNullable<Seen['planned']>,
    spending: Seen['spending'],
    equal: Intent | undefined,
  ): void {
    const { ordinal, line, id, columns, wanted, naming } = row;
    const standing: Standing = meaningOf(plan).row;
    const complaint =
      standing === 'done' || wanted.kind === 'message'
        ? undefined
        : this.#recipient(wanted.request.to_address);
    if (complaint !== undefined) {
      this.#addInvalid(row, [complaint]);
      return;
    }
    for (const warning of wanted.warnings) this.#warn(warning);
    this.#warnOfAsset(wanted);
    if (this.#waits(wanted, plan)) this.#heldAhead += 1;
    if (plan.is === 'name-taken' && plan.found !== undefined) {
      const { bot, conflictInWords } = this.#inputs;
      this.#hasOtherBodies ||= plan.found.bot === bot.name;
      this.#conflicts.note(row, conflictInWords(plan.found, wanted, bot.name));
    }
    const problem = this.#holdToPolicy(row, spending, plan.found);
    this.#tally.add(standing, wanted.request);
    this.#inputs.sheet.add({
      ordinal,
      line,
      id,
      standing,
      row: naming.row,
      request: identity.canonical,
      intent: standing === 'new' || standing === 'conflict' ? undefined : plan.found?.id,
      problem,
      columns,
    });
    if (equal !== undefined) this.#markEqual(ordinal, equal);
  }

  #markEqual(ordinal: number, equal: Intent): void {
    const { sheet, now, equalInWords } = this.#inputs;
    this.#hasEqual = true;
    sheet.markEqual(ordinal, equal, equalInWords(equal, now()));
  }

  #namingOf(wanted: Wanted, id: string | undefined): RowNaming {
    const { name } = this.#order;
    if (id !== undefined) return namedById(name, id);
    const canonical = canonicalOf(wanted);
    return namedByBody(name, canonical, this.#inputs.sheet.countEqual(fingerprint(canonical)));
  }

  async #look(order: Order): Promise<{ identity: Identity; plan: Plan }> {
    const { journal, bot, now } = this.#inputs;
    if (journal !== undefined) {
      const identity = identify(order, bot, journal);
      const clock = { now };
      return { identity, plan: await makePlan(identity, { journal, bot, clock }, journal.reads) };
    }
    const identity = identify(order, bot, { hashOf: () => '' });
    return { identity, plan: planOfNewJournal };
  }

  #warnOfAsset({ kind, request }: Wanted): void {
    const { own = {} } = this.#inputs.bot;
    if (kind === 'message' || !isUnknownAsset(request.asset, own)) return;
    this.#warn({ is: 'unknown-asset', asset: request.asset, known: Object.keys(own.assets ?? {}) });
  }

  /** Whether the row would be held when its turn comes, before anything is sent. */
  #waits({ kind, request }: Wanted, plan: Plan): boolean {
    const { policies } = this.#order;
    if (policies === undefined || kind === 'message' || meaningOf(plan).row !== 'new') return false;
    return needsApproval(policies, spendOf(request, this.#inputs.bot));
  }

  /** The most expensive check, so it is skipped for rows already done. */
  #recipient(address: string): RowComplaint | undefined {
    // A payroll pays the same people repeatedly. Remembering an address costs a thousandth of the check.
    if (this.#passed.has(address)) return undefined;
    const complaint = addressComplaint(address, this.#order.recipients, this.#inputs.bot.own);
    if (this.#passed.size >= mostRemembered) this.#passed.clear();
    if (complaint === undefined) this.#passed.add(address);
    return complaint;
  }

  async #findById(id: string): Promise<Intent | undefined> {
    const { journal, bot } = this.#inputs;
    const { kind, name } = this.#order;
    const scope = { baseUrl: bot.baseUrl, kind };
    return journal?.reads.findByKey(
      scope,
      keyFor(namedById(name, id), scope, '', () => ''),
    );
  }

  /** It is unclear which of the two rows is meant, so neither is sent. */
  #markRepeated(row: Read, id: string, complaints: readonly RowComplaint[]): void {
    const { sheet } = this.#inputs;
    const first = sheet.firstWithId(id);
    const sameAs = (other: number): RowComplaint => complainOfRow('id', 'own-id', { alsoOfLine: other });
    if (first !== undefined && first.standing !== 'invalid') {
      this.#tally.takeBack(first.standing, requestOfRow(first));
      this.#tally.add('invalid', undefined);
      const reason = this.#inputs.inWords([sameAs(row.line)]);
      sheet.markInvalid(first.ordinal, reason);
      this.#bad.note({ line: first.line, id }, reason);
    }
    this.#addInvalid(row, [sameAs(first?.line ?? row.line), ...complaints]);
  }

  #addInvalid({ ordinal, line, id, columns }: Read, complaints: readonly RowComplaint[]): void {
    const problem = this.#inputs.inWords(complaints);
    this.#hasCommas ||= complaints.some(({ rule, value }) => rule === 'amount' && value === 'comma');
    this.#tally.add('invalid', undefined);
    this.#bad.note({ line, id }, problem);
    const rest = { standing: 'invalid', row: undefined, request: undefined, intent: undefined } as const;
    this.#inputs.sheet.add({ ordinal, line, id, columns, ...rest, problem });
  }
}

function isToBeSent(plan: Plan): boolean {
  const { row } = meaningOf(plan);
  return row === 'new' || row === 'unfinished';
}

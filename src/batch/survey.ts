import type { Bot } from '../once/connection.ts';
import { isProposal } from '../once/engine/approval.ts';
import { equalAhead } from '../once/engine/beforeClaim.ts';
import { equalWithinMs, mayPay } from '../once/engine/equal.ts';
import { type Identity, identify, makePlan, type Plan, planOfNewJournal } from '../once/engine/plan.ts';
import { meaningOf } from '../once/engine/planKinds.ts';
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
import type { Refusal } from '../policy/facts.ts';
import { needsApproval, refusedOnFile, type Spend } from '../policy/policy.ts';
import { spendOf } from '../policy/spend.ts';
import { anotherIn, type Beyond, beyondAtFirst, standingsOf } from './beyond.ts';
import {
  type BatchOrder,
  namedByBody,
  namedById,
  PolicySurvey,
  type Recipients,
  type RowNaming,
  requestOfRow,
} from './checkRow.ts';
import { batchFailure, type RowComplaint } from './facts.ts';
import type { FileFacts, InputRow, ReadFile, RowHead } from './readRows.ts';
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
  readonly recipients: Recipients;
  readonly refusalInWords: (refusal: Refusal) => string;
  readonly conflictInWords: (found: Intent, wanted: Wanted, bot: string) => string;
  /** Why a row with an equal payment is not sent. */
  readonly equalInWords: (equal: EqualPayment, nowMs: number) => string;
  /** Called once for each row that is not valid. */
  readonly inWords: (complaints: readonly RowComplaint[]) => string;
};

/** Everything that is known about a batch before its first request. */
export type Survey = FileFacts & {
  readonly rows: number;
  readonly tally: Tally;
  /** Rows that the journal has under this name but that are missing from the input. */
  readonly lacking: number;
  /** Another bot, to which the name belongs. */
  readonly begunBy: string | undefined;
  /** Rows whose ids stand for something else. */
  readonly conflicts: Reasons;
  /** Whether some of them are taken by other requests of this bot. */
  readonly hasOtherBodies: boolean;
  /** Rows that a policy refuses, and the first refusal. */
  readonly refused: Reasons;
  readonly refusal: Refusal | undefined;
  readonly warnings: readonly Warning[];
  /** Rows that do not wait yet, and would wait for a person's approval. */
  readonly waitsAhead: number;
  /** Rows equal to a payment that is not the entry of a row of this input. */
  readonly equal: EqualRows;
};

const shownWarnings = 20;

/** Looks up every row of a file in the journal. Sends and records nothing. */
export async function survey(
  { rows, ...file }: ReadFile,
  order: BatchOrder,
  inputs: SurveyInputs,
): Promise<Survey> {
  const inJournal = await standingsOf(order, inputs);
  const surveyor = new Surveyor(order, inputs, beyondAtFirst(inJournal, inputs), file.bad);
  for (let at = 0; at < rows.length; at += askedTogether) {
    if (inputs.interrupted.aborted) throw batchFailure('interrupted', {});
    await surveyor.take(rows.slice(at, at + askedTogether));
  }
  return { ...file, ...(await surveyor.survey()), rows: rows.length, begunBy: anotherIn(inJournal, inputs) };
}

// Look-ups that start together do not wait for each other.
const askedTogether = 256;

/** A row, before it is looked up in the journal. */
type Read = ValidRow | (RowHead & { readonly ordinal: number; readonly problem: string });
type ValidRow = RowHead & { readonly ordinal: number; readonly wanted: Wanted; readonly naming: RowNaming };

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
  readonly #bad: Reasons;
  readonly #conflicts = new Reasons();
  readonly #refused = new Reasons();
  readonly #warnings = new Map<string, Warning>();
  readonly #policy: PolicySurvey | undefined;
  #refusal: { readonly first: Refusal; readonly spend: Spend } | undefined;
  #hasEqual = false;
  #hasOtherBodies = false;
  #rows = 0;
  #waitsAhead = 0;

  constructor(order: BatchOrder, inputs: SurveyInputs, beyond: Beyond, bad: Reasons) {
    this.#bad = bad;
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

  async survey(): Promise<Omit<Survey, keyof FileFacts | 'rows' | 'begunBy'>> {
    const { sheet } = this.#inputs;
    await this.#compareWithOwn();
    return {
      tally: this.#tally,
      lacking: this.#beyond.lacking,
      conflicts: this.#conflicts,
      hasOtherBodies: this.#hasOtherBodies,
      refused: this.#refused,
      refusal: this.#refusal && (await this.#policy?.whenFree(this.#refusal.first, this.#refusal.spend)),
      warnings: [...this.#warnings.values()],
      waitsAhead: this.#waitsAhead,
      equal: this.#hasEqual ? equalRows(sheet) : noEqualRows,
    };
  }

  async take(page: readonly InputRow[]): Promise<void> {
    const read = page.map((row): Read => {
      this.#rows += 1;
      if ('problem' in row) return { ...row, ordinal: this.#rows };
      return { ...row, ordinal: this.#rows, naming: this.#namingOf(row.wanted, row.id) };
    });
    const seen = await Promise.all(read.map((row) => this.#ask(row)));
    for (const [index, row] of read.entries()) this.#add(row, seen[index]);
  }

  async #ask(row: Read): Promise<Seen> {
    if ('wanted' in row) {
      const planned = await this.#look({ wanted: row.wanted, naming: row.naming });
      const [spending, equal] = await Promise.all([
        this.#askOfSpending(row.wanted, planned.plan),
        this.#askOfEqual(row.wanted, planned),
      ]);
      return { found: planned.plan.found, planned, spending, equal };
    }
    // An invalid row may be one that the journal knows. It is not missing from the input then.
    const found = row.id !== undefined ? await this.#findById(row.id) : undefined;
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
    if (journal === undefined || paysRepeats === true || this.#wouldWait(wanted, plan)) return undefined;
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
    if ('problem' in row) this.#addInvalid(row, row.problem);
    else if (seen?.planned !== undefined) this.#plan(row, seen.planned, seen.spending, seen.equal);
  }

  /** Checks only rows that would be sent: rows already done cost nothing. */
  #holdToPolicy(
    row: ValidRow,
    spending: Seen['spending'],
    found: Intent | undefined,
    waits: boolean,
  ): string | undefined {
    const { wanted } = row;
    if (this.#policy === undefined || wanted.kind === 'message' || spending === undefined) return undefined;
    const spend = spendOf(wanted.request, this.#inputs.bot);
    const onFile = waits && this.#inputs.journal?.isShared !== true;
    const refusal =
      this.#policy.judge(spend, spending, found) ??
      (onFile ? refusedOnFile(this.#order.policies ?? []) : undefined);
    if (refusal === undefined) return undefined;
    this.#refusal ??= { first: refusal, spend };
    const reason = this.#inputs.refusalInWords(refusal);
    this.#refused.note(row, reason);
    return reason;
  }

  /** Reports each warning once, however many rows it applies to. */
  #warn(warning: Warning): void {
    if (this.#warnings.size < shownWarnings) this.#warnings.set(JSON.stringify(warning), warning);
  }

  #plan(
    row: ValidRow,
    { identity, plan }: NonNullable<Seen['planned']>,
    spending: Seen['spending'],
    equal: Intent | undefined,
  ): void {
    const { ordinal, line, id, columns, wanted, naming } = row;
    const waits = this.#wouldWait(wanted, plan);
    const standing = waits ? 'waiting' : standingOf(plan);
    const complaint =
      standing === 'done' || wanted.kind === 'message'
        ? undefined
        : this.#inputs.recipients.complaint(wanted.request.to_address);
    if (complaint !== undefined) {
      const problem = this.#inputs.inWords([complaint]);
      this.#bad.note(row, problem);
      this.#addInvalid(row, problem);
      return;
    }
    for (const warning of wanted.warnings) this.#warn(warning);
    this.#warnOfAsset(wanted);
    if (waits) this.#waitsAhead += 1;
    if (plan.is === 'name-taken' && plan.found !== undefined) {
      const { bot, conflictInWords } = this.#inputs;
      this.#hasOtherBodies ||= plan.found.bot === bot.name;
      this.#conflicts.note(row, conflictInWords(plan.found, wanted, bot.name));
    }
    const problem = this.#holdToPolicy(row, spending, plan.found, waits);
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

  /** Whether the row would wait for a person's approval when its turn comes. What is in doubt never does. */
  #wouldWait({ kind, request }: Wanted, plan: Plan): boolean {
    const { policies = [], proposes = false } = this.#order;
    if (kind === 'message' || meaningOf(plan).row !== 'new' || plan.found?.approved === true) return false;
    return proposes || needsApproval(policies, spendOf(request, this.#inputs.bot));
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

  #addInvalid({ ordinal, line, id, columns }: Omit<Read, 'problem'>, problem: string): void {
    this.#tally.add('invalid', undefined);
    const rest = { standing: 'invalid', row: undefined, request: undefined, intent: undefined } as const;
    this.#inputs.sheet.add({ ordinal, line, id, columns, ...rest, problem });
  }
}

function standingOf(plan: Plan): Standing {
  const { row } = meaningOf(plan);
  if (row !== 'held' || plan.found === undefined) return row;
  if (isProposal(plan.found)) return 'waiting';
  return plan.found.state === 'declined' ? 'declined' : row;
}

function isToBeSent(plan: Plan): boolean {
  const { row } = meaningOf(plan);
  return row === 'new' || row === 'unfinished';
}

import { hourOf } from '../intent/hours.ts';
import type { Intent, Reads } from '../journal/journal.ts';
import { addUnits, countedAsset, type PaidAddress, type Spending } from '../journal/spending.ts';
import { looksLike } from '../policy/lookalike.ts';
import { limitsADay, limitsRecipients, type Policies } from '../policy/policy.ts';
import {
  mayBeLookalike,
  type Refusal,
  refusedAsLookalike,
  refusedByDay,
  refusedByItself,
  type Spend,
} from '../policy/rules.ts';
import { oldestHour } from '../policy/window.ts';
import type { Sheet } from './sheet.ts';

/** What the journal says of whom a row pays, and of what was spent. */
type Known = { readonly paid: readonly PaidAddress[]; readonly spending: Spending | undefined };

type Inputs = {
  readonly policies: Policies;
  /** Absent where there is no journal yet. */
  readonly reads: Reads | undefined;
  readonly nowMs: number;
  readonly sheet: Sheet;
};

/** Of addresses: a few megabytes. */
const mostRemembered = 20_000;

/** All rows of a batch against the policies, as if each before it had been sent. */
export class PolicySurvey {
  readonly #inputs: Inputs;
  readonly #spending = new Map<string, Promise<Spending | undefined>>();
  /** Whom an earlier row pays, and who looks like nobody known: asked once. */
  readonly #passed = new Set<string>();

  constructor(inputs: Inputs) {
    this.#inputs = inputs;
  }

  async ask(spend: Spend): Promise<Known> {
    const { policies, reads } = this.#inputs;
    const spending = this.#spendingOf(spend);
    const isAsked = reads === undefined || !mayBeLookalike(policies, spend) || this.#passed.has(spend.to);
    return { paid: isAsked ? [] : await reads.paidLike(spend.to), spending: await spending };
  }

  #spendingOf({ asset, to }: Spend): Promise<Spending | undefined> {
    const { policies, reads, nowMs } = this.#inputs;
    if (!limitsADay(policies, asset)) return Promise.resolve(undefined);
    const recipient = limitsRecipients(policies, asset) ? to : undefined;
    const name = `${countedAsset(asset)} ${recipient ?? ''}`;
    const known = this.#spending.get(name);
    if (known !== undefined) return known;
    const scope = { asset, recipient, sinceHour: oldestHour(nowMs) };
    const asked = Promise.resolve(reads?.spending(scope) ?? nothingSpent()).then((spending) =>
      this.#withCommonTotal(asset, spending),
    );
    this.#spending.set(name, asked);
    return asked;
  }

  readonly #compared = new Set<string>();
  readonly #totals = new Map<string, Spending['total']>();

  /** Whoever a row pays, what it spends is spent of one sum. */
  #withCommonTotal(asset: string, spending: Spending): Spending {
    const total = this.#totals.get(countedAsset(asset)) ?? spending.total;
    this.#totals.set(countedAsset(asset), total);
    return { ...spending, total };
  }

  /** What is refused, if anything; what is not counts for the rows after it. */
  judge(spend: Spend, { paid, spending }: Known, found: Intent | undefined): Refusal | undefined {
    const { policies, nowMs } = this.#inputs;
    const refusal = refusedByItself(policies, spend) ?? this.#lookalike(spend, paid);
    if (refusal !== undefined || spending === undefined || countsAlready(found)) return refusal;
    const overDay = refusedByDay(policies, spend, { ...spending, sinceMs: spending.sinceMs ?? nowMs }, nowMs);
    if (overDay !== undefined) return overDay;
    addUnits(spending.total, hourOf(nowMs), spend.units);
    addUnits(spending.toRecipient, hourOf(nowMs), spend.units);
    return undefined;
  }

  #lookalike(spend: Spend, paid: Known['paid']): Refusal | undefined {
    const { policies, nowMs } = this.#inputs;
    if (this.#passed.has(spend.to)) return undefined;
    const refusal = refusedAsLookalike(policies, spend, paid, nowMs);
    if (refusal === undefined && this.#passed.size < mostRemembered) this.#passed.add(spend.to);
    return refusal;
  }

  /** An address of an earlier row that this one is not, and looks like; told of once. */
  likeEarlier({ to }: Spend): string | undefined {
    if (this.#compared.has(to)) return undefined;
    if (this.#compared.size < mostRemembered) this.#compared.add(to);
    return this.#inputs.sheet.recipientsLike(to).find((other) => looksLike(to, other));
  }
}

function nothingSpent(): Spending {
  return { sinceMs: undefined, total: new Map(), toRecipient: new Map() };
}

function countsAlready(found: Intent | undefined): boolean {
  return found?.state === 'unknown' || found?.state === 'sending';
}

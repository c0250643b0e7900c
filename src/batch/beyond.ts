import type { Bot } from '../once/connection.ts';
import { amountOf, readPayment } from '../once/intent/amount.ts';
import type { BatchInput, Intent, Journal, RowsStanding } from '../once/journal/journal.ts';
import type { BatchOrder } from './checkRow.ts';

/** What the journal has under a batch's name: all of it at first, and in the end only what is beyond the input. */
export class Beyond {
  readonly inJournal: number;
  readonly #countedAtMs: number;
  readonly #units = new Map<string, bigint>();
  #known = 0;
  #same = 0;

  constructor(groups: readonly RowsStanding[], countedAtMs: number) {
    this.#countedAtMs = countedAtMs;
    this.inJournal = groups.reduce((sum, { rows }) => sum + rows, 0);
    for (const { paid, ...group } of groups)
      if (paid !== undefined && mayHavePaid(group)) this.#add(paid.asset, paid.units);
  }

  /** Takes away a row of the input. It stays beyond it, if the input gives its id to something else. */
  take(found: Intent, isSame: boolean): void {
    // Begun since by another process.
    if (found.createdAtMs > this.#countedAtMs) return;
    this.#known += 1;
    if (!isSame) return;
    this.#same += 1;
    if (found.payment === undefined || !mayHavePaid(found)) return;
    const { asset, units } = readPayment(found.payment);
    this.#add(asset, -units);
  }

  #add(asset: string, units: bigint): void {
    this.#units.set(asset, (this.#units.get(asset) ?? 0n) + units);
  }

  /** Rows whose ids are not in the input at all. */
  get lacking(): number {
    return Math.max(0, this.inJournal - this.#known);
  }

  get left(): BatchInput['beyond'] {
    const paid = [...this.#units].filter(([, units]) => units > 0n);
    const totals = paid.map(([asset, units]) => ({ asset, amount: amountOf(units) }));
    return { rows: Math.max(0, this.inJournal - this.#same), totals };
  }
}

function mayHavePaid({ state, resolvedAs }: Pick<Intent, 'state' | 'resolvedAs'>): boolean {
  return ['accepted', 'sending', 'unknown', 'held'].includes(state) || resolvedAs === 'happened';
}

type Sought = { readonly bot: Bot; readonly journal: Journal | undefined };

/** What the journal has under this batch's name. */
export async function standingsOf(
  { kind, name }: Pick<BatchOrder, 'kind' | 'name'>,
  { journal, bot }: Sought,
): Promise<RowsStanding[]> {
  const groups = (await journal?.reads.rowsStanding(name)) ?? [];
  return groups.filter((group) => group.kind === kind && group.baseUrl === bot.baseUrl);
}

/** The bot that began it, if this one has begun none of it. */
export function anotherIn(groups: readonly RowsStanding[], { bot: { name } }: Sought): string | undefined {
  return groups.some(({ bot }) => bot === name) ? undefined : groups[0]?.bot;
}

export function beyondAtFirst(own: readonly RowsStanding[], { journal }: Sought): Beyond {
  const nowMs = journal?.clock.now() ?? 0;
  // A clock that was set back is behind what these rows were written by.
  return new Beyond(own, Math.max(nowMs, ...own.map(({ updatedAtMs }) => updatedAtMs)));
}

import type { Bot } from '../once/connection.ts';
import type { Intent, Journal, RowsStanding } from '../once/journal/journal.ts';
import type { BatchOrder } from './checkRow.ts';

/** What the journal has under a batch's name: all of it at first, and in the end only what is beyond the input. */
export class Beyond {
  readonly inJournal: number;
  readonly #countedAtMs: number;
  readonly #known = new Set<string>();

  constructor(groups: readonly RowsStanding[], countedAtMs: number) {
    this.#countedAtMs = countedAtMs;
    this.inJournal = groups.reduce((sum, { rows }) => sum + rows, 0);
  }

  /** Takes away a row of the input, unless another process has begun it since. */
  take({ id, createdAtMs }: Intent): void {
    if (createdAtMs <= this.#countedAtMs) this.#known.add(id);
  }

  /** Rows whose ids are not in the input at all. */
  get lacking(): number {
    return Math.max(0, this.inJournal - this.#known.size);
  }
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

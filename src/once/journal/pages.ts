// SQL: the pages of a selection.
import { countedAsset } from '../entry/amount.ts';
import { type Dialect, statementIn } from './dialect.ts';
import type { Entry, Selection } from './journal.ts';
import type { Ask, JournalRow, Values } from './rows.ts';
import { derived, recipientIn } from './schema.ts';

const pageLength = 500;

/**
 * Reads a page at a time by an index, so that nothing is kept open between pages. `beforeNext` runs between pages and
 * may throw to stop.
 */
export async function* select(
  selection: Selection,
  dialect: Dialect,
  ask: Ask,
  toEntry: (row: JournalRow) => Entry,
  beforeNext: () => Promise<void>,
): AsyncGenerator<Entry> {
  let place: PageEnd | undefined = edgeOf(selection);
  for (let left = selection.limit; left > 0; ) {
    const length = Math.min(left, pageLength);
    const rows = await pageOf(selection, { ...valuesOf(selection), ...place, length }, dialect, ask);
    for (const row of rows) yield toEntry(row);
    const end = rows.at(-1);
    if (end === undefined || rows.length < length) return;
    await beforeNext();
    place = { lastAt: Number(end.created_at), last: Number(end.seq) };
    left -= rows.length;
  }
}

/** Where a page ends: the time and the number of its last entry. The first page begins at the edge. */
type PageEnd = { readonly lastAt: number; readonly last: number };

function edgeOf({ oldestFirst, sinceMs, untilMs }: Selection): PageEnd | undefined {
  const edge = oldestFirst === true ? sinceMs : untilMs;
  if (edge === undefined) return undefined;
  return { lastAt: edge, last: oldestFirst === true ? 0 : Number.MAX_SAFE_INTEGER };
}

function valuesOf({ batch, name, to, asset, kind, oldestFirst, sinceMs, untilMs }: Selection): Values {
  return {
    ...{ name: batch ?? name, to, kind },
    far: oldestFirst === true ? untilMs : sinceMs,
    asset: asset === undefined ? undefined : countedAsset(asset),
  };
}

type Page = Values & { readonly length: number };

/** Uses the index that should find the fewest rows. Most entries are accepted, so few have other states. */
async function pageOf(
  selection: Selection,
  page: Page,
  dialect: Dialect,
  ask: Ask,
): Promise<readonly JournalRow[]> {
  const { states, batch, name, to, kind } = selection;
  const conditions = new Conditions(selection, page.lastAt !== undefined, dialect);
  const rowsOf = (text: string) => ask(statementIn(dialect, text), page);
  if (states?.length === 0) return [];
  if (states !== undefined && !states.includes('accepted')) return rowsOf(conditions.byStates(states));
  if (to !== undefined) return rowsOf(conditions.paidTo());
  if (batch !== undefined || name !== undefined) return rowsOf(conditions.along('name'));
  return rowsOf(kind === undefined ? conditions.inOrder() : conditions.along('kind'));
}

type Column = 'name' | 'kind';

/** The conditions of a selection. `+ 0` prevents the use of an index. */
class Conditions {
  readonly #selection: Selection;
  readonly #after: '<' | '>';
  readonly #way: 'ASC' | 'DESC';
  /** Whether the page begins at a given time: at an edge, or where the page before ended. */
  readonly #goesOn: boolean;
  readonly #dialect: Dialect;

  constructor(selection: Selection, goesOn: boolean, dialect: Dialect) {
    this.#selection = selection;
    this.#goesOn = goesOn;
    this.#dialect = dialect;
    [this.#after, this.#way] = selection.oldestFirst === true ? ['>', 'ASC'] : ['<', 'DESC'];
  }

  get #states(): string {
    return `IN (${(this.#selection.states ?? []).map((state) => `'${state}'`).join(', ')})`;
  }

  get #entries(): string {
    return this.#dialect.table('entries');
  }

  /** All conditions except the time and the one that the chosen index covers. */
  #being(led?: Column | 'states' | 'to'): string[] {
    const { batch, name, to, kind, states, asset } = this.#selection;
    const isNamed = batch !== undefined || name !== undefined;
    const { unindexed, position } = this.#dialect;
    const all: readonly (string | false)[] = [
      batch !== undefined && `${unindexed('named_by')} = 'row'`,
      isNamed && led !== 'name' && `${unindexed('name')} = :name`,
      to !== undefined && led !== 'to' && `${recipientIn(position, unindexed('payment'))} = :to`,
      kind !== undefined && led !== 'kind' && `${unindexed('kind')} = :kind`,
      states !== undefined && led !== 'states' && `${unindexed('state')} ${this.#states}`,
      asset !== undefined && `${unindexed('asset')} = :asset`,
    ];
    return all.filter((one) => one !== false);
  }

  get #isFar(): boolean {
    const { oldestFirst, sinceMs, untilMs } = this.#selection;
    return (oldestFirst === true ? untilMs : sinceMs) !== undefined;
  }

  get #upTo(): string {
    return this.#after === '<' ? '>=' : '<=';
  }

  #time(): string[] {
    return [
      ...(this.#goesOn ? [`(created_at, seq) ${this.#after} (:lastAt, :last)`] : []),
      ...(this.#isFar ? [`created_at ${this.#upTo} :far`] : []),
    ];
  }

  #page(
    where: readonly string[],
    columns: readonly string[],
    what = `${this.#dialect.withOwner('entries')}, ${derived(this.#dialect.table('decisions'))}`,
  ): string {
    const order = [...columns, 'seq'].map((column) => `${column} ${this.#way}`).join(', ');
    const all = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
    return `SELECT ${what} FROM ${this.#entries} ${all} ORDER BY ${order} LIMIT :length`;
  }

  inOrder(): string {
    return this.#page([...this.#time(), ...this.#being()], ['created_at']);
  }

  /** The rows with this value of a column, by its index. With `=`, the planner may choose the index of times instead. */
  along(column: Column): string {
    const value = `:${column}`;
    const far = this.#isFar
      ? `(${column}, created_at) ${this.#upTo} (${value}, :far)`
      : `${column} ${this.#upTo} ${value}`;
    const here = this.#goesOn
      ? `(${column}, created_at, seq) ${this.#after} (${value}, :lastAt, :last)`
      : `${column} ${this.#after}= ${value}`;
    const where = [here, far, `${column} IS NOT NULL`, ...this.#being(column)];
    return this.#page(where, [column, 'created_at']);
  }

  /** SQLite cannot compare row values by an index on an expression. */
  paidTo(): string {
    const there = `${recipientIn(this.#dialect.position)} = :to`;
    const where = [there, 'payment IS NOT NULL', ...this.#time(), ...this.#being('to')];
    return this.#page(where, ['created_at']);
  }

  /** Reads at most one page of each state. */
  byStates(states: readonly string[]): string {
    const each = states.map((state, n) => {
      const where = [`state = '${state}'`, `state <> 'accepted'`, ...this.#time(), ...this.#being('states')];
      return `SELECT seq FROM (${this.#page(where, ['created_at'], 'seq')}) AS of_${n}`;
    });
    return this.#page([`seq IN (${each.join(' UNION ALL ')})`], ['(created_at + 0)']);
  }
}

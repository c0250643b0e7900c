// SQL: the pages of a selection.
import { countedAsset } from '../intent/amount.ts';
import type { Intent, Selection } from './journal.ts';
import type { Ask, JournalRow, Values } from './rows.ts';

const pageLength = 500;

/** How many intents in order are looked at one by one for a name's beginning, and how many may be unfinished. */
const looked = 20_000;

/** At most this many names are looked up one by one. */
const fewNames = 50;

/** Reads a page at a time by an index, so that nothing is kept open between pages. */
export async function* select(
  selection: Selection,
  ask: Ask,
  toIntent: (row: JournalRow) => Intent,
): AsyncGenerator<Intent> {
  let place: Place | undefined = edgeOf(selection);
  for (let left = selection.limit; left > 0; ) {
    const length = Math.min(left, pageLength);
    const rows = await pageOf(selection, { ...valuesOf(selection), ...place, length }, ask);
    for (const row of rows) yield toIntent(row);
    const end = rows.at(-1);
    if (end === undefined || rows.length < length) return;
    place = { lastAt: Number(end.created_at), last: Number(end.seq) };
    left -= rows.length;
  }
}

/** Where a page ends: the time and the number of its last intent. The first page begins at the edge. */
type Place = { readonly lastAt: number; readonly last: number };

function edgeOf({ oldestFirst, sinceMs, untilMs }: Selection): Place | undefined {
  const edge = oldestFirst === true ? sinceMs : untilMs;
  if (edge === undefined) return undefined;
  return { lastAt: edge, last: oldestFirst === true ? 0 : Number.MAX_SAFE_INTEGER };
}

function valuesOf({
  batch,
  to,
  asset,
  nameStart,
  bot,
  kind,
  oldestFirst,
  sinceMs,
  untilMs,
}: Selection): Values {
  return {
    ...{ batch, to, bot, kind, nameStart },
    far: oldestFirst === true ? untilMs : sinceMs,
    behind: nameStart === undefined ? undefined : `${nameStart}\u{10ffff}`,
    asset: asset === undefined ? undefined : countedAsset(asset),
  };
}

type Page = Values & { readonly length: number };

/** The narrowest condition with an index is taken. Intents that are not accepted are mostly few. */
async function pageOf(selection: Selection, page: Page, ask: Ask): Promise<readonly JournalRow[]> {
  const { states, batch, to, nameStart, bot, kind } = selection;
  const terms = new Terms(selection, page.lastAt !== undefined);
  if (states?.length === 0) return [];
  const isNamed = batch !== undefined || to !== undefined || nameStart !== undefined;
  if (states !== undefined && !states.includes('accepted')) {
    const few = `SELECT count(*) AS count FROM (SELECT seq FROM intents
      WHERE ${terms.states} AND state <> 'accepted' LIMIT ${looked + 1}) AS unfinished`;
    if (!isNamed || Number((await ask(few, page))[0]?.count) <= looked)
      return ask(terms.byStates(states), page);
  }
  if (to !== undefined) return ask(terms.paidTo(), page);
  if (batch !== undefined) return ask(terms.along('name', ':batch'), page);
  if (nameStart !== undefined) return beginningOfNames(terms, page, ask);
  if (bot !== undefined) return ask(terms.along('bot', ':bot'), page);
  if (kind !== undefined) return ask(terms.along('kind', ':kind'), page);
  return ask(terms.inOrder(), page);
}

/**
 * The index of names is not in order of time. So the next intents are looked at first. If they fill no page, each name is
 * looked up if there are few (a batch has one for all its rows), else all that match are sorted.
 */
async function beginningOfNames(terms: Terms, page: Page, ask: Ask): Promise<readonly JournalRow[]> {
  const next = await ask(terms.amongTheNext(), page);
  if (next.length === page.length) return next;
  const names = await ask(terms.names, page);
  if (names.length > fewNames) return ask(terms.byNames(), page);
  const ofOne = terms.along('name', ':name', 'seq, created_at');
  const found = await Promise.all(names.map(({ name }) => ask(ofOne, { ...page, name: String(name) })));
  const inOrder = found.flat().sort(terms.order).slice(0, page.length);
  const bySeq = 'SELECT intents.* FROM intents WHERE seq = :seq';
  return (await Promise.all(inOrder.map(({ seq }) => ask(bySeq, { seq: Number(seq) })))).flat();
}

type Column = 'name' | 'bot' | 'kind';

/** The conditions of a selection. `|| ''` and `+ 0` keep an index out of the question. */
class Terms {
  readonly #selection: Selection;
  readonly #after: '<' | '>';
  readonly #way: 'ASC' | 'DESC';
  /** Whether it goes on behind a place. */
  readonly #goesOn: boolean;

  constructor(selection: Selection, goesOn: boolean) {
    this.#selection = selection;
    this.#goesOn = goesOn;
    [this.#after, this.#way] = selection.oldestFirst === true ? ['>', 'ASC'] : ['<', 'DESC'];
  }

  get states(): string {
    return `state IN (${(this.#selection.states ?? []).map((state) => `'${state}'`).join(', ')})`;
  }

  readonly order = (left: JournalRow, right: JournalRow): number => {
    const later = Number(left.created_at) - Number(right.created_at) || Number(left.seq) - Number(right.seq);
    return this.#way === 'ASC' ? later : -later;
  };

  /** Everything but the time, and but what the index that leads has already. */
  #being(led?: Column | 'nameStart' | 'states' | 'to'): string[] {
    const { batch, nameStart, to, kind, bot, states, asset } = this.#selection;
    const all: readonly (string | false)[] = [
      batch !== undefined && `(named_by || '') = 'row'`,
      batch !== undefined && led !== 'name' && `(name || '') = :batch`,
      nameStart !== undefined &&
        led !== 'name' &&
        led !== 'nameStart' &&
        `(name || '') >= :nameStart AND (name || '') < :behind`,
      to !== undefined && led !== 'to' && isPaidTo(`(payment || '')`),
      kind !== undefined && led !== 'kind' && `(kind || '') = :kind`,
      bot !== undefined && led !== 'bot' && `(bot || '') = :bot`,
      states !== undefined && led !== 'states' && this.states.replace('state', `(state || '')`),
      asset !== undefined && `(asset || '') = :asset`,
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

  #time(createdAt = 'created_at'): string[] {
    return [
      ...(this.#goesOn ? [`(${createdAt}, seq) ${this.#after} (:lastAt, :last)`] : []),
      ...(this.#isFar ? [`${createdAt} ${this.#upTo} :far`] : []),
    ];
  }

  #page(where: readonly string[], columns: readonly string[], what = 'intents.*'): string {
    const order = [...columns, 'seq'].map((column) => `${column} ${this.#way}`).join(', ');
    return `SELECT ${what} FROM intents ${where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`} ORDER BY ${order} LIMIT :length`;
  }

  inOrder(): string {
    return this.#page([...this.#time(), ...this.#being()], ['created_at']);
  }

  /** The rows with this value of a column, by its index. With plain equality, that of times looks equally good. */
  along(column: Column, value: string, what?: string): string {
    const far = this.#isFar
      ? `(${column}, created_at) ${this.#upTo} (${value}, :far)`
      : `${column} ${this.#upTo} ${value}`;
    const here = this.#goesOn
      ? `(${column}, created_at, seq) ${this.#after} (${value}, :lastAt, :last)`
      : `${column} ${this.#after}= ${value}`;
    const where = [here, far, `${column} IS NOT NULL`, ...this.#being(column)];
    return this.#page(where, [column, 'created_at'], what);
  }

  /** Of each state as many as a page has. */
  byStates(states: readonly string[]): string {
    const each = states.map((state, n) => {
      const where = [`state = '${state}'`, `state <> 'accepted'`, ...this.#time(), ...this.#being('states')];
      return `SELECT seq FROM (${this.#page(where, ['created_at'], 'seq')}) AS of_${n}`;
    });
    return this.#page([`seq IN (${each.join(' UNION ALL ')})`], ['(created_at + 0)']);
  }

  /** The index of payments is not in order of time, but few go to one address. */
  paidTo(): string {
    const where = [
      isPaidTo('payment'),
      'payment IS NOT NULL',
      ...this.#time('(created_at + 0)'),
      ...this.#being('to'),
    ];
    return this.#page(where, ['(created_at + 0)']);
  }

  amongTheNext(): string {
    const next = this.#page(this.#time(), ['created_at'], 'seq').replace(':length', String(looked));
    return this.#page([`seq IN (${next})`, ...this.#being()], ['(created_at + 0)']);
  }

  /** Each name is found from the one before it. */
  get names(): string {
    const next = (from: string): string => `(SELECT name FROM intents WHERE name IS NOT NULL AND ${from}
      AND name < :behind ORDER BY name LIMIT 1)`;
    return `WITH RECURSIVE names (name) AS (SELECT ${next('name >= :nameStart')}
      UNION ALL SELECT ${next('intents.name > names.name')} FROM names WHERE names.name IS NOT NULL)
      SELECT name FROM names WHERE name IS NOT NULL LIMIT ${fewNames + 1}`;
  }

  byNames(): string {
    const where = ['name >= :nameStart', 'name < :behind', 'name IS NOT NULL'];
    return this.#page(
      [...where, ...this.#time('(created_at + 0)'), ...this.#being('nameStart')],
      ['(created_at + 0)'],
    );
  }
}

function isPaidTo(payment: string): string {
  return `${payment} >= '["' || :to || '",' AND ${payment} < '["' || :to || '"-'`;
}

import type { Selection } from '../journal.ts';

type Bindings = Record<string, number | string>;

type Query = {
  readonly sql: string;
  readonly bindings: Bindings;
  /** Counts what this way is for, which must be at most so much; then what it finds is all there is. */
  readonly suits?: { readonly sql: string; readonly most: number };
};

/** How many in order are looked at one by one for a beginning of a name, or for where they stand. */
const looked = 20_000;

const thisLast = '(SELECT created_at, seq FROM intents WHERE seq = :last)';

/** So few names are asked one by one. */
const fewNames = 50;

/** Each name that begins so, found from the one before it. */
const names = `WITH RECURSIVE names (name) AS (
  SELECT min(name) FROM intents WHERE name >= :nameStart AND name < :nameStart || char(1114111)
  UNION ALL SELECT (SELECT min(later.name) FROM intents later
    WHERE later.name > names.name AND later.name < :nameStart || char(1114111))
  FROM names WHERE names.name IS NOT NULL LIMIT ${fewNames + 2})`;

/**
 * The ways to a page of a selection: at most `length` numbers of intents after the last of the page before, in their
 * order. How a name begins is no order of time: it is looked for among the next. Where these fill no page, each of the
 * names is asked, if they are few (a batch has one for all its rows), or else all that begin so are sorted.
 */
export function pageQueries(
  selection: Selection,
  last: number | undefined,
  length: number,
): readonly Query[] {
  const byState = waysByState(selection, last, length);
  return [...byState, ...waysBy(conditionsOf(selection), selection, last, length)];
}

/** What stands nowhere near its end is few, mostly, whatever else it is: where it is, that way is enough. */
function waysByState(selection: Selection, last: number | undefined, length: number): readonly Query[] {
  const { states, batch, to, nameStart } = selection;
  if (states === undefined || states.includes('accepted')) return [];
  if (batch === undefined && to === undefined && nameStart === undefined) return [];
  const { sql } = stateCondition(states);
  const counted = `SELECT count(*) AS count FROM (SELECT 1 FROM intents WHERE ${sql('')} LIMIT ${looked + 1})`;
  const suits = { sql: counted, most: looked };
  return waysBy(conditionsOf(selection, 'states'), selection, last, length).map((way) => ({ ...way, suits }));
}

function waysBy(
  { where, drivenBy, bindings }: Conditions,
  selection: Selection,
  last: number | undefined,
  length: number,
): readonly Query[] {
  const page = { ...bindings, ...(last === undefined ? {} : { last }), length };
  const [after, way] = selection.oldestFirst === true ? (['>', 'ASC'] as const) : (['<', 'DESC'] as const);
  const place = last === undefined ? [] : [`(created_at, seq) ${after} ${thisLast}`];
  const [inOrder, sorted] = [`created_at ${way}, seq ${way}`, `+created_at ${way}, +seq ${way}`];
  const query = (conditions: readonly string[], order: string): Query => ({
    sql: `SELECT seq FROM intents ${whereAll(conditions)} ORDER BY ${order} LIMIT :length`,
    bindings: page,
  });
  if (drivenBy !== 'nameStart') return [query([...where, ...place], inOrder)];
  const next = `SELECT seq FROM intents ${whereAll(place)} ORDER BY ${inOrder} LIMIT ${looked}`;
  return [
    query([`seq IN (${next})`, ...where.map((one) => one.replaceAll('name ', '+name '))], sorted),
    {
      sql: `${names} SELECT i.seq FROM names CROSS JOIN intents i ON i.seq IN (SELECT seq FROM intents
          ${whereAll(['name = names.name', ...where.slice(1), ...place])} ORDER BY ${inOrder} LIMIT :length)
        WHERE names.name IS NOT NULL ORDER BY i.created_at ${way}, i.seq ${way} LIMIT :length`,
      bindings: page,
      suits: { sql: `${names} SELECT count(name) AS count FROM names`, most: fewNames },
    },
    query([...where, ...place], sorted),
  ];
}

function whereAll(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}

type Condition = {
  readonly is: keyof Selection;
  /** Given the column, perhaps with the `+` that keeps SQLite from its index. */
  readonly sql: (unindexed: '' | '+') => string;
  readonly hasIndex: boolean;
  readonly value?: string | number | undefined;
};

type Conditions = {
  readonly where: readonly string[];
  readonly drivenBy: keyof Selection | undefined;
  readonly bindings: Bindings;
};

/** The first that has an index decides which is used, unless another one is to: it is the narrowest. */
function conditionsOf(selection: Selection, drivenBy?: keyof Selection): Conditions {
  const given = conditions(selection);
  const driving = given.find(({ hasIndex, is }) => hasIndex && (drivenBy ?? is) === is);
  const times = [
    ...(selection.sinceMs === undefined ? [] : ['created_at >= :sinceMs']),
    ...(selection.untilMs === undefined ? [] : ['created_at <= :untilMs']),
  ];
  const bindings = { ...selection, states: undefined, limit: undefined, oldestFirst: undefined };
  return {
    where: [...given.map((one) => one.sql(one === driving ? '' : '+')), ...times],
    drivenBy: driving?.is,
    bindings: Object.fromEntries(
      Object.entries(bindings).filter(([, value]) => value !== undefined),
    ) as Bindings,
  };
}

function conditions({ batch, to, nameStart, states, bot, kind }: Selection): readonly Condition[] {
  const all: readonly (Condition | undefined)[] = [
    batch === undefined
      ? undefined
      : { is: 'batch', hasIndex: true, sql: (plus) => `${plus}name = :batch AND +named_by = 'row'` },
    to === undefined
      ? undefined
      : {
          is: 'to',
          hasIndex: true,
          sql: (plus) => `${plus}substr(payment, 3, instr(payment, '",') - 3) = :to AND payment IS NOT NULL`,
        },
    nameStart === undefined
      ? undefined
      : {
          is: 'nameStart',
          hasIndex: true,
          sql: (plus) => `${plus}name >= :nameStart AND ${plus}name < :nameStart || char(1114111)`,
        },
    states === undefined ? undefined : stateCondition(states),
    bot === undefined ? undefined : { is: 'bot', hasIndex: true, sql: (plus) => `${plus}bot = :bot` },
    kind === undefined ? undefined : { is: 'kind', hasIndex: true, sql: (plus) => `${plus}kind = :kind` },
  ];
  return all.filter((one) => one !== undefined);
}

/** Only what is not accepted has an index of its state. */
function stateCondition(states: NonNullable<Selection['states']>): Condition {
  const list = states.map((state) => `'${state}'`).join(', ');
  const hasIndex = !states.includes('accepted');
  return {
    is: 'states',
    hasIndex,
    sql: (plus) => `${plus}state IN (${list})${hasIndex && plus === '' ? ` AND state <> 'accepted'` : ''}`,
  };
}

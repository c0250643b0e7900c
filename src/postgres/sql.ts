// SQL: how what is asked of every journal is asked of a server.
import { hash } from 'node:crypto';
import { kept } from '../once/journal/schema.ts';
import { changes, questions } from '../once/journal/verbs.ts';

type Cell = null | number | string | boolean | Uint8Array;
export type Row = Readonly<Record<string, Cell>>;

/** A time of the server, in milliseconds. */
export const inMs = (time: string): string => /* sql */ `(extract(epoch FROM ${time}) * 1000)::bigint`;

/** The server's clock now, not when the transaction began. */
export const nowMs = inMs('clock_timestamp()');

/** The SQL with the quoted name of the schema in place of `@schema`. */
export function inSchema(schema: string, sql: string): string {
  const quoted = quotedName(schema);
  return sql.replaceAll('@schema', () => quoted);
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Values that are no text. */
const numbers = new Set([
  ...[
    'at',
    'since',
    'latestSince',
    'until',
    'most',
    'limit',
    'hour',
    'number',
    'status',
    'retryAfter',
    'duplicate',
  ],
  ...[
    'verified',
    'attempts',
    'triedAt',
    'whole',
    'nanos',
    'seq',
    'createdAt',
    'lastAt',
    'last',
    'far',
    'length',
    'rows',
    'invalid',
  ],
  ...['silentSince', 'tainted', 'mayHaveLandedAt', 'reportedAt'],
]);
const bytes = new Set(['body', 'reply']);

/** Verbs are known by their names, so that who looks at a server sees what is asked. */
const names = new Map(
  Object.entries({ ...questions, ...changes }).map(([name, sql]) => [sql as string, name]),
);

/** A statement for as many items as are asked about. Each row of its answer has `n`, the place of its item. */
export type Turned = {
  readonly name: string;
  readonly text: string;
  readonly values: readonly string[];
  readonly changes: boolean;
};

/**
 * Each item is an array, so that the server expects one of them: it would expect a hundred of anything else, and read
 * whole tables for them.
 */
const q = `(SELECT value AS v, ordinality - 1 AS n FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS e (value, ordinality)
  WHERE jsonb_typeof(value) = 'array') AS q`;

const tables = [...kept, 'owners'].join('|');

/** By what an owner's life is judged. */
const heard = (of: string): string =>
  `${of}.*, (SELECT renewed_at FROM owners WHERE owners.id = ${of}.owner AND owners.ended_at IS NULL) AS owner_renewed_at`;

export function turn(sql: string, schema: string): Turned {
  const values = [...new Set(sql.match(/(?<=:)[a-z]\w*/giu) ?? [])];
  const valued = sql.replace(/(?<!:):([a-z]\w*)/giu, (_all, name: string) => {
    const value = `q.v->>${values.indexOf(name)}`;
    if (bytes.has(name)) return `decode(${value}, 'base64')`;
    return numbers.has(name) ? `(${value})::bigint` : `(${value})`;
  });
  const text = forMany(valued)
    .replace(/(?<=SELECT )(intents|standings)\.\*/gu, (_all, of: string) => heard(of))
    .replace(/RETURNING q\.n, \*/u, () => `RETURNING q.n, ${heard('intents')}`)
    .replaceAll('instr(', 'strpos(')
    .replace(new RegExp(`\\b(FROM|JOIN|INTO|UPDATE) (${tables})\\b`, 'gu'), `$1 ${quotedName(schema)}.$2`);
  return {
    name: names.get(sql) ?? hash('sha256', sql, 'hex').slice(0, 16),
    text,
    values,
    changes: !isQuestion(sql),
  };
}

const isQuestion = (sql: string): boolean => /^(?:SELECT|WITH)/u.test(sql);

function forMany(sql: string): string {
  if (isQuestion(sql)) return `SELECT q.n, s.* FROM ${q} CROSS JOIN LATERAL (${sql}) AS s`;
  if (sql.startsWith('UPDATE')) {
    const where = topLevel(sql, ' WHERE ');
    const rest = sql.slice(where).replace('RETURNING ', 'RETURNING q.n, ');
    return `${sql.slice(0, where)} FROM ${q}${rest}`;
  }
  const [into = '', given = '', conflict = ''] = sql.split(/\bVALUES \(|\)(?=\s+ON CONFLICT)/u);
  return given === ''
    ? sql.replace(/ FROM /u, () => ` FROM ${q} CROSS JOIN `)
    : `${into}SELECT ${conflict === '' ? given.slice(0, -1) : given} FROM ${q} ORDER BY q.n${conflict}`;
}

/** Where a word stands that is within no parentheses. */
function topLevel(sql: string, word: string): number {
  let depth = 0;
  for (let at = 0; at < sql.length; at += 1) {
    if (sql[at] === '(') depth += 1;
    else if (sql[at] === ')') depth -= 1;
    else if (depth === 0 && sql.slice(at, at + word.length).replaceAll('\n', ' ') === word) return at;
  }
  return sql.length;
}

/** What an item is asked with, in the order of the statement's values. */
export function cellsOf({ values }: Turned, item: Readonly<Record<string, unknown>>): unknown[] {
  return values.map((name) => {
    const value = item[name];
    return value instanceof Uint8Array
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
      : (value ?? null);
  });
}

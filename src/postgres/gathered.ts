import type { Known } from '../once/journal/known.ts';
import type { Ask, JournalRow, Values } from '../once/journal/rows.ts';
import { questions } from '../once/journal/verbs.ts';
import type { PgConnection } from './connection.ts';
import { cellsOf, type Row, type Turned, turn } from './sql.ts';

/** One text, and all that it is asked about. */
type Question = {
  readonly turned: Turned;
  readonly items: unknown[][];
  readonly askers: {
    readonly rows: Row[];
    readonly resolve: (rows: readonly JournalRow[]) => void;
    readonly reject: (cause: unknown) => void;
  }[];
};

const turnedFor = new Map<string, Map<string, Turned>>();

function turnedIn(schema: string, sql: string): Turned {
  const known = turnedFor.get(schema) ?? new Map<string, Turned>();
  turnedFor.set(schema, known);
  const turned = known.get(sql) ?? turn(sql, schema);
  known.set(sql, turned);
  return turned;
}

/**
 * Gathers what is asked in one turn of the event loop by its text, and asks all of it in one round trip: of a hundred
 * rows of a batch as of one. An intent changes its state after all else: by then its attempt has ended.
 */
export class Gathered {
  readonly #schema: string;
  readonly #send: (questions: readonly Question[]) => Promise<readonly (readonly Row[])[]>;
  #asked = new Map<string, Question>();

  constructor(
    schema: string,
    send: (questions: readonly Question[]) => Promise<readonly (readonly Row[])[]>,
  ) {
    this.#schema = schema;
    this.#send = send;
  }

  readonly ask: Ask = (sql: string, values: Values) =>
    new Promise((resolve, reject) => {
      if (this.#asked.size === 0) setImmediate(() => void this.#sendAll());
      const question = this.#asked.get(sql) ?? { turned: turnedIn(this.#schema, sql), items: [], askers: [] };
      this.#asked.set(sql, question);
      question.items.push(cellsOf(question.turned, values));
      question.askers.push({ rows: [], resolve, reject });
    });

  async #sendAll(): Promise<void> {
    const isLast = (sql: string): boolean => sql.startsWith(/* sql */ 'UPDATE intents SET state');
    const asked = [...this.#asked].sort(([one], [other]) => Number(isLast(one)) - Number(isLast(other)));
    this.#asked = new Map();
    const questions = asked.map(([, question]) => question);
    try {
      const answers = await this.#send(questions);
      for (const [nth, { askers }] of questions.entries()) {
        for (const row of answers[nth] ?? []) askers[Number(row.n)]?.rows.push(row);
        for (const { resolve, rows } of askers) resolve(rows);
      }
    } catch (cause) {
      for (const { askers } of questions) for (const { reject } of askers) reject(cause);
    }
  }
}

/** Sends all of them at once. The first that fails is the reason: in a transaction the others fail for it. */
export function askOn(
  connection: PgConnection,
  questions: readonly Question[],
): Promise<readonly (readonly Row[])[]> {
  const answers: Promise<readonly Row[]>[] = [];
  connection.together(() => {
    for (const { turned, items } of questions)
      answers.push(
        connection.ask(turned.name, turned.text, [JSON.stringify(items)]).then(({ rows }) => rows),
      );
  });
  return Promise.all(answers);
}

/** What of the noted attempts and decisions the journal does not have. */
export async function lackedBy(
  connection: PgConnection,
  schema: string,
  noted: readonly Known[],
): Promise<Known[]> {
  if (noted.length === 0) return [];
  const turned = turnedIn(schema, questions.holds);
  const items = noted.map(({ entry, number, atMs: at }) => cellsOf(turned, { entry, number, at }));
  const [rows = []] = await askOn(connection, [{ turned, items, askers: [] }]);
  const held = new Set(rows.map(({ n }) => Number(n)));
  return noted.filter((_known, n) => !held.has(n));
}

// A step before and after every question to a PostgreSQL server: asked, it may be answered or not.
import pg from 'pg';
import { verbsIn } from '../../src/once/journal/verbs.ts';
import { dialectIn } from '../../src/postgres/sql.ts';
import { step } from './steps.ts';

type Query = (...args: unknown[]) => unknown;
type Question = { readonly text: string; readonly values?: readonly unknown[] };

const verbs = verbsIn(dialectIn('botctl'));
const names = new Map(Object.entries(verbs).map(([name, { text }]) => [text, name]));

/** Keys of attempts that were put on record in a transaction which is open, by the connection. */
const open = new WeakMap<object, Set<string>>();
/** Keys whose last attempt the server has acknowledged. */
const committed = new Set<string>();
const keys = new Map<string, string>();

export function stepAtEveryQuestion(): void {
  const client = pg.Client.prototype as unknown as { query: Query };
  const { query } = client;
  client.query = function stepping(this: object, ...args: unknown[]): unknown {
    const question = questionOf(args[0]);
    const words = names.get(question.text) ?? question.text.trim().replace(/\s+/gu, ' ').slice(0, 40);
    step(`ask ${words}`);
    const answer = query.apply(this, args);
    follow(this, question, answer);
    step(`asked ${words}`);
    return answer;
  };
}

function questionOf(first: unknown): Question {
  return typeof first === 'string' ? { text: first } : (first as Question);
}

function follow(client: object, { text, values = [] }: Question, answer: unknown): void {
  if (text.startsWith('BEGIN')) open.set(client, new Set());
  const name = names.get(text);
  if (name === 'begin' || name === 'countAttempt') {
    const cell = (wanted: string): string => String(values[verbs[name].values.indexOf(wanted)]);
    if (name === 'begin') keys.set(cell('id'), cell('key'));
    claims(client, [keys.get(cell('id'))]);
    // One that was begun by another process.
    void whenAnswered(answer, ({ rows }) =>
      claims(
        client,
        rows.map(({ key }) => key),
      ),
    );
  }
  if (!text.endsWith('COMMIT')) return;
  const those = open.get(client) ?? [];
  void whenAnswered(answer, () => {
    for (const key of those) committed.add(key);
  });
}

function claims(client: object, those: readonly (string | undefined)[]): void {
  for (const key of those) {
    if (key === undefined) continue;
    committed.delete(key);
    open.get(client)?.add(key);
  }
}

type Answer = { readonly rows: readonly { readonly key?: string }[] };

async function whenAnswered(answer: unknown, then: (answer: Answer) => void): Promise<void> {
  try {
    then((await answer) as Answer);
  } catch {
    // Who asked is told.
  }
}

/** What the server has acknowledged by now of the request with this key. */
export function acknowledged(key: string): string {
  return committed.has(key) ? 'committed' : 'not committed';
}

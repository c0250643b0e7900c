// A step before and after every question to a PostgreSQL server: asked, it may be answered or not.
import pg from 'pg';
import { changes } from '../../src/once/journal/verbs.ts';
import { step } from './steps.ts';

type Query = (...args: unknown[]) => unknown;
type Question = { readonly name?: string; readonly text: string; readonly values?: readonly unknown[] };

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
    const words = question.name ?? question.text.trim().replace(/\s+/gu, ' ').slice(0, 40);
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

function follow(client: object, { name, text, values }: Question, answer: unknown): void {
  if (text.startsWith('BEGIN')) open.set(client, new Set());
  if (name === 'begin' || name === 'countAttempt') {
    const items = JSON.parse(String(values?.[0])) as (string | undefined)[][];
    const cell = (item: (string | undefined)[], wanted: string): string | undefined =>
      item[valuesOf(changes[name]).indexOf(wanted)];
    if (name === 'begin')
      for (const item of items) keys.set(String(cell(item, 'id')), String(cell(item, 'key')));
    claims(
      client,
      items.map((item) => keys.get(String(cell(item, 'id')))),
    );
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

/** In the order in which an item has them. */
function valuesOf(sql: string): string[] {
  return [...new Set(sql.match(/(?<=:)[a-z]\w*/giu) ?? [])];
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

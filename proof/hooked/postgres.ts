// A step before and after every question to a PostgreSQL server: asked, it may be answered or not.
import pg from 'pg';
import { step } from './steps.ts';

type Query = (...args: unknown[]) => unknown;

/** What is known of the last transaction of this process. */
let last = 'nothing was written';

export function stepAtEveryQuestion(): void {
  const client = pg.Client.prototype as unknown as { query: Query };
  const { query } = client;
  client.query = function stepping(this: unknown, ...args: unknown[]): unknown {
    const { name, text } = questionOf(args[0]);
    const words = name ?? text.trim().replace(/\s+/gu, ' ').slice(0, 40);
    step(`ask ${words}`);
    const answer = query.apply(this, args);
    follow(text, answer);
    step(`asked ${words}`);
    return answer;
  };
}

function questionOf(first: unknown): { name?: string; text: string } {
  return typeof first === 'string' ? { text: first } : (first as { name?: string; text: string });
}

function follow(text: string, answer: unknown): void {
  if (!/^(BEGIN|COMMIT)/u.test(text)) return;
  last = 'a transaction is open';
  if (!text.endsWith('COMMIT')) return;
  const committed = (): void => {
    last = 'committed';
  };
  void Promise.resolve(answer).then(committed, () => {});
}

/** What the server has acknowledged by now of what was asked of it. */
export function acknowledged(): string {
  return last;
}

import { Gathered } from '../gathered.ts';
import type { Row } from './rows.ts';
import type { StatementName } from './statements.ts';

/** What one statement is asked for one intent: a JSON object. */
export type Item = Readonly<Record<string, string | number | boolean | null>>;

/** Asks a question; gives back the rows of its answer. */
export type Ask = (name: StatementName, item: Item) => Promise<readonly Row[]>;

/** Runs a statement for these items: a JSON array, in which each says its place as `n`. */
type RunStatement = (name: StatementName, items: string) => Promise<readonly Row[]>;

/**
 * What is asked in one turn of the event loop: a round trip for a hundred rows of a batch, not for each. Questions of
 * several kinds leave together, in the order in which they were asked; but attempts end before their intents do,
 * whoever asked first.
 */
export function gather(run: RunStatement, together?: (ask: () => void) => void): Ask {
  const { ask } = new Gathered<StatementName, Item, Row>({
    run: (name, items) => run(name, jsonOf(items)),
    soon: (ask) => setImmediate(ask),
    ...(together === undefined ? {} : { together }),
    last: 'conclude',
  });
  return ask;
}

function jsonOf(items: readonly Item[]): string {
  return `[${items.map((item, n) => `{"n":${n},${JSON.stringify(item).slice(1)}`).join(',')}]`;
}

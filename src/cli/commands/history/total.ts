import type { Exit } from '../../../once/failures.ts';
import { amountOf } from '../../../once/intent/amount.ts';
import { type Intent, type Journal, states } from '../../../once/journal/journal.ts';
import { readPayment } from '../../../once/journal/spending.ts';
import type { Context, ParsedArgs } from '../../parse/command.ts';
import { sumWords } from '../../say/history.ts';
import { requestOf } from '../../show/report.ts';
import { pad } from '../../show/table.ts';
import { safeLine } from '../../show/text.ts';
import { allOfThem, type Filters, selectionOf } from './filters.ts';

/** Intents of one state, and of one asset if they are transfers. */
type Sum = Pick<Intent, 'state' | 'resolvedAs' | 'kind'> & {
  readonly asset: string | undefined;
  units: bigint;
  intents: number;
};

/** What was sent, summed: a line for each state and asset. */
export async function showTotal(
  filters: Filters,
  journal: Journal,
  { command }: ParsedArgs,
  { display }: Context,
): Promise<Exit> {
  const selection = selectionOf(filters, journal.clock.now(), filters.limit ?? allOfThem);
  const sums = new Map<string, Sum>();
  for await (const intent of journal.reads.select(selection)) add(intent, sums);
  const all = [...sums.values()]
    .sort(inOrder)
    .map(({ units, ...sum }) => ({ ...sum, amount: amountOf(units) }));
  const lines = all.map((sum) => sumWords(sum).map(safeLine));
  const widths = [0, 1].map((column) => Math.max(0, ...lines.map((cells) => cells[column]?.length ?? 0)));
  await display.show({
    json: {
      schema: 'botctl/1',
      command,
      totals: all.map(({ state, resolvedAs, kind, asset, amount, intents }) => ({
        state,
        ...(resolvedAs === undefined ? {} : { resolved_as: resolvedAs }),
        kind,
        ...(asset === undefined ? {} : { asset, amount }),
        intents,
      })),
    },
    human: () =>
      lines.map((cells) => `${cells.map((cell, n) => pad(cell, widths[n] ?? 0)).join('  ')}\n`).join(''),
  });
  return 0;
}

function add({ state, resolvedAs, kind, payment, body }: Intent, sums: Map<string, Sum>): void {
  const paid = payment === undefined ? undefined : readPayment(payment);
  const key = `${state} ${resolvedAs} ${kind} ${paid?.asset}`;
  let sum = sums.get(key);
  if (sum === undefined) {
    const asset = paid && String(requestOf({ body }).asset);
    sum = { state, resolvedAs, kind, asset, units: 0n, intents: 0 };
    sums.set(key, sum);
  }
  sum.units += paid?.units ?? 0n;
  sum.intents += 1;
}

/** What was done comes first. */
const order = ['accepted', ...states.filter((state) => state !== 'accepted')];

function inOrder(one: Sum, other: Sum): number {
  const rank = ({ state, resolvedAs, kind, asset = '' }: Sum): string =>
    `${order.indexOf(state)} ${resolvedAs} ${kind} ${asset}`;
  return rank(one) < rank(other) ? -1 : 1;
}

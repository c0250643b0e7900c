import type { NewEntry, Selection } from '../../../../src/once/journal/journal.ts';
import { nowMs } from '../../../support/journals.ts';

type Verdict = 'accepted' | 'rejected' | 'held';

/** An entry to be put into a journal, and what it is found by. */
export type Known = {
  readonly entry: Partial<NewEntry>;
  readonly to: string | undefined;
  readonly asset: string | undefined;
  readonly state: Verdict;
  readonly atMs: number;
};

const verdicts: readonly Verdict[] = ['accepted', 'rejected', 'held'];

/** Every way to be found, in all mixtures; no two at the same time. */
export const known: readonly Known[] = Array.from({ length: 48 }, (_, n): Known => {
  const to = n % 3 === 0 ? 'ada' : 'bob';
  const named: Partial<NewEntry> =
    n % 7 < 4
      ? { namedBy: 'row', name: 'pay-11', rowId: `r${n}` }
      : { namedBy: 'once', name: n % 7 === 6 ? 'pay-11' : `pay-2${n % 4}` };
  const isTransfer = n % 2 === 0;
  const asset = n % 8 === 0 ? 'usdc' : 'sol';
  const payment: Partial<NewEntry> = isTransfer
    ? { kind: 'transfer', payment: JSON.stringify([to, asset, `${n}`]) }
    : { kind: 'message' };
  return {
    entry: { ...named, ...payment },
    to: isTransfer ? to : undefined,
    asset: isTransfer ? asset : undefined,
    state: verdicts[(n + Math.floor(n / 3)) % 3] ?? 'held',
    atMs: nowMs + ((n * 11) % 48),
  };
});

const kinds: readonly Partial<Selection>[] = [{}, { kind: 'transfer' }];
const assets: readonly Partial<Selection>[] = [{}, { asset: 'SOL' }];
const names: readonly Partial<Selection>[] = [{}, { batch: 'pay-11' }, { name: 'pay-21' }, { to: 'ada' }];
const states: readonly Partial<Selection>[] = [
  {},
  { states: ['accepted'] },
  { states: ['rejected', 'held'] },
];
const times: readonly Partial<Selection>[] = [
  {},
  { oldestFirst: true, sinceMs: nowMs + 9, untilMs: nowMs + 40 },
  { sinceMs: nowMs + 9, untilMs: nowMs + 40 },
];

/** All that can be asked for together. */
export const narrowings: readonly Partial<Selection>[] = [assets, names, states, times].reduce(
  (sofar, more) => sofar.flatMap((one) => more.map((other) => ({ ...one, ...other }))),
  kinds,
);

export function suits({ entry, to, asset, state, atMs }: Known, asked: Partial<Selection>): boolean {
  const { kind, batch, name, states: wanted, sinceMs = 0, untilMs = 2 * nowMs } = asked;
  return (
    (kind ?? entry.kind) === entry.kind &&
    (batch === undefined || (entry.namedBy === 'row' && entry.name === batch)) &&
    (name ?? entry.name) === entry.name &&
    (asked.to ?? to) === to &&
    (asked.asset?.toLowerCase() ?? asset) === asset &&
    (wanted?.includes(state) ?? true) &&
    atMs >= sinceMs &&
    atMs <= untilMs
  );
}

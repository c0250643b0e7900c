import {
  addUnits,
  countedAsset,
  hourOf,
  readPayment,
  type Spending,
  type SpendingScope,
  type UnitsByHour,
} from '../intent/amount.ts';
import type { Ask, JournalRow } from './rows.ts';

type Sum = { readonly asset: string; readonly recipient: string; readonly hour: number; units: bigint };

/** The texts by which sums are read and written. */
type Texts = Readonly<Record<'spent' | 'complete' | 'spend', string>>;

/**
 * What was spent, hour by hour. A commit gathers what it spends and gives back, and writes it once. Within it each sum is
 * read once, and whoever reads it adds what it claims: rows that are claimed together see each other.
 */
export class Spent {
  readonly #texts: Texts;
  readonly #isWithin: boolean;
  readonly #moved = new Map<string, Sum>();
  readonly #read = new Map<string, Promise<UnitsByHour>>();

  constructor(texts: Texts, isWithin: boolean) {
    this.#texts = texts;
    this.#isWithin = isWithin;
  }

  async spending({ asset, recipient, sinceHour }: SpendingScope, ask: Ask): Promise<Spending> {
    const counted = countedAsset(asset);
    const [[complete], total, toRecipient] = await Promise.all([
      ask(this.#texts.complete, {}),
      this.#sum(counted, '', sinceHour, ask),
      recipient === undefined ? new Map() : this.#sum(counted, recipient, sinceHour, ask),
    ]);
    return { sinceMs: completeSince(complete), total, toRecipient };
  }

  #sum(asset: string, recipient: string, since: number, ask: Ask): Promise<UnitsByHour> {
    const name = `${asset} ${recipient}`;
    const known = this.#isWithin ? this.#read.get(name) : undefined;
    if (known !== undefined) return known;
    const reading = ask(this.#texts.spent, { asset, recipient, since }).then((rows) => {
      const units: UnitsByHour = new Map();
      for (const row of rows) addUnits(units, Number(row.hour), BigInt(row.units as string));
      for (const sum of this.#moved.values())
        if (sum.asset === asset && sum.recipient === recipient) addUnits(units, sum.hour, sum.units);
      return units;
    });
    this.#read.set(name, reading);
    return reading;
  }

  /** A payment counted from one time, and counts from another now; from none if it does not. */
  move(payment: unknown, fromMs: unknown, toMs: unknown): void {
    const paid = paymentIn(payment);
    if (paid === undefined) return;
    const { to, asset, units } = paid;
    for (const [ms, moved] of [
      [fromMs, -units],
      [toMs, units],
    ] as const)
      if (typeof ms === 'number')
        for (const recipient of ['', to]) this.#add({ asset, recipient, hour: hourOf(ms), units: moved });
  }

  #add(sum: Sum): void {
    const name = `${sum.hour} ${sum.asset} ${sum.recipient}`;
    const known = this.#moved.get(name);
    if (known === undefined) this.#moved.set(name, sum);
    else known.units += sum.units;
  }

  async write(ask: Ask): Promise<void> {
    const sums = [...this.#moved.values()].filter(({ units }) => units !== 0n);
    await Promise.all(sums.map((sum) => ask(this.#texts.spend, { ...sum, units: String(sum.units) })));
  }
}

/** Since it was made, or since its first entry if a clock went back; after a loss, since that was accepted. */
function completeSince({ made, lost, first }: JournalRow = {}): number | undefined {
  const since = lost ?? made;
  if (typeof since !== 'number') return undefined;
  return since === made && typeof first === 'number' ? Math.min(since, first) : since;
}

/** A damaged payment, which no service took, counts nowhere. */
function paymentIn(payment: unknown): ReturnType<typeof readPayment> | undefined {
  try {
    return typeof payment === 'string' ? readPayment(payment) : undefined;
  } catch {
    return undefined;
  }
}

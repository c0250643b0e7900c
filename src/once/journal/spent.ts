import {
  addUnits,
  countedAsset,
  hourOf,
  readPayment,
  type SpendingScope,
  type UnitsByHour,
} from '../intent/amount.ts';
import type { Ask } from './rows.ts';

type Sum = { readonly asset: string; readonly hour: number; units: bigint };

/** The texts by which sums are read and written. */
type Texts = Readonly<Record<'spent' | 'spend', string>>;

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

  spending({ asset: spelled, sinceHour: since }: SpendingScope, ask: Ask): Promise<UnitsByHour> {
    const asset = countedAsset(spelled);
    const known = this.#isWithin ? this.#read.get(asset) : undefined;
    if (known !== undefined) return known;
    const reading = ask(this.#texts.spent, { asset, since }).then((rows) => {
      const units: UnitsByHour = new Map();
      for (const row of rows) addUnits(units, Number(row.hour), BigInt(row.units as string));
      for (const sum of this.#moved.values()) if (sum.asset === asset) addUnits(units, sum.hour, sum.units);
      return units;
    });
    this.#read.set(asset, reading);
    return reading;
  }

  /** A payment counted from one time, and counts from another now; from none if it does not. */
  move(payment: unknown, fromMs: unknown, toMs: unknown): void {
    const paid = paymentIn(payment);
    if (paid === undefined) return;
    const { asset, units } = paid;
    for (const [ms, moved] of [
      [fromMs, -units],
      [toMs, units],
    ] as const)
      if (typeof ms === 'number') this.#add({ asset, hour: hourOf(ms), units: moved });
  }

  #add(sum: Sum): void {
    const name = `${sum.hour} ${sum.asset}`;
    const known = this.#moved.get(name);
    if (known === undefined) this.#moved.set(name, sum);
    else known.units += sum.units;
  }

  async write(ask: Ask): Promise<void> {
    const sums = [...this.#moved.values()].filter(({ units }) => units !== 0n);
    await Promise.all(sums.map((sum) => ask(this.#texts.spend, { ...sum, units: String(sum.units) })));
  }
}

/** A damaged payment, which no service took, counts nowhere. */
function paymentIn(payment: unknown): ReturnType<typeof readPayment> | undefined {
  try {
    return typeof payment === 'string' ? readPayment(payment) : undefined;
  } catch {
    return undefined;
  }
}

import { addAmounts, type MinorUnits, minorUnits } from '../intent/amount.ts';
import type { Wanted } from '../intent/wanted.ts';
import type { Sheet, Standing } from './sheet.ts';

/** Exact sums of one asset: all valid rows, and those of them that are not done. */
type AssetTotal = { readonly all: MinorUnits; readonly left: MinorUnits };

const nothing: MinorUnits = { units: 0n, decimals: 0 };

/** What a batch comes to: how many rows stand how, and how much goes to how many. */
export class Tally {
  readonly standings: Record<Standing, number> = {
    new: 0,
    unfinished: 0,
    done: 0,
    held: 0,
    elsewhere: 0,
    conflict: 0,
    invalid: 0,
  };
  readonly totals = new Map<string, AssetTotal>();
  readonly #sheet: Sheet;

  constructor(sheet: Sheet) {
    this.#sheet = sheet;
  }

  add(standing: Standing, request: Wanted['request'] | undefined): void {
    this.#count(standing, request, 1);
  }

  takeBack(standing: Standing, request: Wanted['request'] | undefined): void {
    this.#count(standing, request, -1);
  }

  #count(standing: Standing, request: Wanted['request'] | undefined, by: 1 | -1): void {
    this.standings[standing] += by;
    if (request === undefined || !('to_address' in request)) return;
    this.#sheet.countPayment(request.to_address, by);
    const { units, decimals } = minorUnits(request.amount);
    const amount: MinorUnits = { units: BigInt(by) * units, decimals };
    const { all, left } = this.totals.get(request.asset) ?? { all: nothing, left: nothing };
    this.totals.set(request.asset, {
      all: addAmounts(all, amount),
      left: standing === 'done' ? left : addAmounts(left, amount),
    });
  }
}

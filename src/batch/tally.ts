import { addAmounts, type MinorUnits, minorUnits } from '../once/intent/amount.ts';
import { inOneSpelling, type Spellings } from '../once/intent/spellings.ts';
import type { Wanted } from '../once/intent/wanted.ts';
import { requestOfRow } from './checkRow.ts';
import type { Sheet, Standing } from './sheet.ts';

/** Exact sums of one asset: over all valid rows, and over those that are not done. */
type AssetTotal = { readonly all: MinorUnits; readonly left: MinorUnits };

const nothing: MinorUnits = { units: 0n, decimals: 0 };

/** Counts the rows of a batch by how they stand, and sums up amounts and recipients. */
export class Tally {
  readonly standings: Record<Exclude<Standing, 'skipped'>, number> & { skipped?: number } = {
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
  readonly #spellings: Spellings | undefined;

  constructor(sheet: Sheet, spellings: Spellings | undefined) {
    this.#sheet = sheet;
    this.#spellings = spellings;
  }

  add(standing: Standing, request: Wanted['request'] | undefined): void {
    this.#count(standing, request, 1);
  }

  takeBack(standing: Standing, request: Wanted['request'] | undefined): void {
    this.#count(standing, request, -1);
  }

  #count(standing: Standing, request: Wanted['request'] | undefined, by: 1 | -1): void {
    this.standings[standing] = (this.standings[standing] ?? 0) + by;
    // What is skipped is no part of what the batch comes to.
    if (standing === 'skipped' || request === undefined || !('to_address' in request)) return;
    const { asset } = request;
    this.#sheet.countPayment(inOneSpelling(request, this.#spellings), by);
    const { units, decimals } = minorUnits(request.amount);
    const amount: MinorUnits = { units: BigInt(by) * units, decimals };
    const { all, left } = this.totals.get(asset) ?? { all: nothing, left: nothing };
    this.totals.set(asset, {
      all: addAmounts(all, amount),
      left: standing === 'done' ? left : addAmounts(left, amount),
    });
  }
}

/** The rows that were paid already are not this run's to send. */
export function skipRepeats({ tally }: { readonly tally: Tally }, sheet: Sheet): void {
  for (const page of sheet.repeated())
    for (const { standing, request } of page) {
      const paying = requestOfRow({ request });
      tally.takeBack(standing, paying);
      tally.add('skipped', paying);
    }
  sheet.skipRepeats();
}

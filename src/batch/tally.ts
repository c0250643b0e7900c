import { addAmounts, type MinorUnits, minorUnits } from '../once/intent/amount.ts';
import { inOneSpelling, type Spellings } from '../once/intent/spellings.ts';
import type { Wanted } from '../once/intent/wanted.ts';
import type { Sheet, Standing } from './sheet.ts';

/** Exact sums of one asset: over all valid rows, and over those that are not done. */
type AssetTotal = { readonly all: MinorUnits; readonly left: MinorUnits };

const notToSend: readonly Standing[] = ['done', 'waiting', 'declined'];

const nothing: MinorUnits = { units: 0n, decimals: 0 };

/** Counts the rows of a batch by how they stand, and sums up amounts and recipients. */
export class Tally {
  readonly standings: Record<Standing, number> = {
    new: 0,
    unfinished: 0,
    done: 0,
    waiting: 0,
    held: 0,
    declined: 0,
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
    this.standings[standing] += 1;
    if (request === undefined || !('to_address' in request)) return;
    const { asset } = request;
    this.#sheet.countPayment(inOneSpelling(request, this.#spellings));
    const amount = minorUnits(request.amount);
    const { all, left } = this.totals.get(asset) ?? { all: nothing, left: nothing };
    this.totals.set(asset, {
      all: addAmounts(all, amount),
      left: notToSend.includes(standing) ? left : addAmounts(left, amount),
    });
  }
}

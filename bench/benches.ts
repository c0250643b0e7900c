/** What a line of a bench's table must not exceed, or must reach. README.md says what each protects. */
export type Mark = {
  /** The line. */
  readonly of: string;
  readonly most?: number;
  readonly least?: number;
};

export type Bench = {
  /** Its options, and what each is where it is not given. */
  readonly numbers: Readonly<Record<string, number>>;
  readonly marks: readonly Mark[];
};

export const benches: Readonly<Record<string, Bench>> = {
  single: {
    numbers: { rounds: 21, entries: 1_000_000 },
    marks: [
      { of: 'botctl --help', most: 2 },
      { of: 'botctl send', most: process.version.startsWith('v20.') ? 6 : 5 },
      { of: 'botctl transfer, replayed', most: 3.6 },
      { of: 'botctl history', most: 3.2 },
    ],
  },
  batch: {
    numbers: { rounds: 3 },
    marks: [
      { of: 'batch send, 20,000 rows, 16 at a time', least: 0.24 },
      { of: 'batch send, 50,000 rows, 16 at a time', least: 0.26 },
      { of: 'batch transfer, 20,000 rows, 16 at a time', least: 0.12 },
      { of: 'memory: 250,000 rows, beside 10,000', most: 1.3 },
      { of: '100,000 finished rows again, no service', most: 5 },
    ],
  },
  shared: {
    numbers: { rows: 30_000, rounds: 3, pairs: 31, entries: 1_000_000 },
    marks: [
      { of: 'a send: more than with a journal in a file', most: 35 },
      { of: 'memory of history --json: all, beside 10,000', most: 1.3 },
    ],
  },
  history: {
    numbers: { entries: 1_000_000, rounds: 11 },
    marks: [
      { of: 'the slowest filter', most: 2 },
      { of: 'memory of an export of half, beside a twentieth', most: 1.3 },
    ],
  },
  policy: {
    numbers: { pairs: 41, rows: 10_000, rounds: 5 },
    marks: [
      { of: 'a transfer: more with a policy', most: 5 },
      { of: 'a row: more with a policy', most: 20 },
    ],
  },
};

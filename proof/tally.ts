type Wrong = 'duplicated' | 'lost' | 'wrongly reported';

export type Finding = {
  readonly technique: string;
  readonly where: string;
  readonly what: string;
  readonly wrong: Wrong;
  /** A command ran out of time, and said so. */
  readonly isLate: boolean;
};

/** One row of the table. */
export type Row = {
  readonly technique: string;
  readonly cases: number;
  readonly expected: number;
  readonly found: number;
  readonly duplicated: number;
  readonly lost: number;
  readonly wronglyReported: number;
  /** Effects beyond the first of a payment, by a service that was set to ignore keys: no client can prevent them. */
  readonly paidAgain: number;
  /** Cases of which every play was too slow to judge. */
  readonly tooSlow: number;
  readonly tookMs: number;
  /** What a reader must know to understand the numbers. */
  readonly notes: readonly string[];
};

/** What one technique has counted so far. */
export class Tally {
  readonly technique: string;
  readonly findings: Finding[] = [];
  readonly #notes = new Map<string, string>();
  #cases = 0;
  #expected = 0;
  #found = 0;
  #paidAgain = 0;
  #slowPlays = 0;
  readonly #tooSlow: string[] = [];
  readonly #startedAt = performance.now();

  readonly #most: number;

  /** `most`: so many findings are enough; nothing more is played then. */
  constructor(technique: string, most = Number.POSITIVE_INFINITY) {
    this.technique = technique;
    this.#most = most;
  }

  get isEnough(): boolean {
    return this.findings.length >= this.#most;
  }

  get cases(): number {
    return this.#cases;
  }

  /** A case is over: what it should have brought about, and what it did. */
  count(expected: number, found: number, cases = 1): void {
    this.#cases += cases;
    this.#expected += expected;
    this.#found += found;
  }

  /** A service that ignores keys made so many payments too many, and botctl said that it may have. */
  payAgain(times: number): void {
    this.#paidAgain += times;
  }

  find(wrong: Wrong, where: string, what: string, isLate = false): void {
    this.findings.push({ technique: this.technique, where, what, wrong, isLate });
  }

  /** Nothing went wrong but that commands ran out of time, said so, and did not do what they were asked. */
  get isOnlyLate(): boolean {
    return (
      this.findings.some(({ isLate }) => isLate) &&
      this.findings.every(({ isLate, wrong }) => isLate || wrong === 'lost')
    );
  }

  slowPlay(): void {
    this.#slowPlays += 1;
  }

  /** No play of this case could be judged. */
  slowCase(where: string): void {
    this.#tooSlow.push(where);
  }

  /** All that was counted and found in one case. */
  add(one: Tally): void {
    this.count(one.#expected, one.#found, one.#cases);
    this.findings.push(...one.findings);
    this.#paidAgain += one.#paidAgain;
    this.#slowPlays += one.#slowPlays;
    this.#tooSlow.push(...one.#tooSlow);
    for (const [matter, text] of one.#notes) this.note(matter, text);
  }

  /** The latest word on a matter. */
  note(matter: string, text: string): void {
    this.#notes.set(matter, text);
  }

  row(): Row {
    const of = (wrong: Wrong): number => this.findings.filter((finding) => finding.wrong === wrong).length;
    return {
      technique: this.technique,
      cases: this.#cases,
      expected: this.#expected,
      found: this.#found,
      duplicated: of('duplicated'),
      lost: of('lost'),
      wronglyReported: of('wrongly reported'),
      paidAgain: this.#paidAgain,
      tooSlow: this.#tooSlow.length,
      tookMs: performance.now() - this.#startedAt,
      notes: [...[...this.#notes].map(([matter, text]) => `${matter}: ${text}`), ...this.#slowNotes()],
    };
  }

  #slowNotes(): string[] {
    const played = `too slow to judge: ${this.#slowPlays} plays, each played again up to twice`;
    const never = this.#tooSlow.map((where) => `too slow to judge in every play: ${where}`);
    return this.#slowPlays === 0 ? [] : [played, ...never];
  }
}

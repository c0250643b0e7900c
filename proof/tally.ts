export type Wrong = 'duplicated' | 'lost' | 'wrongly reported';

export type Finding = {
  readonly technique: string;
  readonly where: string;
  readonly what: string;
  readonly wrong: Wrong;
  /** A command ran out of time, and said so. */
  readonly isLate: boolean;
};

/** What one technique has counted so far: one row of the table. */
export class Tally {
  readonly technique: string;
  readonly findings: Finding[] = [];
  cases = 0;
  expected = 0;
  found = 0;
  /** Effects beyond the first of a payment, by a service that was set to ignore keys: no client can prevent them. */
  paidAgain = 0;
  /** Plays that could not be judged, and cases of which none could. */
  slowPlays = 0;
  readonly tooSlow: string[] = [];
  readonly #notes = new Map<string, string>();
  readonly #most: number;

  /** `most`: so many findings are enough; nothing more is played then. */
  constructor(technique: string, most = Number.POSITIVE_INFINITY) {
    this.technique = technique;
    this.#most = most;
  }

  get isEnough(): boolean {
    return this.findings.length >= this.#most;
  }

  /** A case is over: what it should have brought about, and what it did. */
  count(expected: number, found: number, cases = 1): void {
    this.cases += cases;
    this.expected += expected;
    this.found += found;
  }

  find(wrong: Wrong, where: string, what: string, isLate = false): void {
    this.findings.push({ technique: this.technique, where, what, wrong, isLate });
  }

  wrongs(wrong: Wrong): number {
    return this.findings.filter((finding) => finding.wrong === wrong).length;
  }

  /** Nothing went wrong but that commands ran out of time, said so, and did not do what they were asked. */
  get isOnlyLate(): boolean {
    return (
      this.findings.some(({ isLate }) => isLate) &&
      this.findings.every(({ isLate, wrong }) => isLate || wrong === 'lost')
    );
  }

  /** All that was counted and found in one case. */
  add(one: Tally): void {
    this.count(one.expected, one.found, one.cases);
    this.findings.push(...one.findings);
    this.paidAgain += one.paidAgain;
    this.slowPlays += one.slowPlays;
    this.tooSlow.push(...one.tooSlow);
    for (const [matter, text] of one.#notes) this.note(matter, text);
  }

  /** The latest word on a matter that a reader must know of to understand the numbers. */
  note(matter: string, text: string): void {
    this.#notes.set(matter, text);
  }

  get notes(): string[] {
    const notes = [...this.#notes].map(([matter, text]) => `${matter}: ${text}`);
    if (this.slowPlays === 0) return notes;
    const never = this.tooSlow.map((where) => `too slow to judge in every play: ${where}`);
    return [...notes, `too slow to judge: ${this.slowPlays} plays, each played again up to twice`, ...never];
  }
}

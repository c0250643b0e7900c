/** A row of the input, and what is wrong with it. */
type RowReason = { readonly line: number; readonly id?: string; readonly reason: string };

/** A problem of a row: in words for all rows that have it, in words for this one, and the cell at fault. */
type CauseOfRow = {
  readonly reason: string;
  readonly said?: string;
  readonly cell?: string | undefined;
};

/** One problem, and the rows that have it. */
type Cause = {
  readonly reason: string;
  readonly rows: number;
  readonly first: readonly (RowReason & Pick<CauseOfRow, 'cell'>)[];
};

const shownRows = 20;
const shownOfCause = 3;

/** The problems of rows: the first rows, and each problem once with its count. */
export class Reasons {
  readonly first: RowReason[] = [];
  readonly #causes = new Map<string, Cause>();
  #rows = 0;
  /** The number of rows whose causes are not kept. */
  left = 0;

  /** Adds a row. Its reason may have several causes. */
  note(
    { line, id }: { readonly line: number; readonly id: string | undefined },
    reason: string,
    causes: readonly CauseOfRow[] = [{ reason }],
  ): void {
    const row: RowReason = { line, ...(id === undefined ? {} : { id }), reason };
    this.#rows += 1;
    if (this.first.length < shownRows) this.first.push(row);
    const kept = causes.filter((one) => this.#causes.has(one.reason) || this.#causes.size < shownRows);
    if (kept.length === 0) this.left += 1;
    for (const { reason: cause, said = cause, cell } of kept) {
      const { rows, first } = this.#causes.get(cause) ?? { rows: 0, first: [] };
      this.#causes.set(cause, {
        reason: cause,
        rows: rows + 1,
        first: [...first, { ...row, reason: said, cell }].slice(0, shownOfCause),
      });
    }
  }

  get causes(): readonly Cause[] {
    return [...this.#causes.values()];
  }

  get rows(): number {
    return this.#rows;
  }
}

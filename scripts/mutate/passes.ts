// What the passes of `npm run mutate` tell each other.

/** `load`: one mutant lives from the start, because it is reached only while modules load. */
export type Pass = 'reach' | 'kill' | 'load';

export type Coverage = {
  readonly file: string;
  /** Mutants that were reached outside of tests: while modules loaded, or in hooks of a whole suite. */
  readonly loaded: readonly number[];
  readonly tests: readonly {
    readonly id: string;
    readonly ms: number;
    readonly isPassed: boolean;
    readonly reached: readonly number[];
  }[];
};

/** Which mutants each test is repeated for, by the test's id. */
export type Targets = Readonly<Record<string, readonly number[]>>;

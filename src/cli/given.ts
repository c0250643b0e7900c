/** One option as it stood on the command line. Order is kept: buttons and rows depend on it. */
export type Occurrence = { readonly name: string; readonly value: string | true };

/** What was given to one command, by option name without dashes. Asking for an undeclared option is a bug. */
export class Given {
  readonly command: string;
  readonly args: readonly string[];
  readonly occurrences: readonly Occurrence[];
  readonly #declared: ReadonlySet<string>;

  constructor(
    command: string,
    args: readonly string[],
    occurrences: readonly Occurrence[],
    declared: ReadonlySet<string>,
  ) {
    this.command = command;
    this.args = args;
    this.occurrences = occurrences;
    this.#declared = declared;
  }

  flag(name: string): boolean {
    return this.#of(name).length > 0;
  }

  text(name: string): string | undefined {
    const value = this.#of(name)[0]?.value;
    return value === true ? undefined : value;
  }

  all(name: string): string[] {
    return this.#of(name).flatMap(({ value }) => (value === true ? [] : [value]));
  }

  #of(name: string): Occurrence[] {
    if (!this.#declared.has(name)) throw new Error(`--${name} is not an option of ${this.command}`);
    return this.occurrences.filter((occurrence) => occurrence.name === name);
  }
}

// SQL: what the databases write in ways of their own.

/** A statement as its database takes it. */
export type Statement = {
  readonly text: string;
  /** The names of its values, in the order of their numbers. */
  readonly values: readonly string[];
  readonly changes: boolean;
  /** Whether it answers with rows. */
  readonly answers: boolean;
};

export type Dialect = {
  /** What stands before the number of a value. */
  readonly value: '?' | '$';
  readonly table: (name: string) => string;
  /** The function that says where in a text another one stands. */
  readonly position: 'instr' | 'strpos';
  /** A column in a condition that must not use an index. SQLite would prefer the index of kinds to that of keys. */
  readonly unindexed: (column: string) => string;
  /** A table with a row, named `one`, for each text in a value, which has them as a list in JSON. */
  readonly each: (value: string) => string;
  /** All columns of a table, and those by which the life of its owner is judged. */
  readonly withOwner: (table: string) => string;
};

/** Numbers the values of a text, which has them as `:name`. */
export function statementIn({ value }: Pick<Dialect, 'value'>, text: string): Statement {
  const values: string[] = [];
  const numbered = text.replace(/(?<!:):([a-z]\w*)/giu, (_all, name: string) => {
    if (!values.includes(name)) values.push(name);
    return `${value}${values.indexOf(name) + 1}`;
  });
  const changes = /^(?:INSERT|UPDATE)/u.test(text);
  return { text: numbered, values, changes, answers: !changes || text.includes('RETURNING') };
}

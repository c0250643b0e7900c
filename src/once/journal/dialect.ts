// SQL: the parts that each database writes differently.

/** A statement in one database's SQL, with numbered parameters. */
export type Statement = {
  readonly text: string;
  /** The names of its values, in the order of their numbers. */
  readonly values: readonly string[];
  readonly changes: boolean;
  /** Whether it returns rows. */
  readonly answers: boolean;
};

export type Dialect = {
  /** The sign before the number of a value. */
  readonly value: '?' | '$';
  readonly table: (name: string) => string;
  /** The function that finds the position of one text in another. */
  readonly position: 'instr' | 'strpos';
  /** A column in a condition that must not use an index. SQLite would prefer the index of kinds to that of keys. */
  readonly unindexed: (column: string) => string;
  /** A table with one column, `one`, and a row for each text in a value, which is a JSON list. */
  readonly each: (value: string) => string;
  /** All columns of a table, and those that show whether its owner is alive. */
  readonly withOwner: (table: string) => string;
};

/** Replaces each `:name` in a text with the number of its value. */
export function statementIn({ value }: Pick<Dialect, 'value'>, text: string): Statement {
  const values: string[] = [];
  const numbered = text.replace(/(?<!:):([a-z]\w*)/giu, (_all, name: string) => {
    if (!values.includes(name)) values.push(name);
    return `${value}${values.indexOf(name) + 1}`;
  });
  const changes = /^(?:INSERT|UPDATE)/u.test(text);
  return { text: numbered, values, changes, answers: !changes || text.includes('RETURNING') };
}

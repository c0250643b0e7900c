export type Surgery = {
  readonly what: string;
  readonly buys: string;
  readonly where: RegExp;
  readonly replaces: string;
  /** A package that is not there on every machine, and is left out either way. */
  readonly mayBeMissing?: true;
  readonly by: string;
  readonly reviewed: string;
};
export const surgery: readonly Surgery[];

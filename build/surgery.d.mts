export type Surgery = {
  readonly what: string;
  readonly buys: string;
  readonly where: RegExp;
  readonly replaces: string;
  readonly by: string;
  readonly reviewed: string;
};
export const surgery: readonly Surgery[];

export type Instruction = {
  /** `2` is the third outer one, `2.0` the first that it called. */
  readonly path: string;
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
};

import type { Dice } from '../../dice.ts';

/** One generated case: a command, its input, and the state of its machine. */
export type Generated = {
  readonly argv: readonly string[];
  readonly stdin?: Buffer;
  readonly config?: Buffer;
  readonly reply?: Buffer;
  /** How the journal of a machine in use is damaged. */
  readonly damage?: (file: Buffer) => Buffer;
  /** How many requests may leave at most; whatever is refused (exit 2) sends none. */
  readonly mostRequests: number;
  /** What a request must say, if one leaves. */
  readonly isRequested?: (body: Record<string, unknown>) => boolean;
};

/** The message that the machine in use has sent under a name. */
export function hello(name: string, ...more: readonly string[]): string[] {
  return ['send', '--conversation', 'conv_demo', '--content', 'Hello', '--once', name, ...more];
}

export type Kind = { readonly name: string; readonly count: number; make(dice: Dice): Generated };

import type { Output } from './output.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** How wide the caller wants it, whatever it goes to. */
export function columnsIn({ COLUMNS: text = '' }: Env): number | undefined {
  return /^[1-9]\d{1,4}$/u.test(text) ? Number(text) : undefined;
}

/** How wide results may be: in a pipe nothing is cut or folded. */
export function columnsOf({ isTerminal, hasWidth, columns }: Output, env: Env): number {
  return columnsIn(env) ?? (isTerminal || hasWidth ? columns : Number.POSITIVE_INFINITY);
}

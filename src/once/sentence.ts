/** A command that a person can paste: the words after `botctl`, or commands of other programs in order. */
export type Suggestion =
  | readonly string[]
  | { readonly shell: readonly (readonly string[])[] }
  /** Only a person may decide this. A program, which has no terminal, is given the command that looks. */
  | { readonly decides: readonly string[]; readonly looks?: readonly string[] };

/** What to do about a failure. */
export type Advice = {
  /** As a sentence. */
  readonly hint?: string;
  /** Commands that do it, each ready to paste. */
  readonly next?: readonly Suggestion[];
  /** Further fields of the error, for scripts. */
  readonly fields?: Readonly<Record<string, string | number>>;
};

/** What happened, and what to do about it. */
export type Sentence = Advice & { readonly message: string };

/**
 * A failure as it is read: what happened, on its own line; below it what to do; and commands to paste, each after a
 * `$`. A value in a command stays one word, whatever it contains: it is quoted when the command is shown.
 */
export function sentence(
  texts: readonly string[],
  ...values: readonly (string | number | bigint)[]
): Sentence {
  const left = [...values];
  const filled = (part: string): string => part.replace(/\0/gu, () => String(left.shift()));
  const lines = texts
    .join('\0')
    .split('\n')
    .map((line) => line.trim());
  const [first = '', ...below] = lines.filter((line) => line !== '');
  const message = filled(first);
  const hints: string[] = [];
  const next: Suggestion[] = [];
  for (const line of below) {
    if (line.startsWith('$ ')) next.push(line.slice(2).split(' ').map(filled));
    else hints.push(filled(line));
  }
  return {
    message,
    ...(hints.length === 0 ? {} : { hint: hints.join(' ') }),
    ...(next.length === 0 ? {} : { next }),
  };
}

export function withFullStop(what: string): string {
  return /[.!?]$/u.test(what) ? what : `${what}.`;
}

export const isItTheRightFile = 'Is it the right file?';
export const whenReady = 'Run the same command again when you are ready.';
/** A promise about running the same command again. */
export const neverTwice = 'nothing is sent twice';

import { Failure } from '../src/errors.ts';
import { suggested } from '../src/words/suggestion.ts';

/** The failure that the work ends in; a test that expects one must not pass because nothing was thrown. */
export async function failureOf(work: () => unknown): Promise<Failure> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

/** Everything that a failure would show. */
export function wordsOf(failure: Failure): string {
  return `${failure.message} ${failure.details.hint ?? ''} ${linesOf(failure).join(' ')} ${failure.stack ?? ''} ${String(failure.cause)}`;
}

/** The commands that it suggests, as they are pasted. */
export function linesOf({ details }: Failure): readonly string[] {
  return suggested(details.next ?? [], { occurrences: [], interactive: false }).lines;
}

import { suggested } from '../../src/cli/wording/suggest.ts';
import { asFailure, Failure } from '../../src/once/failures.ts';

/** The failure of `work`, in words. If nothing is thrown, it throws, so that the test fails. */
export async function failureOf(work: () => unknown): Promise<Failure> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof Failure) return asFailure(thrown);
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

/** Everything that a failure shows. */
export function wordsOf(failure: Failure): string {
  return `${failure.message} ${failure.details.hint ?? ''} ${linesOf(failure).join(' ')} ${failure.stack ?? ''} ${String(failure.cause)}`;
}

/** The commands that it suggests, as pasted. */
export function linesOf({ details }: Failure): readonly string[] {
  return suggested(details.next ?? [], { occurrences: [], asks: false }).lines;
}

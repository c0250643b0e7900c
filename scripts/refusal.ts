/** What was asked for cannot be done: told in a sentence, with exit 2. */
export class Refusal extends Error {}

/** The exit code of the work; 2 if it refuses its words, which is then said with the hint and without a stack. */
export async function refusing(hint: string, work: () => number | Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const why = refusalIn(error);
    if (why === undefined) throw error;
    console.error(`${why}. ${hint}`);
    return 2;
  }
}

function refusalIn(error: unknown): string | undefined {
  if (error instanceof Refusal) return error.message;
  const isOfWords = error instanceof Error && 'code' in error && `${error.code}`.startsWith('ERR_PARSE_ARGS');
  // What follows the first sentence is advice for other command lines than ours.
  return isOfWords ? error.message.split(/\.(?:\s|$)/u)[0] : undefined;
}

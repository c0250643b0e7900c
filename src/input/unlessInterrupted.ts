/**
 * The work, or a failure as soon as a signal says stop: what is read may never come. Nothing waits for the signal
 * afterwards: a race of each piece against one promise for all would keep every piece that was ever read.
 */
export async function unlessInterrupted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  failure: () => Error,
): Promise<Result> {
  let stop = (): void => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(failure());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

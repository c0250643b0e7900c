/** Says at once what an interrupt waits for, while something is in flight that must land first. */
export async function whileInFlight<Result>(
  work: Promise<Result>,
  interrupted: AbortSignal,
  say: () => void,
): Promise<Result> {
  if (interrupted.aborted) say();
  else interrupted.addEventListener('abort', say, { once: true });
  try {
    return await work;
  } finally {
    interrupted.removeEventListener('abort', say);
  }
}

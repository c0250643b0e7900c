/** What has come, or is to go, is read and written in between. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * What came on a connection while nothing was asked must not be read as the next reply. Sockets are read once between
 * two rounds of immediates.
 */
export async function readLeftovers(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

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
export function readLeftovers(): Promise<void> {
  underway ??= twoTurns();
  return underway;
}

/** One for all who ask in one turn: of a batch those are many. */
let underway: Promise<void> | undefined;

async function twoTurns(): Promise<void> {
  await nextTurn();
  // Who asks from now on has not seen both.
  underway = undefined;
  await nextTurn();
}

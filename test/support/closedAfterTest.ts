import { onTestFinished } from 'vitest';

/** Closes what a test opens when the test is over. The last one opened is closed first. */
export function closedAfterTest<One extends { close(): unknown }>(one: One): One {
  onTestFinished(async () => void (await one.close()));
  return one;
}

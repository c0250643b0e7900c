import { onTestFinished } from 'vitest';

/** What a test opens, closed when the test is over: what was opened last is closed first. */
export function closedAfterTest<One extends { close(): unknown }>(one: One): One {
  onTestFinished(async () => void (await one.close()));
  return one;
}

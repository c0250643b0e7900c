import { onTestFinished, vi } from 'vitest';

/** Lets time pass for this process at once, by the clock that nobody sets; until the test is over. */
export function passHere(ms: number): void {
  const now = performance.now.bind(performance);
  const passing = vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
  onTestFinished(() => passing.mockRestore());
}

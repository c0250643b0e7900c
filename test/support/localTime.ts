import { onTestFinished, vi } from 'vitest';

/** Moves this process's monotonic clock ahead until the test is over. */
export function passHere(ms: number): void {
  const now = performance.now.bind(performance);
  const passing = vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
  onTestFinished(() => passing.mockRestore());
}

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Meter, paintOf } from '../../../src/cli/show/faces.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const paint = await paintOf(0);

function started(draws: boolean, columns = 80) {
  const written: string[] = [];
  let share = 0;
  const gauge = () => ({ share, text: `${100 * share} of 100 rows done` });
  const write = (text: string): void => void written.push(text);
  const meter = new Meter(gauge, { draws, write, columns, paint, own: String });
  return {
    meter,
    written,
    reach: (now: number) => {
      share = now;
    },
  };
}

test('on a terminal one line is drawn again and again, and is gone at the end', () => {
  const { meter, written, reach } = started(true);
  reach(0.5);
  vi.advanceTimersByTime(100);
  expect(written.at(-1)).toBe(`\r\x1b[2K${'█'.repeat(8)}${'░'.repeat(8)} 50%  50 of 100 rows done`);
  meter.say('warning: something');
  expect(written.at(-2)).toBe('\r\x1b[2Kwarning: something\n');
  expect(written.at(-1)).toContain(' 50%');
  meter.stop();
  expect(written.at(-1)).toBe('\r\x1b[2K');
  const length = written.length;
  vi.advanceTimersByTime(10_000);
  expect(written).toHaveLength(length);
});

test('the line never wraps, not even where Ctrl-C is echoed behind it; a narrow one goes without a bar', () => {
  for (const columns of [20, 40, 60]) {
    const { written, reach } = started(true, columns);
    reach(1);
    vi.advanceTimersByTime(100);
    const line = written.at(-1)?.replace('\r\x1b[2K', '') ?? '';
    expect(line.length).toBeLessThanOrEqual(columns - 3);
    expect(line.includes('█')).toBe(columns === 60);
    expect(line).toContain(columns === 20 ? '100%  100 of' : '100%  100 of 100 rows done');
  }
});

test('elsewhere a line every ten seconds', () => {
  const { meter, written, reach } = started(false);
  vi.advanceTimersByTime(9999);
  expect(written).toEqual([]);
  reach(0.25);
  vi.advanceTimersByTime(1);
  expect(written).toEqual(['25 of 100 rows done\n']);
  meter.say('note: x');
  expect(written.at(-1)).toBe('note: x\n');
  meter.stop();
  expect(written).toHaveLength(2);
});

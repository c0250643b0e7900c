import type { Line } from './flight.ts';

/** Many requests at a time, each on a line of its own; a line that is free again is used again. */
export function poolLines(open: () => Line): Line {
  // What forbids a line must be known before anything is to be sent on it.
  const all = [open()];
  const free = [...all];
  const openAnother = (): Line => {
    const line = open();
    all.push(line);
    return line;
  };
  return {
    fly: async (shipment, limits) => {
      const line = free.pop() ?? openAnother();
      try {
        return await line.fly(shipment, limits);
      } finally {
        free.push(line);
      }
    },
    close: async () => {
      await Promise.all(all.map((line) => line.close()));
    },
  };
}

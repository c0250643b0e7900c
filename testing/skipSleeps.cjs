// Loaded before a botctl that runs in a process of its own: its clock begins so much later, and a wait of its own
// (timers/promises) is skipped.
const timers = require('node:timers/promises');

const { now } = Date;
let skippedMs = Number(process.env.BOTCTL_SKIPPED_MS ?? 0);
Date.now = () => now() + skippedMs;
timers.setTimeout = async (waitMs, value) => {
  skippedMs += Math.ceil(waitMs);
  await new Promise(setImmediate);
  return value;
};
delete process.env.NODE_OPTIONS;
delete process.env.BOTCTL_SKIPPED_MS;

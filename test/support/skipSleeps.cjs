// Loaded before a botctl in a separate process. It moves the process's clock ahead and skips its sleeps
// (timers/promises), unless BOTCTL_SLEEPS is set.
const timers = require('node:timers/promises');

const { now } = Date;
let skippedMs = Number(process.env.BOTCTL_SKIPPED_MS ?? 0);
Date.now = () => now() + skippedMs;
if (process.env.BOTCTL_SLEEPS === undefined)
  timers.setTimeout = async (waitMs, value) => {
    skippedMs += Math.ceil(waitMs);
    await new Promise(setImmediate);
    return value;
  };
// A signal comes as soon as the program listens for it.
const signal = process.env.BOTCTL_SIGNALLED;
if (signal !== undefined)
  process.once('newListener', function heard(name) {
    if (name === signal) process.nextTick(() => process.emit(signal));
    else process.once('newListener', heard);
  });
delete process.env.BOTCTL_SIGNALLED;
delete process.env.NODE_OPTIONS;
delete process.env.BUN_OPTIONS;
delete process.env.BOTCTL_SKIPPED_MS;
delete process.env.BOTCTL_SLEEPS;

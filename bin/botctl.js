#!/usr/bin/env node
import { readFileSync, writeSync } from 'node:fs';

// Start-up is kept short in two ways, both visible here: whoever only asks for the version gets it without
// the program being loaded, and the program loads a command's code, its libraries and the questions to a
// person only when they are needed. If the version cannot be written, the program says why.
const asked = process.argv.slice(2);
if (!(asked.length === 1 && /^(--version|-V)$/u.test(asked[0]) && wroteVersion())) {
  const { main, realWorld } = await import('../dist/main.js');
  const world = realWorld();
  process.exitCode = await main(world);
  // What was given up may hold the process for ever, such as a pipe that nobody writes to.
  if (world.interrupts.first.aborted) process.exit();
}

function wroteVersion() {
  try {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    writeSync(1, `${version}\n`);
    return true;
  } catch {
    return false;
  }
}

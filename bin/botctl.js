#!/usr/bin/env node
const { readFileSync, writeSync } = require('node:fs');

// Start-up is kept short in two ways, both visible here: whoever only asks for the version gets it without
// the program being loaded, and the program loads a command's code, its libraries and the questions to a
// person only when they are needed. If the version cannot be written, the program says why.
const asked = process.argv.slice(2);
if (!(asked.length === 1 && /^(--version|-V)$/u.test(asked[0]) && wroteVersion())) {
  const { main, realWorld } = require('../dist/main.js');
  const world = realWorld();
  main(world).then((exit) => {
    process.exitCode = exit;
    // What was given up may hold the process for ever, such as a pipe that nobody writes to.
    if (world.interrupts.first.aborted) process.exit();
  });
}

function wroteVersion() {
  try {
    const { version } = JSON.parse(readFileSync(`${__dirname}/../package.json`, 'utf8'));
    writeSync(1, `${version}\n`);
    return true;
  } catch {
    return false;
  }
}

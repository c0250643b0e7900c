#!/usr/bin/env node
const { existsSync, readFileSync, writeSync } = require('node:fs');
const { dirname } = require('node:path');

// `--version` alone is answered without loading the program. If it cannot be written, the program says why. Nodes too
// old for the program still read this file.
const words = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(`${__dirname}/../package.json`, 'utf8'));
if (!(words.length === 1 && /^--version$/u.test(words[0]) && wroteVersion())) {
  const { node } = process.versions;
  const [major, minor] = node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    refuse(`Node ${node} is not supported: botctl needs Node 20.19 or newer.`);
  else if (existsSync(`${__dirname}/../dist/main.js`)) start();
  else refuse(`botctl is not built yet: run npm ci in ${dirname(__dirname)}.`);
}

function wroteVersion() {
  try {
    writeSync(1, `${version}\n`);
    return true;
  } catch {
    return false;
  }
}

function refuse(why) {
  const message = `${why} Nothing was sent.`;
  const error = { code: 'machine-fault', message, retry: 'after-fix' };
  process.exitCode = 1;
  if (words.includes('--json')) process.stdout.write(`${JSON.stringify({ schema: 'botctl/1', error })}\n`);
  else process.stderr.write(`botctl: ${message}\n`);
}

function start() {
  const main = require('../dist/main.js');
  const context = main.thisProcess();
  const isOver = main.guardExit(context);
  main.main(context).then((exit) => {
    isOver();
    // Everything is written and closed. A regular shutdown would take 3 ms of a send, and abandoned work could keep the
    // process alive forever, such as a pipe that nothing writes to.
    process.exit(exit);
  });
}

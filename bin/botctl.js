#!/usr/bin/env node
const { existsSync, readFileSync, writeSync } = require('node:fs');
const { dirname } = require('node:path');

// Start-up is kept short in three ways, all visible here: whoever only asks for the version gets it without
// the program being loaded; what was compiled is kept for the next command; and the program loads a command's
// code, its libraries and the questions to a person only when they are needed. If the version cannot be
// written, the program says why. This file alone is read by Nodes that are too old for the program.
const words = process.argv.slice(2);
const { version, engines } = ownPackage();
if (!(words.length === 1 && /^(--version|-V|version)$/u.test(words[0]) && wroteVersion())) {
  const { node } = process.versions;
  if (!suits(node)) refuse(`Node ${node} is not supported: botctl needs Node ${needed()} or newer.`);
  else if (existsSync(`${__dirname}/../dist/main.js`)) start();
  else refuse(`botctl is not built yet: run npm ci in ${dirname(__dirname)}.`);
}

function ownPackage() {
  return JSON.parse(readFileSync(`${__dirname}/../package.json`, 'utf8'));
}

function wroteVersion() {
  try {
    writeSync(1, `${version}\n`);
    return true;
  } catch {
    return false;
  }
}

// `engines` has two forms: ^20.19 is that minor or a later one of 20, and >=22.3 is 22.3 or anything later.
function suits(node) {
  const [major, minor] = node.split('.').map(Number);
  return engines.node.split(' || ').some((range) => {
    const [leastMajor, leastMinor] = range.replace(/^\D+/u, '').split('.').map(Number);
    return major === leastMajor ? minor >= leastMinor : major > leastMajor && range.startsWith('>=');
  });
}

function needed() {
  return engines.node.replace(' || ', ', ').replace(/\^|>=/gu, '');
}

function refuse(why) {
  const message = `${why} Nothing was sent.`;
  const error = { code: 'machine-fault', message, retry: 'after-fix' };
  process.exitCode = 1;
  if (words.includes('--json')) process.stdout.write(`${JSON.stringify({ schema: 'botctl/1', error })}\n`);
  else process.stderr.write(`botctl: ${message}\n`);
}

function start() {
  const { main, keep } = mainOf();
  const context = main.thisProcess();
  const isOver = main.guardExit(context);
  main.main(context).then((exit) => {
    keep();
    isOver();
    // All is written and closed by now. What is left is not worth taking apart, 3 ms of a send; and what was
    // given up may hold the process for ever, such as a pipe that nobody writes to.
    process.exit(exit);
  });
}

function mainOf() {
  // The sandbox promises to write nothing outside its own folder; help is drawn before what was kept is checked.
  if (words.some((word) => /^(sandbox|help|--help|-h)$/u.test(word)))
    return { main: require('../dist/main.js'), keep() {} };
  return require('../dist/compiled.js').loadMain(`${dirname(__dirname)}/dist`, process.env);
}

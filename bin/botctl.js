#!/usr/bin/env node
const { existsSync, readFileSync, writeSync } = require('node:fs');
const { dirname } = require('node:path');

// Three things keep start-up short: `--version` alone is answered without loading the program; compiled code is cached
// for the next command; and the program loads a command's code, its libraries and the questions to a person only when
// needed. If the version cannot be written, the program says why. Nodes too old for the program still read this file.
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

// `engines` has two forms: ^20.19 means that minor or a later one of 20; >=22.3 means 22.3 or anything later.
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
    // Everything is written and closed. A regular shutdown would take 3 ms of a send, and abandoned work could keep the
    // process alive forever, such as a pipe that nothing writes to.
    process.exit(exit);
  });
}

function mainOf() {
  // The sandbox promises to write only in its own folder, and help is shown before the cache is checked.
  if (words.some((word) => /^(sandbox|help|--help|-h)$/u.test(word)))
    return { main: require('../dist/main.js'), keep() {} };
  return require('../dist/compiled.js').loadMain(`${dirname(__dirname)}/dist`, process.env);
}

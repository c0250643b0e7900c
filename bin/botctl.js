#!/usr/bin/env node
const { existsSync, lstatSync, mkdirSync, readFileSync, writeSync } = require('node:fs');
const { dirname } = require('node:path');

// `--version` or `-V` alone is answered without loading the program. If it cannot be written, the program says why. Nodes too
// old for the program still read this file.
const words = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(`${__dirname}/../package.json`, 'utf8'));
if (!(words.length === 1 && /^(--version|-V)$/u.test(words[0]) && wroteVersion())) {
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

// Node 22.8 and newer keep what they compiled: a third of a replay. Only in a folder of this user, because what lies
// there is run; and not as root, whose HOME may be another user's.
function keepCompiled() {
  const { enableCompileCache } = require('node:module');
  if (enableCompileCache === undefined || process.getuid() === 0) return;
  try {
    const folder = `${require('node:os').homedir()}/.cache/botctl`;
    if (!folder.startsWith('/')) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    if (uid === process.getuid() && (mode & 0o170022) === 0o040000) enableCompileCache(folder);
  } catch {
    // It is compiled each time.
  }
}

function start() {
  keepCompiled();
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

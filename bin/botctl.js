#!/usr/bin/env node
const { existsSync, lstatSync, mkdirSync, readFileSync, writeSync } = require('node:fs');
const { dirname } = require('node:path');

// Start-up is kept short in three ways, all visible here: whoever only asks for the version gets it without
// the program being loaded; Node 22 and later keep what they compiled, 15 ms of a send; and the program loads a
// command's code, its libraries and the questions to a person only when they are needed. If the version cannot
// be written, the program says why. This file alone is read by Nodes that are too old for the program.
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
  // The sandbox promises to write nothing outside its own folder. Node 20 would load its module in vain.
  if (!process.versions.node.startsWith('20.') && !words.includes('sandbox')) keepCompiled();
  const { main, thisProcess } = require('../dist/main.js');
  const context = thisProcess();
  main(context).then((exit) => {
    // All is written and closed by now. What is left is not worth taking apart, 3 ms of a send; and what was
    // given up may hold the process for ever, such as a pipe that nobody writes to.
    process.exit(exit);
  });
}

// Only in a folder that nobody else can write to: what lies there is run. Node's own choice is in /tmp.
function keepCompiled() {
  const { HOME, XDG_CACHE_HOME } = process.env;
  const { enableCompileCache, constants } = require('node:module');
  const base = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  // A home that is not there is not made for the sake of speed.
  if (!base?.startsWith('/') || !existsSync(dirname(base))) return;
  const folder = `${base}/botctl`;
  try {
    // One by one: Node's own way of making several never ends under /proc.
    for (const each of [base, folder]) if (!existsSync(each)) mkdirSync(each, { mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    const isPrivate = uid === process.getuid() && (mode & 0o170077) === 0o040000;
    if (isPrivate && enableCompileCache(folder).status === constants.compileCacheStatus.ENABLED)
      compileWhole();
  } catch {
    // It is compiled again.
  }
}

// What Node keeps of a file is what was compiled before it ran: little more than its outermost function, unless
// the engine is told to compile all of it, 8 ms of a send. But only the program's own files, which say when they
// run: with the engine told otherwise, the compiled code that Node brings for its own does not fit.
function compileWhole() {
  const { setFlagsFromString } = require('node:v8');
  const lazily = () => setFlagsFromString('--lazy');
  const load = require.extensions['.js'];
  require.extensions['.js'] = (module, file) => {
    module.runs = lazily;
    setFlagsFromString('--no-lazy');
    try {
      load(module, file);
    } finally {
      lazily();
    }
  };
}

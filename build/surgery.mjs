// What libraries load and botctl never uses, left out of the bundle or answered by something lighter. What each
// buys was measured with compiled code kept, in processor time: what buys less than 3 ms is not done. Each was written
// for the files as they were when somebody last looked: `reviewed` is their digest. A library's update changes it, and
// the build fails until somebody has looked again.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { ERROR, TYPE } = createRequire(import.meta.url)('undici/lib/llhttp/constants.js');

function throwing(why) {
  return `module.exports = () => { throw new Error(${JSON.stringify(why)}); };`;
}

function engines(name) {
  return fileURLToPath(new URL(`../src/machine/engine/${name}.ts`, import.meta.url));
}

// Each file is named by a variable, so that the bundler leaves the call to Node.
const widthBeyondAscii = `
  const plain = /^[ -~]*$/;
  const beside = './stringWidth.js';
  module.exports = (text) => (plain.test(text) ? text.length : require(beside).default(text));`;

const sqliteByName = `
  const home = './sqlite/' + process.platform + '-' + process.arch;
  const isAlpine = require('node:fs').existsSync('/etc/alpine-release');
  const trouble = [];
  const load = (flavour) => {
    try {
      return require(home + '.' + flavour + '.node');
    } catch (thrown) {
      trouble.push(thrown.message.split('\\n', 1)[0]);
    }
  };
  module.exports = (isAlpine ? undefined : load('glibc')) ?? load('musl');
  if (module.exports === undefined) {
    const reason = 'the SQLite that botctl brings does not load here (' + trouble[0] + ')';
    throw Object.assign(new Error(reason), { code: 'ERR_DLOPEN_FAILED' });
  }`;

// The single file is bundled once more, by what makes it, which follows no call that it cannot read.
const widthInside = `
  const plain = /^[ -~]*$/;
  module.exports = (text) => (plain.test(text) ? text.length : require('string-width').default(text));`;

// The single file brings its native parts itself.
const sqliteInside = `
  module.exports = require(${JSON.stringify(engines('bun'))}).requireNative('sqlite');`;

export const surgery = [
  {
    what: 'HTTP/2, and with it TLS where the service is plain HTTP',
    buys: '5 ms of a send, 10 on Node 24',
    where: /undici\/lib\/dispatcher\/client\.js$/,
    replaces: './client-h2.js',
    by: throwing('HTTP/1.1 only'),
    reviewed: 'c3841af228686adc',
  },
  {
    what: 'all of fetch, which is for bodies that are not bytes',
    buys: '3 ms of a send, 6 on Node 24, together with the five below',
    where: /undici\/lib\/dispatcher\/client-h1\.js$/,
    replaces: '../web/fetch/body.js',
    by: throwing('a body is bytes'),
    reviewed: '6d99fb8bc5f5131b',
  },
  {
    what: 'a second copy of the HTTP parser, for processors from before 2008',
    buys: 'counted above',
    where: /undici\/lib\/dispatcher\/client-h1\.js$/,
    replaces: '../llhttp/llhttp-wasm.js',
    by: `module.exports = require('undici/lib/llhttp/llhttp_simd-wasm.js');`,
    reviewed: 'bc95b981157c27ea',
  },
  {
    what: 'the parser’s tables, except the two that are used',
    buys: 'counted above',
    where: /undici\/lib\/dispatcher\/client-h1\.js$/,
    replaces: '../llhttp/constants.js',
    by: `module.exports = ${JSON.stringify({ ERROR, TYPE })};`,
    reviewed: '26a87b2e9bd3cda6',
  },
  {
    what: 'a search tree of header names; toLowerCase does the same',
    buys: 'counted above',
    where: /undici\/lib\/core\/util\.js$/,
    replaces: './tree',
    by: 'module.exports = { tree: { lookup: () => null } };',
    reviewed: 'dbb79a13076f0a5a',
  },
  {
    what: 'Node’s own HTTP, which is for one number and for bodies that are its messages',
    buys: 'counted above',
    where: /undici\/lib\//,
    replaces: 'node:http',
    by: 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };',
    reviewed: 'a0fd310c3c3c10a7',
  },
  {
    what: 'Node’s assertions and their long messages; a short one does',
    buys: 'counted above',
    where: /undici\/lib\//,
    replaces: 'node:assert',
    by: `module.exports = (holds, message) => {
      if (!holds) throw message instanceof Error ? message : new Error(message ?? 'undici: an assertion failed');
    };`,
    reviewed: '12fe7c91dfe055c9',
  },
  {
    what: 'commands that are programs of their own, and with them the loading of sockets',
    buys: '3 ms of a history into a file',
    where: /commander\/lib\/command\.js$/,
    replaces: 'node:child_process',
    by: throwing('no command is a program of its own'),
    reviewed: '87383de220fa2a26',
  },
  {
    what: 'patterns and tables of emoji, until a letter beyond ASCII is to be measured',
    buys: '19 ms of a list',
    where: /\/src\/cli\//,
    replaces: 'string-width',
    by: widthBeyondAscii,
    byIn: { bun: widthInside },
    reviewed: '0023e96c57bb8217',
  },
  {
    what: 'the search through folders for SQLite’s native part: it is loaded by its name, without its package',
    buys: 'SQLite without its package',
    where: /\/src\//,
    replaces: '@photostructure/sqlite',
    by: sqliteByName,
    byIn: { bun: sqliteInside },
    reviewed: 'f35a331e32bb0537',
  },
  {
    what: 'how PostgreSQL’s driver asks whether it runs at Cloudflare: it loads all of Node’s fetch for that',
    buys: '13 ms of a send with a shared journal',
    where: /pg\/lib\/connection\.js$/,
    replaces: './stream',
    by: `
      exports.getStream = () => new (require('node:net').Socket)();
      exports.getSecureStream = (options) => require('node:tls').connect(options);`,
    reviewed: 'b0cd9cd24249e0b2',
  },
];

/** What is replaced for an engine. */
export function surgeryFor(engine) {
  return surgery.map((each) => ({ ...each, by: each.byIn?.[engine] ?? each.by }));
}

/** Follows which replacements were made, and says what nobody has looked at. */
export class Review {
  #seen = surgery.map(() => new Map());

  noted(index, importer, replaced) {
    this.#seen[index].set(importer, replaced);
  }

  complaints() {
    return surgery.flatMap(({ what, replaces, reviewed }, index) => {
      const seen = this.#seen[index];
      if (seen.size === 0) return [`nothing imports ${replaces} any more (left out: ${what})`];
      const digest = digestOf(seen);
      return digest === reviewed
        ? []
        : [`${what}: the files around ${replaces} changed; reviewed: '${digest}'`];
    });
  }
}

/** Of all files of libraries in which something is replaced, and of what is replaced, where that is a file. */
function digestOf(seen) {
  const sum = createHash('sha256');
  const pairs = [...seen].sort(([left], [right]) => (left < right ? -1 : 1));
  for (const file of new Set(pairs.flat())) {
    const name = file?.slice(file.lastIndexOf('node_modules/'));
    if (name?.startsWith('node_modules/')) sum.update(name).update(readFileSync(file));
  }
  return sum.digest('hex').slice(0, 16);
}

export function surgeryIndex(source, importer = '') {
  return surgery.findIndex(({ where, replaces }) => replaces === source && where.test(importer));
}

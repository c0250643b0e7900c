import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Messages } from '../support/postgres/messages.ts';
import { root } from '../support/root.ts';

/** What a run does that no output shows, in the order in which it is done. */
export type Tracing = { readonly home: string; readonly servicePort: number; readonly serverPort?: number };

let events: string[] | undefined;
let tracing: Tracing = { home: '', servicePort: 0 };
/** Keys that were bound to a statement of the open transaction, and those of committed ones. */
let bound = new Set<string>();
let committed = new Set<string>();

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu;

export function startTrace(what: Tracing): string[] {
  tracing = what;
  events = [];
  bound = new Set();
  committed = new Set();
  return events;
}

export function stopTrace(): void {
  events = undefined;
}

export function note(text: string): void {
  events?.push(text);
}

/** A statement on one line; a long one by its beginning and a hash of it all. */
function shortened(sql: string): string {
  const line = sql
    .replace(/\s+/gu, ' ')
    .replace(/'(?:[^']|'')*'/gu, '?')
    .replace(/\b\d{2,}\b/gu, '?')
    .trim();
  if (line.length <= 100) return line;
  const alike = line
    .replace(/\d+/gu, '?')
    .replace(/\?(?:, ?\?)+/gu, '?')
    .replace(/\(\?\)(?:, ?\(\?\))+/gu, '(?)');
  return `${line.slice(0, 90)}… ${createHash('sha256').update(alike).digest('hex').slice(0, 6)}`;
}

function sawKeys(text: string): void {
  for (const [key] of text.matchAll(uuid)) bound.add(key);
}

function sawCommit(): void {
  for (const key of bound) committed.add(key);
  bound = new Set();
}

/** Before the built program is loaded. */
export function installTracing(): void {
  watchFiles();
  watchSqlite();
  watchSockets();
}

type Method = (...given: unknown[]) => unknown;
type Methods = Record<string, Method>;

function wrap(
  object: object,
  name: string,
  around: (original: Method, self: unknown, given: unknown[]) => unknown,
): void {
  const methods = object as Methods;
  const original = methods[name];
  if (original === undefined) throw new Error(`there is no ${name} to be traced`);
  methods[name] = function traced(this: unknown, ...given: unknown[]) {
    return events === undefined ? original.apply(this, given) : around(original, this, given);
  };
}

const opened = new Map<number, string>();

function placeOf(path: unknown): string {
  const text = String(path);
  return text.startsWith(tracing.home) ? `~${text.slice(tracing.home.length)}` : text;
}

function watchFiles(): void {
  wrap(fs, 'openSync', (original, self, given) => {
    const descriptor = original.apply(self, given) as number;
    opened.set(descriptor, placeOf(given[0]));
    return descriptor;
  });
  for (const name of ['fsyncSync', 'fdatasyncSync', 'writeSync', 'ftruncateSync']) {
    wrap(fs, name, (original, self, given) => {
      const result = original.apply(self, given);
      const path = opened.get(given[0] as number) ?? 'a file';
      note(`file: ${name.replace('Sync', '')} ${path}`);
      return result;
    });
  }
  for (const name of ['renameSync', 'unlinkSync', 'writeFileSync', 'mkdirSync']) {
    wrap(fs, name, (original, self, given) => {
      const result = original.apply(self, given);
      if (typeof given[0] === 'string') note(`file: ${name.replace('Sync', '')} ${placeOf(given[0])}`);
      return result;
    });
  }
}

type Native = {
  readonly DatabaseSync: new (
    ...given: unknown[]
  ) => { prepare(sql: string): object; exec(sql: string): void };
};

/** The native part that the built program will load: its methods cannot be replaced, so its class is. */
function watchSqlite(): void {
  const load = createRequire(import.meta.url);
  const folder = join(
    root,
    `node_modules/@photostructure/sqlite/prebuilds/${process.platform}-${process.arch}`,
  );
  for (const name of fs.readdirSync(folder)) {
    try {
      const native = load(join(folder, name)) as Native;
      const own = load.cache[load.resolve(join(folder, name))];
      if (own !== undefined) own.exports = { ...native, DatabaseSync: watched(native.DatabaseSync) };
    } catch {
      // It is of another libc: the program will not load it, either.
    }
  }
}

function watched(Database: Native['DatabaseSync']): Native['DatabaseSync'] {
  return class extends Database {
    override exec(sql: string): void {
      super.exec(sql);
      saidToSqlite(sql, []);
    }

    override prepare(sql: string): object {
      const statement = super.prepare(sql) as Methods;
      for (const name of ['run', 'get', 'all', 'iterate']) {
        const original = statement[name] as Method;
        const value = (...given: unknown[]): unknown => {
          const result = original.apply(statement, given);
          saidToSqlite(sql, given);
          return result;
        };
        Object.defineProperty(statement, name, { value });
      }
      return statement;
    }
  };
}

function saidToSqlite(sql: string, given: readonly unknown[]): void {
  if (events === undefined) return;
  sawKeys(given.map(String).join(' '));
  note(`sqlite: ${shortened(sql)}`);
  if (/^(COMMIT|END)\b/iu.test(sql.trim())) sawCommit();
}

function watchSockets(): void {
  wrap(Socket.prototype, 'write', (original, self, given) => {
    const [chunk] = given;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk as Uint8Array);
    const { remotePort } = self as Socket;
    if (remotePort === tracing.servicePort) requested(bytes.toString());
    if (remotePort === tracing.serverPort)
      for (const one of messagesOf(self as Socket).take('client', bytes)) asked(one);
    return original.apply(self, given);
  });
  const push = Readable.prototype.push as unknown as Method;
  (Socket.prototype as unknown as Methods).push = push;
  wrap(Socket.prototype, 'push', (original, self, given) => {
    const [chunk] = given;
    const { remotePort } = self as Socket;
    if (chunk instanceof Buffer && remotePort === tracing.servicePort) replied(chunk.toString('latin1'));
    if (chunk instanceof Buffer && remotePort === tracing.serverPort)
      for (const one of messagesOf(self as Socket).take('server', chunk)) answered(one);
    return original.apply(self, given);
  });
}

function replied(text: string): void {
  if (text.startsWith('HTTP/')) note(`service: ${text.split('\r\n')[0]}`);
}

function requested(text: string): void {
  const [line = ''] = text.split('\r\n');
  if (/^(POST|GET) /u.test(line)) note(`service: request begun, ${line}`);
  for (const [key] of text.matchAll(uuid))
    note(
      `service: bytes with a key, ${committed.has(key) ? 'which is committed' : 'WHICH IS NOT COMMITTED'}`,
    );
}

/** Messages to a PostgreSQL and back: what is executed, by the text that it was prepared from. */
const streams = new WeakMap<object, Messages>();
const prepared = new Map<string, string>();

function messagesOf(socket: object): Messages {
  const known = streams.get(socket) ?? new Messages();
  streams.set(socket, known);
  return known;
}

function asked(message: Buffer): void {
  const type = String.fromCharCode(message[0] ?? 0);
  const parts = message.subarray(5).toString('utf8').split('\0');
  if (type === 'Q') note(`server: ${shortened(parts[0] ?? '')}`);
  if (type === 'P') prepared.set(parts[0] ?? '', parts[1] ?? '');
  if (type !== 'B') return;
  sawKeys(parts.join(' '));
  note(`server: ${shortened(prepared.get(parts[1] ?? '') ?? '(prepared before)')}`);
}

function answered(message: Buffer): void {
  if (message.subarray(5).toString('latin1') !== 'COMMIT\0' || message[0] !== 'C'.charCodeAt(0)) return;
  note('server: has committed');
  sawCommit();
}

const mostRepeated = 80;

/** Blocks that come again and again are told once. */
export function folded(lines: readonly string[]): string[] {
  const told: string[] = [];
  for (let at = 0; at < lines.length; ) {
    let best = { length: 1, times: 1 };
    for (let length = 1; length <= mostRepeated; length += 1) {
      const block = lines.slice(at, at + length).join('\n');
      let times = 1;
      while (lines.slice(at + times * length, at + (times + 1) * length).join('\n') === block && block !== '')
        times += 1;
      if (times > 2 && times * length > best.length * best.times) best = { length, times };
    }
    const block = lines.slice(at, at + best.length);
    if (best.times > 1) told.push(`${best.times} times:`, ...block.map((line) => `  ${line}`));
    else told.push(...block);
    at += best.length * best.times;
  }
  return told;
}
